package tools

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// To mark a passage one has to know where it lies, which the text of a page
// does not say.
func TestAPassageThatWasFoundCanBeSelected(t *testing.T) {
	h := newHand(t)
	h.show(`<div style="width:150px;font:16px/20px monospace;margin:30px">First   words. <p>Semper <b>montes,</b> a cras&shy;urna, morbi 🙂 pellentesque egestas.</p></div>
		<iframe style="border:3px solid;padding:5px" srcdoc="<body style='margin:10px'>inner words here"></iframe>`)
	for _, c := range []struct{ pattern, frame string }{
		{"Semper montes, a crasurna, morbi 🙂 pellentesque egestas.", ""},
		{"montes,", ""}, {"First words.", ""}, {"morbi 🙂 pellen", ""}, {"words here", "frames[0]."},
	} {
		text := h.do(fmt.Sprintf(`[{"search_page":{"pattern":%q}}]`, c.pattern))[0].Text
		m := regexp.MustCompile(`from (\d+),(\d+) to (\d+),(\d+)\)`).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no place in %s", text)
		}
		h.do(fmt.Sprintf(`[{"drag":{"from_x":%s,"from_y":%s,"to_x":%s,"to_y":%s}}]`, m[1], m[2], m[3], m[4]))
		got := h.eval(c.frame + `getSelection().toString()`)
		got = strings.Join(strings.Fields(strings.ReplaceAll(got, "\u00ad", "")), " ")
		if got != c.pattern {
			t.Errorf("a drag over %q selects %q", c.pattern, got)
		}
	}
}
