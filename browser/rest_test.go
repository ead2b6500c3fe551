package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// The state after a click was the page in the middle of what the click began:
// a list without its rows, a panel that was still fading over the button.
func TestTheLookAfterAnActionShowsWhatCameOfIt(t *testing.T) {
	const html = `<title>rest</title><button id=go>Load</button><button id=off>Close</button><ul id=list></ul>
		<div id=panel style="position:fixed;inset:60px 0 0 0;background:#fff">A panel over everything</div>
		<p style="margin-top:80px"><button>Below</button></p>
		<script>
		go.onclick = async () => { list.innerHTML = await (await fetch('/rows')).text() }
		off.onclick = () => { let o = 1; const t = setInterval(() => { panel.style.opacity = (o -= 0.05); if (o <= 0) { clearInterval(t); panel.remove() } }, 20) }
		</script>`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/rows" {
			time.Sleep(1200 * time.Millisecond) // the server is slow
			w.Write([]byte("<li>First row</li>"))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(html))
	}))
	t.Cleanup(srv.Close)
	s := newTestSession(t)
	ctx := testContext(t)
	st := look(t, s, srv.URL, StateOptions{})
	if _, err := s.Click(ctx, mustTarget(t, st, "Load").Index, ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	if st = again(t, s, StateOptions{}); !strings.Contains(st.Text.String, "First row") {
		t.Errorf("the answer is not in the state:\n%s", st.Text.String)
	}
	if targetOf(t, st, "Below") != nil {
		t.Errorf("covered, and a target:\n%s", st.Text.String)
	}
	if _, err := s.Click(ctx, mustTarget(t, st, "Close").Index, ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	st = again(t, s, StateOptions{})
	if strings.Contains(st.Text.String, "panel") || targetOf(t, st, "Below") == nil {
		t.Errorf("the panel was still fading:\n%s", st.Text.String)
	}
}

// A picture that moves for ever kept the page from ever being called quiet.
func TestWhatMovesForEverIsNotWaitedForTwice(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<p id=p style="position:relative">x</p><button onclick="n.textContent='done'">Go</button><p id=n></p>
		<script>let i = 0; setInterval(() => { p.style.left = (i++ % 50) + 'px' }, 10)</script>`})
	s := newTestSession(t)
	ctx := testContext(t)
	st := look(t, s, srv.URL, StateOptions{})
	for range 3 {
		if _, err := s.WaitStable(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if settled, err := s.WaitStable(ctx); err != nil || settled.Loading {
		t.Errorf("never quiet: %+v %v", settled, err)
	}
	if _, err := s.Click(ctx, mustTarget(t, st, "Go").Index, ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	if st = again(t, s, StateOptions{}); !strings.Contains(st.Text.String, "done") {
		t.Errorf("no effect in the state:\n%s", st.Text.String)
	}
}
