package browser

import (
	goflag "flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/dom"
)

var (
	randomPages = goflag.Int("random-pages", 12, "how many random pages to look at")
	randomFrom  = goflag.Uint64("random-from", 1, "the seed of the first")
)

// pageMaker writes pages in which everything stands in everything: what HTML
// does not allow, what no browser does anything with, what nobody meant.
type pageMaker struct {
	*rand.Rand
	b     strings.Builder
	nodes int
}

func newPage(seed uint64) string {
	m := &pageMaker{Rand: rand.New(rand.NewPCG(seed, 7))}
	for range 6 {
		m.node(7)
	}
	return m.b.String()
}

func (m *pageMaker) one(of []string) string { return of[m.IntN(len(of))] }

var (
	randomTags = strings.Fields(`div div div span span span p p a a button button label label input input input select select textarea
		ul ol li li dl dt dd table table tr tr td td th caption thead colgroup form fieldset legend details summary dialog nav main section
		article h1 h3 pre code blockquote img svg svg canvas video audio iframe object embed map area option option optgroup datalist
		progress meter output slot template x-el ruby rt math noscript menu hr br wbr b i center marquee search address picture source
		circle g text foreignObject style script figure figcaption #shadow #shadow`)
	randomTexts = []string{
		"word", "two words", "", " ", "\n", "a\nb", "\u202ertl", "語", "\u00a0", "<b", "&lt;tag&gt;", "x^y|z", "💥", "one\n\n two ",
		strings.Repeat("long ", 600), "]]>", "[1]",
	}
	randomAttributes = strings.Split(`id=a|id=b|class=active|class="btn disabled"|class="fa fa-star"|role=button|role=listbox|role=option|`+
		`role=dialog|role=row|role=grid|role=tab|role=presentation|role=checkbox|role=""|role="foo button"|aria-label=Name|aria-label=""|`+
		`aria-labelledby="a b missing"|aria-labelledby=a|aria-hidden=true|aria-expanded=true|aria-checked=mixed|aria-disabled=true|aria-owns=b|`+
		`aria-controls=a|aria-activedescendant=b|tabindex=0|tabindex=-1|tabindex=x|contenteditable|contenteditable=false|draggable=true|`+
		`onclick="1"|ondragstart=1|inert|hidden|hidden=until-found|popover|popovertarget=a|title=T|title=""|href=#|href="javascript:1"|`+
		`href="http://["|href=""|for=a|for=missing|type=checkbox|type=radio|type=file|type=hidden|type=date|type=range|type=color|`+
		`type=password|type=image|type=submit|value=v|value=""|multiple|size=3|disabled|readonly|required|checked|selected|open|`+
		`usemap="#m"|name=m|name=n|list=a|slot=s|dir=auto|nonce=x|data-testid=t|maxlength=3|placeholder=P|alt=A|alt=""|src=""|controls|`+
		`autofocus|form=a|coords="0,0,9,9"|shape=rect|colspan=2|rowspan=99|headers=a|accesskey=k|part=p|xlink:href="#a"|rows=2|min=1|max=5`, "|")
	randomStyles = strings.Split(`display:none|display:contents|display:flex|display:grid|display:inline-block|display:table|`+
		`display:table-cell|visibility:hidden|opacity:0|overflow:auto;height:40px|overflow:hidden;height:0|position:fixed;top:0|`+
		`position:absolute;left:-999px|position:sticky;top:0|transform:scale(0)|transform:rotate(30deg)|white-space:pre-wrap|`+
		`white-space:nowrap|cursor:pointer|pointer-events:none|float:left|columns:2|writing-mode:vertical-rl|content-visibility:hidden|`+
		`content-visibility:auto|clip-path:inset(50%)|zoom:2|font-size:0|background:red|width:1px;height:1px;overflow:hidden|`+
		`display:list-item|display:ruby|contain:strict|direction:rtl|position:relative;z-index:-1`, "|")
)

func (m *pageMaker) attributes() string {
	var b strings.Builder
	for range m.IntN(4) {
		b.WriteString(" " + m.one(randomAttributes))
	}
	if m.IntN(3) == 0 {
		b.WriteString(` style="` + m.one(randomStyles) + `"`)
	}
	return b.String()
}

func (m *pageMaker) node(depth int) {
	m.nodes++
	if depth == 0 || m.nodes > 220 || m.IntN(100) < 15 {
		m.b.WriteString(m.one(randomTexts))
		return
	}
	switch tag := m.one(randomTags); {
	case tag == "#shadow":
		fmt.Fprintf(&m.b, `<div%s><template shadowrootmode=%s>`, m.attributes(), m.one([]string{"open", "closed"}))
		m.node(depth - 1)
		m.b.WriteString("<slot></slot><slot name=s></slot></template>")
		m.node(depth - 1)
		m.b.WriteString("</div>")
	case tag == "style" || tag == "script":
		fmt.Fprintf(&m.b, "<%s></%s>", tag, tag) // what follows would be its text
	case tag == "iframe" && m.IntN(3) > 0:
		fmt.Fprintf(&m.b, `<iframe%s srcdoc="<button>In</button><input inert><p>words"></iframe>`, m.attributes())
	default:
		fmt.Fprintf(&m.b, "<%s%s>", tag, m.attributes())
		for range m.IntN(5) {
			m.node(depth - 1)
		}
		fmt.Fprintf(&m.b, "</%s>", tag)
	}
}

// One element that the walk had not thought of (an empty field in an inert part,
// a <select> in a drawing) was enough for no state at all to come of a page.
func TestRandomPagesGiveAState(t *testing.T) {
	var page string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><body>" + page))
	}))
	t.Cleanup(srv.Close)
	s := newTestSession(t)
	for seed := *randomFrom; seed < *randomFrom+uint64(*randomPages); seed++ {
		page = newPage(seed)
		ctx := testContext(t)
		look(t, s, srv.URL, StateOptions{})
		if _, err := s.Markdown(ctx, dom.MarkdownOptions{}); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if _, _, err := s.SearchText(ctx, SearchOptions{Pattern: "word"}); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if _, err := s.ScrollToText(ctx, "no such words", 1); err == nil || strings.Contains(err.Error(), "script") {
			t.Errorf("seed %d: %v", seed, err)
		}
		st := again(t, s, StateOptions{Full: true})
		found := 0
		for i := range st.Page.Elements {
			x := st.Page.Elements[i].Index
			if x == 0 || found == 5 {
				continue
			}
			found++
			want, err := s.Identify(ctx, x)
			if err != nil {
				t.Errorf("seed %d: identify %d: %v", seed, x, err)
				continue
			}
			if got, level, err := s.Relocate(ctx, want); err != nil || got != x {
				t.Errorf("seed %d: %d is found again as %d by %s: %v\n%+v\n%s", seed, x, got, level, err, want, again(t, s, StateOptions{Full: true, Text: dom.TextOptions{Budget: 1 << 20, Boxes: dom.BoxesOff}}).Text.String)
			}
		}
		if t.Failed() {
			t.Fatalf("again with -random-from %d -random-pages 1", seed)
		}
	}
}

// What XML or a drawing calls <select> has no options.
func TestForeignElementsAreNoFields(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<button>Save</button><svg width=300 height=200 id=s></svg><script>
		for (const ns of ['http://www.w3.org/2000/svg', 'http://www.w3.org/1998/Math/MathML', '']) {
			for (const tag of ['select', 'input', 'textarea', 'option', 'label', 'form', 'details', 'meter', 'area', 'map', 'img', 'video', 'slot', 'iframe', 'dialog', 'button', 'object', 'canvas']) {
				const el = document.createElementNS(ns, tag);
				el.setAttribute('tabindex', '0');
				el.setAttribute('usemap', '#m');
				el.append('Words');
				(ns.includes('svg') ? s : document.body).append(el);
			}
		}</script>`})
	s := newTestSession(t)
	for _, full := range []bool{false, true} {
		mustTarget(t, look(t, s, srv.URL, StateOptions{Full: full}), "Save")
	}
	if _, err := s.Markdown(testContext(t), dom.MarkdownOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := s.ScrollToText(testContext(t), "no such words", 1); err == nil || strings.Contains(err.Error(), "script") {
		t.Error(err)
	}
	st := again(t, s, StateOptions{Full: true})
	for i := range st.Page.Elements {
		x := st.Page.Elements[i].Index
		if tag := st.Page.Elements[i].Tag; tag != "x-select" && tag != "x-input" && tag != "x-label" {
			continue
		}
		for what, err := range map[string]error{
			"options": func() error { _, err := s.Options(testContext(t), x); return err }(),
			"input":   func() error { _, err := s.Input(testContext(t), x, "words", InputOptions{}); return err }(),
		} {
			if err != nil && strings.Contains(err.Error(), "script") {
				t.Errorf("%s of <%s>: %v", what, st.Page.Elements[i].Tag, err)
			}
		}
	}
}
