package browser

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// A page of more than one part arrives whole: no character is parted, wherever
// the parts end.
func TestLongPageArrivesInParts(t *testing.T) {
	mux := http.NewServeMux()
	for shift := range 3 {
		mux.HandleFunc(fmt.Sprint("/", shift), html(`<title>long</title><p>`+strings.Repeat("x", shift)+`</p><main>`+
			strings.Repeat(`<p>`+strings.Repeat("😀", 400)+`</p>`, 400)+`</main><p>the end</p>`))
	}
	url := serveMux(t, mux)
	s := newTestSession(t)
	for shift := range 3 {
		if _, err := s.Navigate(testContext(t), fmt.Sprint(url, "/", shift)); err != nil {
			t.Fatal(err)
		}
		st, err := s.State(testContext(t), StateOptions{Full: true, Text: dom.TextOptions{Budget: -1}})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(st.Text.String, "😀"); n != 400*400 {
			t.Errorf("%d of %d characters arrived", n, 400*400)
		}
		if strings.Contains(st.Text.String, "�") || !strings.Contains(st.Text.String, "the end") {
			t.Error("the page did not arrive as it is")
		}
		if left := rawEvaluate(t, s, dom.PartExpression(1)); left != `""` {
			t.Errorf("the page keeps %d bytes of the answer", len(left))
		}
	}
}

// rawEvaluate evaluates in the isolated world of the page.
func rawEvaluate(t *testing.T, s *Session, expr string) string {
	t.Helper()
	tab, err := s.active(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	value, err := text(testContext(t), tab.captures.frames[tab.main].evaluate(expr, true))
	if err != nil {
		t.Fatal(err)
	}
	return string(value)
}

// The scripts wait in the second document, where the page cannot see them, and
// not in its frames.
func TestScriptsWaitInTheNextDocument(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/inner", html(`<button>inner</button>`))
	mux.HandleFunc("/", html(`<title>seen: none</title><button onclick="document.title='pressed'">go</button><iframe src=/inner></iframe>
		<script>for (const k of Object.getOwnPropertyNames(globalThis)) if (/webhand/.test(k)) document.title = 'seen: ' + k</script>`))
	url := serveMux(t, mux)
	s := newTestSession(t)
	for i, want := range []bool{false, true, true} {
		if _, err := s.Navigate(testContext(t), fmt.Sprint(url, "/?", i)); err != nil {
			t.Fatal(err)
		}
		st := again(t, s, StateOptions{Fresh: true})
		if st.Title != "seen: none" || !strings.Contains(st.Text.String, "inner") {
			t.Errorf("document %d: title %q, text\n%s", i, st.Title, st.Text.String)
		}
		if got := rawEvaluate(t, s, `String(typeof globalThis.`+bootName+` === 'object')`); got != fmt.Sprintf("%q", fmt.Sprint(want)) {
			t.Errorf("document %d: scripts ready: %s, want %v", i, got, want)
		}
		if got := rawEvaluate(t, s, `typeof frames[0].`+bootName); got != `"undefined"` {
			t.Errorf("document %d: the frame has the scripts: %s", i, got)
		}
		button := 0
		for _, e := range st.Page.Elements {
			if e.Name == "go" {
				button = e.Index
			}
		}
		if _, err := s.Click(testContext(t), button, ClickOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := mustEval[string](t, s, `document.title`); got != "pressed" {
			t.Errorf("document %d: after the click the title is %q", i, got)
		}
	}
}

// What comes along with a look is what the page says when it is asked.
func TestFactsComeAlong(t *testing.T) {
	url := serveMux(t, html(`<form><input name=a placeholder="A | b ^c"><input type=radio name=r value=1><input type=radio name=r value=2>
		<select name=s><option>x</select><label for=f>File</label><input type=file id=f hidden></form>
		<a href="/x?y=1#z" class="btn focus" data-testid=link>link</a><div id=host></div>
		<script>document.querySelector('#host').attachShadow({mode: 'open'}).innerHTML = '<button title="in\nthe shadow">b</button>'</script>`))
	s := newTestSession(t)
	if _, err := s.Navigate(testContext(t), url); err != nil {
		t.Fatal(err)
	}
	along := again(t, s, StateOptions{Full: true, facts: true})
	got, indices, err := s.identities(testContext(t), along)
	if err != nil {
		t.Fatal(err)
	}
	asked := *along
	asked.captures = nil
	want, _, err := s.identities(testContext(t), &asked)
	if err != nil {
		t.Fatal(err)
	}
	if len(indices) < 7 || !reflect.DeepEqual(got, want) {
		t.Errorf("along came %+v\nasked for %+v", got, want)
	}
	for _, f := range []string{"A | b ^c", "in\nthe shadow"} {
		found := false
		for _, id := range got {
			found = found || id.Unique["placeholder"] == f || id.Unique["title"] == f
		}
		if !found {
			t.Errorf("%q did not come along", f)
		}
	}
}
