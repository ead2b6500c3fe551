package browser

import (
	"fmt"
	"strings"
	"testing"
)

// In a document of tens of thousands of elements neighbours share a hit test.
// What lies over them must be seen all the same.
func TestWhatCoversAVastTable(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<style>body{margin:0}td{height:20px;padding:0 20px}#foot{position:sticky;bottom:0;height:60px;background:#fff}
		#over{position:fixed;left:0;top:200px;width:600px;height:250px;background:#fff}</style><table>`)
	for i := range 6000 {
		fmt.Fprintf(&b, `<tr><td>row%d</td><td><a href="/r/%d">Open %d</a></td><td><button>Edit %d</button></td></tr>`, i, i, i, i)
	}
	b.WriteString(`</table><div id="foot"><a href="/help">Help</a></div>`)
	srv := serve(t, map[string]string{"/": b.String(), "/over": b.String() + `<div id="over"><button>Close</button></div>`})
	s := newTestSession(t)
	plain := look(t, s, srv.URL, StateOptions{})
	if plain.Page.Nodes < 20000 {
		t.Fatalf("only %d elements", plain.Page.Nodes)
	}
	rows := func(st *State, from, to int) (targets, texts int) {
		for _, e := range st.Page.Elements {
			if e.Bounds.Y < from || e.Bounds.Y+e.Bounds.H > to {
				continue
			}
			if e.Index != 0 && (strings.HasPrefix(e.Name, "Open") || strings.HasPrefix(e.Name, "Edit")) {
				targets++
			}
			if e.IsText() && strings.HasPrefix(e.Text, "row") {
				texts++
			}
		}
		return targets, texts
	}
	if targets, texts := rows(plain, 0, 730); targets < 60 || targets != 2*texts {
		t.Errorf("nothing covers them: %d targets beside %d texts", targets, texts)
	}
	mustTarget(t, plain, "Help")
	over := look(t, s, srv.URL+"/over", StateOptions{})
	mustTarget(t, over, "Close")
	// One test in 64 pixels: the first row under an edge may pass for free.
	if targets, texts := rows(over, 264, 450); targets != 0 || texts != 0 {
		t.Errorf("%d targets and %d texts below what covers them:\n%.2000s", targets, texts, over.Text.String)
	}
	all, _ := rows(plain, 0, 200)
	if targets, _ := rows(over, 0, 200); targets != all {
		t.Errorf("%d of %d targets above it", targets, all)
	}
	below, _ := rows(plain, 450, 730)
	if targets, _ := rows(over, 450, 730); targets != below {
		t.Errorf("%d of %d targets below it", targets, below)
	}
}
