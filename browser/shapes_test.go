package browser

import (
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// A triangle, a slanted line, an outline and an empty white swatch were told
// as boxes that could be anything; what a drawing keeps folded up to nothing
// was told as if it could be seen.
func TestShapesAreToldByWhatTellsThemApart(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<title>shapes</title><body style="margin:0">
		<svg width=200 height=200 style="display:block">
			<polygon points="10,50 60,50 35,10" fill=red onclick="1"></polygon>
			<line x1=100 y1=90 x2=180 y2=20 stroke=blue stroke-width=2></line>
			<rect x=100 y=120 width=40 height=30 fill=none stroke=black></rect>
			<rect x=150 y=120 width=40 height=30 fill=purple></rect>
			<g transform="translate(0 100) scale(2)"><polyline points="5,10 20,40 30,10" fill=none stroke=green></polyline></g>
			<circle cx=70 cy=70 r=0.2 fill=olive></circle>
			<path d="" fill=gray></path>
		</svg>
		<div onclick="1" style="width:30px;height:30px;background:#fff;border:1px solid"></div>
		<div onclick="1" style="width:30px;height:30px;background:lime;border:1px solid"></div>`})
	s := newTestSession(t)
	st := look(t, s, srv.URL, StateOptions{})
	for _, want := range []string{
		`<polygon fill=red points="10,50 60,50 35,10"`, `<line stroke=blue points="100,90 180,20"`,
		`<rect stroke=black @`, `<rect fill=purple @`, `<polyline stroke=green points="10,120 40,180 60,120"`, `<div bg=white`, `<div bg=green`,
	} {
		if !strings.Contains(st.Text.String, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, not := range []string{"olive", "<path", "gray"} {
		if strings.Contains(st.Text.String, not) {
			t.Errorf("%s is shown, which nobody sees", not)
		}
	}
	plain := look(t, s, srv.URL, StateOptions{Text: dom.TextOptions{Boxes: dom.BoxesOff}})
	if !strings.Contains(plain.Text.String, "<polygon fill=red corners=3>") {
		t.Errorf("without boxes a triangle has no corners:\n%s", plain.Text.String)
	}
	if t.Failed() {
		t.Log(st.Text.String)
	}
}

// A live region that its container cuts off made the whole page unreadable.
func TestWhatIsCutOffBreaksNothing(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<div style="overflow:hidden;height:80px;position:relative"><button>Here</button>
		<div role=status aria-live=polite style="overflow:hidden;position:absolute;top:400px;width:30px;height:30px"><div>2 results</div></div></div>`})
	s := newTestSession(t)
	mustTarget(t, look(t, s, srv.URL, StateOptions{}), "Here")
}
