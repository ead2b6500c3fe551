package browser

import (
	goflag "flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"

	"github.com/seed-4bdb41d0/webhand/dom"
)

var updateWire = goflag.Bool("update-wire", false, "rewrite the captures in dom/testdata, then run go test ./dom -update")

// The captures that dom's golden texts are made of are what the walker writes
// today: a text told from a fresh walk is the golden one.
func TestGoldenCapturesAreTheWalkers(t *testing.T) {
	srv := serveGenerated(t)
	s := newTestSession(t)
	for _, name := range []string{"small", "nested"} {
		if _, err := s.Navigate(testContext(t), srv.URL+"/"+name); err != nil {
			t.Fatal(err)
		}
		st := again(t, s, StateOptions{})
		data := rawWalk(t, s)
		c, err := dom.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		got := dom.Build(c, nil, nil).Text(dom.TextOptions{}).String
		if *updateWire {
			wire := strings.ReplaceAll(string(data), srv.URL, "http://127.0.0.1:1")
			if err := os.WriteFile(filepath.Join("..", "dom", "testdata", name+".wire"), []byte(strings.ReplaceAll(wire, c.Token, "tok")), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(filepath.Join("..", "dom", "testdata", name+".default.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if got+"\n" != string(want) {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
		if n := strings.Count(st.Text.String, "\n"); n != strings.Count(got, "\n") {
			t.Errorf("%s: the session tells it in %d lines", name, n+1)
		}
	}
}

// rawWalk is a default walk as it comes off the wire.
func rawWalk(t *testing.T, s *Session) []byte {
	t.Helper()
	tab, err := s.active(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	fc := tab.captures.frames[tab.main]
	var raw jsonv2.Value
	if err := fc.evaluate(dom.WalkOptions{}.Expression(), true).wait(testContext(t), &raw); err != nil {
		t.Fatal(err)
	}
	value, err := remoteValue(raw)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// What Go makes of a page of 10,000 nodes, all of it, is a bounded number of
// allocations, not one for each element.
func TestAllocationsDoNotGrowWithThePage(t *testing.T) {
	srv := serveGenerated(t)
	s := newTestSession(t)
	if _, err := s.Navigate(testContext(t), srv.URL+"/listing"); err != nil {
		t.Fatal(err)
	}
	look := again(t, s, StateOptions{Full: true})
	if look.Page.Nodes < 9_000 {
		t.Fatalf("%d elements", look.Page.Nodes)
	}
	var parts [][]byte
	expr := dom.WalkOptions{Full: true}.Expression()
	for i := 1; expr != ""; i++ {
		parts = append(parts, []byte(rawEvaluate(t, s, expr)))
		expr = ""
		if i < dom.Parts(parts[0]) {
			expr = dom.PartExpression(i)
		}
	}
	numbers := &dom.Numbering{}
	made := testing.AllocsPerRun(5, func() {
		c, err := dom.Decode(parts[0], parts[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		if dom.Build(c, nil, numbers).Text(dom.TextOptions{}).Tokens == 0 {
			t.Error("nothing told")
		}
	})
	t.Logf("%.0f allocations, of %d elements", made, look.Page.Nodes)
	if made > 2000 {
		t.Errorf("%.0f allocations", made)
	}
}
