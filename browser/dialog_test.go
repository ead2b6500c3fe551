package browser

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// An unanswered alert blocks every command to its page (faults F081).
func TestAlertDoesNotStopTheClickThatOpenedIt(t *testing.T) {
	s, _ := open(t, html(`<button id=b onclick="alert('hi');document.title='done'">b</button>`))
	mustEval[any](t, s, `b.click()`)
	if title := mustEval[string](t, s, `document.title`); title != "done" {
		t.Fatalf("title = %q", title)
	}
	evs := waitEvent(t, s, is(func(e DialogOpened) bool { return e.Message == "hi" && e.Kind == "alert" && e.Accepted }))
	if d := evs[0].(DialogOpened); d.Tab != s.Tabs()[0].ID {
		t.Fatalf("tab = %q", d.Tab)
	}
	if left := s.TakeEvents(); len(left) != 0 {
		t.Fatalf("reported twice: %v", left)
	}
}

// Agreeing to "Delete?" without being told to is destructive (F082).
func TestQuestionsAreAnsweredWithNo(t *testing.T) {
	s, _ := open(t, html(`x`))
	if mustEval[bool](t, s, `confirm('Delete?')`) {
		t.Fatal("confirm was accepted")
	}
	if v := mustEval[*string](t, s, `prompt('Name?', 'x')`); v != nil {
		t.Fatalf("prompt = %q", *v)
	}
	waitEvent(t, s, is(func(e DialogOpened) bool { return e.Kind == "confirm" && e.Message == "Delete?" && !e.Accepted }))
	waitEvent(t, s, is(func(e DialogOpened) bool { return e.Kind == "prompt" && e.Default == "x" && !e.Accepted }))
}

func TestDialogsAreAnsweredByTheHook(t *testing.T) {
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(testContext(t), Config{OnDialog: func(d Dialog) DialogAnswer {
		return DialogAnswer{Accept: d.Kind != "confirm", Text: "Ada"}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := mustEval[string](t, s, `alert(1), [confirm('c'), prompt('n'), prompt('m', 'd')].join()`); got != "false,Ada,Ada" {
		t.Fatalf("answers = %s", got)
	}
}

// A person who is asked takes longer than a look at the page may (F085).
func TestStateWaitsForTheAnswerToADialog(t *testing.T) {
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	s, err := b.NewSession(testContext(t), Config{OnDialog: func(Dialog) DialogAnswer {
		<-release
		return DialogAnswer{Accept: true}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	srv := serve(t, map[string]string{"/": `<button>Delete</button>`})
	if _, err := s.Navigate(testContext(t), srv.URL); err != nil {
		t.Fatal(err)
	}
	run(t, s, `setTimeout(() => { document.title = confirm('Really?') ? 'yes' : 'no' })`)
	waitUntil(t, s.asking)
	ctx, cancel := context.WithTimeout(testContext(t), 50*time.Millisecond)
	defer cancel()
	if _, err := s.State(ctx, StateOptions{}); err == nil || !strings.Contains(err.Error(), "OnDialog has not answered") {
		t.Errorf("with an open dialog: %v", err)
	}
	const timeout = 2 * time.Second // enough for the look itself on a busy machine
	time.AfterFunc(timeout*5/4, func() { close(release) })
	if st := again(t, s, StateOptions{Timeout: timeout}); targetOf(t, st, "Delete") == nil {
		t.Errorf("after the answer:\n%s", st.Text.String)
	}
}

func TestSeveralDialogsInARow(t *testing.T) {
	s, _ := open(t, html(`x`))
	if n := mustEval[int](t, s, `(() => { let n = 0; for (let i = 0; i < 12; i++) { alert('no ' + i); n++ } return n })()`); n != 12 {
		t.Fatalf("%d dialogs were answered", n)
	}
	waitEvent(t, s, is(func(e DialogOpened) bool { return e.Message == "no 11" }))
}

// A page with unsaved text asks whether to leave; navigation must not hang
// (F083).
func TestBeforeUnloadLetsThePageGo(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<input id=i><script>onbeforeunload = (e) => e.preventDefault()</script>`))
	mux.HandleFunc("/next", html(`<title>next</title>`))
	s, url := open(t, mux)
	// A gesture makes Chrome really ask.
	ctx := testContext(t)
	for _, typ := range []string{"mousePressed", "mouseReleased"} {
		if err := s.Call(ctx, "Input.dispatchMouseEvent", map[string]any{
			"type": typ, "x": 20, "y": 20, "button": "left", "clickCount": 1,
		}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Call(ctx, "Input.insertText", map[string]any{"text": "typed"}, nil); err != nil {
		t.Fatal(err)
	}
	nav, err := s.Navigate(ctx, url+"/next")
	if err != nil || nav.URL != url+"/next" {
		t.Fatalf("navigate = %+v, %v", nav, err)
	}
	waitEvent(t, s, is(func(e DialogOpened) bool { return e.Kind == "beforeunload" && e.Accepted }))
}

// A dialog of a cross-site frame is reported on the page's session.
func TestDialogInCrossSiteFrame(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/frame", html(`<script>alert('from the frame'); parent.postMessage('went on', '*')</script>`))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		html(`<script>onmessage = (e) => document.title = e.data</script><iframe src="http://localhost:`+port(r.Host)+`/frame"></iframe>`)(w, r)
	})
	s, _ := open(t, mux)
	waitUntil(t, func() bool { return mustEval[string](t, s, `document.title`) == "went on" })
}
