package browser

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// seenWords asks the page which of its numbered words (w1, w2 ...) stand within
// so many pixels of what shows of the element with the id d.
const seenWords = `((beyond) => {
	const view = { top: 0, bottom: innerHeight };
	if (getComputedStyle(d).overflowY !== 'visible') {
		const b = d.getBoundingClientRect();
		view.top = Math.max(view.top, b.top);
		view.bottom = Math.min(view.bottom, b.bottom);
	}
	const n = document.createTreeWalker(d, NodeFilter.SHOW_TEXT).nextNode();
	const range = document.createRange(), out = [];
	for (const m of n.data.matchAll(/w\d+/g)) {
		range.setStart(n, m.index);
		range.setEnd(n, m.index + m[0].length);
		const r = range.getBoundingClientRect();
		if (r.bottom > view.top - beyond && r.top < view.bottom + beyond) out.push(+m[0].slice(1));
	}
	return out;
})`

var numberedWord = regexp.MustCompile(`w(\d+)`)

// A file of plain text is one text for the browser. Its first 2,000 characters
// were all that a state ever told of it, however far down it was scrolled.
func TestLongTextsAreToldWhereTheyShow(t *testing.T) {
	const words = 1500
	var lines, prose strings.Builder
	for i := 1; i <= words; i++ {
		fmt.Fprintf(&lines, "w%d %s\n", i, strings.Repeat("log ", i%30))
		fmt.Fprintf(&prose, "w%d %s", i, strings.Repeat("prose ", i%30))
		if i > 300 && i < 500 {
			lines.WriteString("\n\n") // the lines are not spread evenly
		}
	}
	rows := []struct {
		name, html, scroll string
		lines              bool
	}{
		{"a file", `<pre id=d>` + lines.String() + `</pre>`, "scrollTo(0, %d)", true},
		{"a file whose lines wrap", `<pre id=d style="white-space:pre-wrap;width:200px">` + lines.String() + `</pre>`, "scrollTo(0, %d)", true},
		{"a message", `<div id=d style="white-space:pre-line">` + lines.String() + `</div>`, "scrollTo(0, %d)", true},
		{"a paragraph", `<p id=d>` + prose.String() + `</p>`, "scrollTo(0, %d)", false},
		{"a paragraph between others", `<div id=d>` + prose.String() + `<p>After</p></div>`, "scrollTo(0, %d)", false},
		{"a log in a box", `<pre id=d style="height:300px;overflow:auto;padding:9px">` + lines.String() + `</pre>`, "d.scrollTo(0, %d)", true},
	}
	pages := map[string]string{}
	for i, r := range rows {
		pages[fmt.Sprintf("/p%d", i)] = "<!doctype html>" + r.html
	}
	srv := serve(t, pages)
	s := newTestSession(t)
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if _, err := s.Navigate(testContext(t), fmt.Sprintf("%s/p%d", srv.URL, i)); err != nil {
				t.Fatal(err)
			}
			for _, to := range []int{0, 400, 9000, 1 << 20} {
				if _, err := Evaluate[any](testContext(t), s, fmt.Sprintf(row.scroll, to)+", 0"); err != nil {
					t.Fatal(err)
				}
				st := again(t, s, StateOptions{})
				told := toldWords(st)
				shown, err := Evaluate[[]int](testContext(t), s, seenWords+"(0)")
				if err != nil || len(shown) == 0 {
					t.Fatal(err, shown)
				}
				for _, n := range shown {
					if !told[n] {
						t.Fatalf("scrolled to %d: w%d shows and is not told; %d words show, %d are told", to, n, len(shown), len(told))
					}
				}
				around, err := Evaluate[[]int](testContext(t), s, seenWords+"(900)")
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range around {
					delete(told, n)
				}
				if len(told) > 0 {
					t.Errorf("scrolled to %d: words far away are told: %v", to, told)
				}
				if row.lines != strings.Contains(st.Text.String, "log\n") {
					t.Errorf("scrolled to %d: lines are kept: %v\n%.500s", to, !row.lines, st.Text.String)
				}
			}
			st := again(t, s, StateOptions{Full: true, Text: dom.TextOptions{Budget: 1 << 20}})
			if n := len(toldWords(st)); n != words {
				t.Errorf("of the whole page %d words of %d are told", n, words)
			}
		})
	}
}

func toldWords(st *State) map[int]bool {
	told := map[int]bool{}
	for _, m := range numberedWord.FindAllStringSubmatch(st.Text.String, -1) {
		n, _ := strconv.Atoi(m[1])
		told[n] = true
	}
	return told
}

// Code without its line ends says something else.
func TestCodeKeepsItsLines(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<!doctype html><p>Source
		that wraps</p><pre><code><span class=k>def</span> f(x):
    <span class=k>return</span> x

print(f(1))
</code></pre><div style="white-space:pre-wrap">First line
[1]&lt;button&gt;second line</div><table><tr><th>Note</th></tr><tr><td style="white-space:pre">one
two</td></tr></table><button style="white-space:pre">Two
rows</button>`})
	s := newTestSession(t)
	if _, err := s.Navigate(testContext(t), srv.URL); err != nil {
		t.Fatal(err)
	}
	st := again(t, s, StateOptions{})
	for _, want := range []string{
		"Source that wraps\n", "def f(x):\n", "return x\n", "print(f(1))\n", "First line\n", "[1]‹button>second line\n", "one two", ">Two rows",
	} {
		if !strings.Contains(st.Text.String+"\n", want) {
			t.Errorf("lacks %q:\n%s", want, st.Text.String)
		}
	}
	for _, l := range strings.Split(st.Text.String, "\n") {
		if strings.Contains(l, "def") && strings.Contains(l, "return") {
			t.Errorf("two lines are one: %s", l)
		}
	}
}

// A log of some MB keeps Chrome busy for seconds: with its lines, and then with
// every question about what lies where. The state asks few.
func TestHugeFileGivesAState(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<button>Top</button><pre id=d></pre><script>d.textContent = 'words and more\n'.repeat(250000)</script>`})
	s := patientSession(t)
	if _, err := s.Navigate(testContext(t), srv.URL); err != nil {
		t.Fatal(err)
	}
	for _, full := range []bool{false, true} {
		st := again(t, s, StateOptions{Full: full, Timeout: time.Minute})
		mustTarget(t, st, "Top")
		if n := strings.Count(st.Text.String, "words and more\n"); n < 40 {
			t.Errorf("full %v: %d lines", full, n)
		}
		if full != strings.Contains(st.Text.String, "characters of very long texts") {
			t.Errorf("full %v: says that the rest of the text is missing: %v", full, !full)
		}
	}
}
