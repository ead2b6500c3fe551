package browser

import (
	_ "embed"
	"fmt"
	"testing"

	"github.com/seed-4bdb41d0/webhand/dom"
)

//go:embed testdata/oracle.js
var oracleJS string

// Everything an independent account finds usable in the viewport is a target,
// and hardly anything else is.
func TestTargetsInViewAgainstAnOracle(t *testing.T) {
	srv := serveGenerated(t)
	s := newTestSession(t)
	wanted, found, listed := 0, 0, 0
	for _, name := range []string{"small", "listing", "nested"} {
		st := look(t, s, srv.URL+"/"+name, StateOptions{})
		oracle, err := Evaluate[[]string](testContext(t), s, oracleJS)
		if err != nil {
			t.Fatal(err)
		}
		have := make(map[string]int)
		for i := range st.Page.Elements {
			e := &st.Page.Elements[i]
			if e.Index > 0 && e.State.Has(dom.InView) && !e.State.Has(dom.Disabled) {
				have[fmt.Sprintf("%s %d %d %d %d", e.Tag, e.Bounds.X, e.Bounds.Y, e.Bounds.W, e.Bounds.H)]++
				listed++
			}
		}
		for _, o := range oracle {
			wanted++
			if have[o] > 0 {
				have[o]--
				found++
			} else {
				t.Errorf("%s: %s can be used and is not listed", name, o)
			}
		}
		if len(oracle) < 15 {
			t.Errorf("%s: the oracle finds only %d", name, len(oracle))
		}
		for k, n := range have {
			if n > 0 {
				t.Logf("%s: %s is listed and the oracle does not know it", name, k)
			}
		}
	}
	if listed > 0 && float64(found)/float64(listed) < 0.98 {
		t.Errorf("precision %d of %d", found, listed)
	}
	t.Logf("%d of %d usable elements listed, %d listed in all", found, wanted, listed)

	// Cross-site frames and a closed root, counted by hand: three outside,
	// one in the closed root, five in each frame.
	st := look(t, s, srv.URL+"/cross", StateOptions{})
	if n := st.Page.Targets(); n != 14 {
		t.Errorf("mixed page: %d of 14 targets:\n%s", n, st.Text.String)
	}
}
