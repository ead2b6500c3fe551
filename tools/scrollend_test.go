package tools

import (
	"strings"
	"testing"
)

// What is at its end does not move, and a clock that ticks beside it is no
// sign that it did.
func TestScrollThatMovesNothingSaysSo(t *testing.T) {
	const clock = `<p id=clock>0</p><script>setInterval(()=>clock.textContent=performance.now(),15)</script>`
	const box = `<div id=d tabindex=0 aria-label=box style="width:300px;height:200px;overflow:auto"><div style="width:900px;height:900px">x</div></div>` + clock
	const long = clock + `<div style="height:3000px">x</div>`
	checkFaults(t, []fault{
		{"a box at its bottom", box, `[{"scroll":{"index":«box»,"to":"bottom"}}]` + "\n" + `[{"scroll":{"index":«box»}}]`, "d.scrollTop+d.clientHeight>=d.scrollHeight-1", "true", []string{"bottom already"}, ""},
		{"a box at its top", box, `[{"scroll":{"index":«box»,"down":false}}]`, "d.scrollTop", "0", []string{"top already"}, ""},
		{"a box at its left end", box, `[{"scroll":{"index":«box»,"direction":"left"}}]`, "d.scrollLeft", "0", []string{"left end already"}, ""},
		{"the page at its bottom", long, `[{"scroll":{"to":"bottom"}},{"scroll":{}}]`, "", "", []string{"bottom already"}, ""},
		{"the page at its top", long, `[{"scroll":{"down":false}}]`, "scrollY", "0", []string{"top already"}, ""},
	})

	h := newHand(t)
	for name, html := range map[string]string{
		"a page that is shown whole": `<p>short</p>` + clock,
		"a page that hears the wheel": `<body style="margin:0;overflow:hidden"><div id=d style="height:90vh">x</div>
			<script>addEventListener('wheel',()=>d.textContent='turned')</script>`,
	} {
		h.show(html)
		if r := h.do(`[{"scroll":{}}]`)[0]; !strings.Contains(r.Text, "Nothing moved") || !strings.Contains(r.Text, "does not scroll") {
			t.Errorf("%s: %q does not say that nothing moved", name, r.Text)
		}
	}
	// A list that is at its end and loads more on the wheel did something.
	h.show(`<div id=d tabindex=0 aria-label=box style="height:200px;overflow:auto"><div style="height:900px">x</div></div>
		<script>d.onwheel=()=>d.insertAdjacentHTML('beforeend','<div style="height:400px">more</div>')</script>`)
	h.do(`[{"scroll":{"index":«box»,"to":"bottom"}}]`)
	if r := h.do(`[{"scroll":{"index":«box»}}]`)[0]; !strings.Contains(r.Text, "bottom already") || !strings.Contains(effects(r), "below") {
		t.Errorf("a list that grew: %q, effects %q", r.Text, effects(r))
	}
}
