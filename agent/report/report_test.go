package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// One Chrome serves the package; each test gets a session of its own.
var chrome struct {
	sync.Once
	b   *browser.Browser
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chrome.b != nil {
		_ = chrome.b.Close()
	}
	os.Exit(code)
}

func session(t testing.TB) *browser.Session {
	t.Helper()
	chrome.Do(func() { chrome.b, chrome.err = browser.Launch(context.Background(), browser.Config{}) })
	if chrome.err != nil {
		t.Fatal(chrome.err)
	}
	s, err := chrome.b.NewSession(context.Background(), browser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// sample is a history of n steps with a screenshot each.
func sample(t testing.TB, n int) *agent.History {
	t.Helper()
	dir := t.TempDir()
	h := &agent.History{
		AgentID: "a1", Model: "test-model", Dir: dir,
		Tasks: []agent.TaskRun{{
			Task:    "Buy the blue mug <script>alert(1)</script> and tell me the order number",
			Outcome: agent.Outcome{End: agent.EndDone, Success: true, Final: "WH-1001"},
		}},
		Usage: agent.Usage{Calls: n, Tokens: llm.Usage{Input: 1000 * n, Cached: 700 * n, Output: 50 * n}},
	}
	var pictures [20][]byte // drawing them takes longer than anything else
	for i := 1; i <= n; i++ {
		name := fmt.Sprintf("step_%03d.png", i)
		if i <= 20 {
			pictures[i%20] = screen(t, i)
		}
		if err := os.WriteFile(filepath.Join(dir, name), pictures[i%20], 0o600); err != nil {
			t.Fatal(err)
		}
		started := time.Date(2026, 11, 29, 12, 0, i, 0, time.UTC)
		s := &agent.Step{
			Number: i, Status: agent.StepOK, Started: started, Ended: started.Add(900 * time.Millisecond),
			Page: agent.Page{
				URL: "https://shop.test/p?step=" + fmt.Sprint(i), Title: "Shop", Screenshot: name,
				Text: `[1]<button>Buy <img src=x onerror="fetch('/leak')">`,
			},
			Answer: &agent.Answer{Thinking: "I see </script><b>bold</b>", Memory: "on page " + fmt.Sprint(i), NextGoal: "Click the buy button of step " + fmt.Sprint(i)},
			Usage:  llm.Usage{Input: 1000, Output: 50},
			Timing: agent.Timing{Observe: 40, Model: 700, Act: 120, Total: 900},
			Actions: []agent.Action{{
				Name: "click", Args: json.RawMessage(`{"index":1}`), ElementText: `<button> "Buy"`,
				Element: json.RawMessage(`{"bounds":[320,200,128,40]}`),
				Result:  &registry.Result{Text: "Clicked", Effects: []string{"opened https://shop.test/cart"}},
				Millis:  120,
			}},
		}
		if i == 2 {
			s.Status, s.Error = agent.StepFailed, "the button is covered by <div id=cookie>"
			s.Actions[0].Result = &registry.Result{Error: "covered by a cookie banner"}
		}
		h.Steps = append(h.Steps, s)
	}
	return h
}

// screen draws something that compresses about as badly as a real page.
func screen(t testing.TB, seed int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 1280, 800))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{250, 250, 248, 255}), image.Point{}, draw.Src)
	face, err := newTypeface(15)
	if err != nil {
		t.Fatal(err)
	}
	for y := 60; y < 780; y += 22 {
		face.draw(img, 40+(seed*37+y)%200, y, strings.Repeat("Lorem ipsum dolor sit amet ", 1+(seed+y)%4), color.RGBA{uint8(y / 4), uint8(seed * 9), 60, 255})
	}
	draw.Draw(img, image.Rect(320, 200, 448, 240), image.NewUniform(color.RGBA{15, 118, 110, 255}), image.Point{}, draw.Src)
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestReportOpensOfflineAndShowsTheRun(t *testing.T) {
	var page bytes.Buffer
	if err := HTML(&page, sample(t, 3), HTMLOptions{Cost: "$0.01"}); err != nil {
		t.Fatal(err)
	}
	var others atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/report" {
			others.Add(1)
			t.Errorf("the report asked for %s", r.URL)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes())
	}))
	defer srv.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s := session(t)
	// What the browser has to complain of, from before the page is there.
	watch := `window.__complaints = []; addEventListener("error", (e) => __complaints.push(String(e.message)), true);
		addEventListener("securitypolicyviolation", (e) => __complaints.push(e.violatedDirective + " " + e.blockedURI));
		for (const k of ["error", "warn"]) console[k] = (...a) => __complaints.push(a.join(" "));`
	if err := s.Call(ctx, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": watch}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Navigate(ctx, srv.URL+"/report"); err != nil {
		t.Fatal(err)
	}
	type seen struct {
		Steps, Images, Boxes, Bars, Visible, Scripts int
		Outcome, H1                                  string
		Bold                                         int
	}
	look := `(() => {
		const n = (q) => document.querySelectorAll(q).length;
		return {
			Steps: n("article.step"), Images: [...document.images].filter(i => i.complete && i.naturalWidth > 0).length,
			Boxes: n(".boxes rect"), Bars: n("#chart rect"), Scripts: n("script"), Bold: n("dd b, pre img"),
			Visible: [...document.querySelectorAll("article.step")].filter(s => s.checkVisibility()).length,
			Outcome: document.getElementById("outcome").textContent, H1: document.querySelector("h1").textContent,
		};
	})()`
	// Pictures are decoded lazily: scroll through the page first.
	if _, err := browser.Evaluate[any](ctx, s, `(async () => { for (const i of document.images) { i.loading = "eager"; await i.decode(); } })()`); err != nil {
		t.Fatal(err)
	}
	got, err := browser.Evaluate[seen](ctx, s, look)
	if err != nil {
		t.Fatal(err)
	}
	want := seen{Steps: 3, Images: 3, Boxes: 3, Bars: 15, Visible: 3, Scripts: 1, Outcome: "done, successful", H1: "Buy the blue mug <script>alert(1)</script> and tell me the order number"}
	if got != want {
		t.Errorf("page = %+v\nwant   %+v", got, want)
	}
	if _, err := browser.Evaluate[any](ctx, s, `(() => { const q = document.getElementById("q"); q.value = "covered"; q.dispatchEvent(new Event("input")); })()`); err != nil {
		t.Fatal(err)
	}
	if got, err := browser.Evaluate[seen](ctx, s, look); err != nil || got.Visible != 1 {
		t.Errorf("search shows %d steps, %v; want the one with the word", got.Visible, err)
	}
	if bad, err := browser.Evaluate[[]string](ctx, s, "__complaints"); err != nil || len(bad) > 0 {
		t.Errorf("the browser complains: %q, %v", bad, err)
	}
	if n := others.Load(); n != 0 {
		t.Errorf("%d requests left the report", n)
	}
}

func TestLongReportStaysSmall(t *testing.T) {
	var page bytes.Buffer
	if err := HTML(&page, sample(t, 100), HTMLOptions{}); err != nil {
		t.Fatal(err)
	}
	if page.Len() > 15<<20 {
		t.Errorf("a report of 100 steps has %d bytes, want at most 15 MiB", page.Len())
	}
}

func TestGIFShowsTaskAndSteps(t *testing.T) {
	h := sample(t, 4)
	h.Tasks[0].Task = "请在商店里购买蓝色的杯子并告诉我订单号，谢谢。" + strings.Repeat("价格应低于二十欧元。", 12) + " 주문 번호"
	var buf bytes.Buffer
	if err := GIF(&buf, h, GIFOptions{}); err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(buf.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Image) != 5 || g.Config.Width != 800 || g.Config.Height != 500 {
		t.Fatalf("%d frames of %dx%d, want 5 of 800x500", len(g.Image), g.Config.Width, g.Config.Height)
	}
	if name := os.Getenv("WEBHAND_KEEP_GIF"); name != "" {
		if err := os.WriteFile(name, buf.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGIFWithoutScreenshotsSaysSo(t *testing.T) {
	h := sample(t, 1)
	h.Steps[0].Page.Screenshot = ""
	if err := GIF(&bytes.Buffer{}, h, GIFOptions{}); !errors.Is(err, ErrNoScreenshots) {
		t.Fatalf("err = %v", err)
	}
}

func TestScreenshotNamesCannotLeaveTheFolder(t *testing.T) {
	h := sample(t, 1)
	h.Steps[0].Page.Screenshot = "../../etc/passwd"
	if err := GIF(&bytes.Buffer{}, h, GIFOptions{}); err == nil || !strings.Contains(err.Error(), "within the history's folder") {
		t.Fatalf("err = %v", err)
	}
}

func TestTextWithoutSpacesIsWrappedByRune(t *testing.T) {
	face, err := newTypeface(24)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{
		strings.Repeat("汉字", 60), strings.Repeat("ひらがな", 30), strings.Repeat("x", 300), "한국어 문장은 띄어쓰기가 있습니다 " + strings.Repeat("가나다", 40),
	} {
		for _, l := range face.wrap(s, 400, 100) {
			if w := face.width(l); w > 400 {
				t.Errorf("line %q is %d pixels wide, want at most 400", l, w)
			}
		}
		if got := strings.Join(face.wrap(s, 400, 100), ""); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(s, " ", "") {
			t.Errorf("wrapping lost text: %q", got)
		}
	}
	if lines := face.wrap(strings.Repeat("word ", 200), 300, 3); len(lines) != 3 || !strings.HasSuffix(lines[2], "...") {
		t.Errorf("cut text is not marked: %q", lines)
	}
}

func TestLiveViewServesOnlyThisMachine(t *testing.T) {
	l := NewLive(HTMLOptions{})
	l.Update(sample(t, 2))
	get := func(host, origin string) int {
		r := httptest.NewRequest("GET", "http://"+host+"/", nil)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		w := httptest.NewRecorder()
		l.ServeHTTP(w, r)
		return w.Code
	}
	for _, tt := range []struct {
		host, origin string
		want         int
	}{
		{"127.0.0.1:8080", "", 200},
		{"localhost:8080", "http://localhost:8080", 200},
		{"[::1]:8080", "", 200},
		{"evil.test", "", 403},
		{"127.0.0.1.evil.test:8080", "", 403},
		{"127.0.0.1:8080", "http://evil.test", 403},
		{"127.0.0.1:8080", "http://127.0.0.1:9090", 403},
		{"127.0.0.1:8080", "null", 403},
	} {
		if got := get(tt.host, tt.origin); got != tt.want {
			t.Errorf("host %q, origin %q: status %d, want %d", tt.host, tt.origin, got, tt.want)
		}
	}
}

func TestLiveViewFollowsTheRun(t *testing.T) {
	l := NewLive(HTMLOptions{})
	l.Update(sample(t, 1))
	srv := httptest.NewServer(l)
	t.Cleanup(srv.Close) // after the session, whose event stream it waits for
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s := session(t)
	if _, err := s.Navigate(ctx, srv.URL); err != nil {
		t.Fatal(err)
	}
	steps := func() int {
		n, err := browser.Evaluate[int](ctx, s, `document.querySelectorAll("article.step").length`)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := steps(); n != 1 {
		t.Fatalf("%d steps at first", n)
	}
	l.Update(sample(t, 3))
	for steps() != 3 {
		if ctx.Err() != nil {
			t.Fatal("the page did not follow the run")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func BenchmarkGIF20Steps(b *testing.B) {
	h := sample(b, 20)
	var size int
	for b.Loop() {
		var buf bytes.Buffer
		if err := GIF(&buf, h, GIFOptions{}); err != nil {
			b.Fatal(err)
		}
		size = buf.Len()
	}
	b.ReportMetric(float64(size), "bytes")
}

func BenchmarkReport100Steps(b *testing.B) {
	h := sample(b, 100)
	var size int
	for b.Loop() {
		var buf bytes.Buffer
		if err := HTML(&buf, h, HTMLOptions{}); err != nil {
			b.Fatal(err)
		}
		size = buf.Len()
	}
	b.ReportMetric(float64(size), "bytes")
}

func TestReplaysAreShownAsSuch(t *testing.T) {
	h := sample(t, 2)
	h.Replay = &agent.ReplayReport{Result: agent.ReplayPartial, Heals: 1}
	h.Steps[0].Actions[0].Match = "stable"
	h.Usage.Cost, h.Usage.Priced = 0.0123, true
	var page bytes.Buffer
	if err := HTML(&page, h, HTMLOptions{NoImages: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"partial, 1 healed", "found by stable", "$0.0123"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// BenchmarkReport100StepsOpens measures from the request to the page's load
// event, pictures decoded as they come into view.
func BenchmarkReport100StepsOpens(b *testing.B) {
	var page bytes.Buffer
	if err := HTML(&page, sample(b, 100), HTMLOptions{}); err != nil {
		b.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes())
	}))
	defer srv.Close()
	s := session(b)
	var ms float64
	n := 0
	for b.Loop() {
		if _, err := s.Navigate(b.Context(), srv.URL+"/?"+fmt.Sprint(n)); err != nil {
			b.Fatal(err)
		}
		t, err := browser.Evaluate[float64](b.Context(), s, `new Promise((r) => { const look = () => { const t = performance.getEntriesByType("navigation")[0]; t.loadEventEnd ? r(t.loadEventEnd) : setTimeout(look, 20); }; look(); })`)
		if err != nil {
			b.Fatal(err)
		}
		ms += t
		n++
	}
	b.ReportMetric(ms/float64(n), "load-ms")
	b.ReportMetric(float64(page.Len()), "bytes")
}
