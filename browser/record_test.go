package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestHARHoldsWhatWasLoaded(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "s3cret"})
		html(`<script>fetch('/data?q=1', {headers: {Authorization: 'Bearer s3' + 'cret'}}).then((r) => r.text()).then((x) => document.title = x)</script>`)(w, r)
	})
	mux.HandleFunc("/hop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })
	mux.HandleFunc("/data", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the data") })
	url := serveMux(t, mux)
	file := filepath.Join(t.TempDir(), "run.har")
	s := downloadSession(t, Config{HAR: file, HARBodies: true})
	if _, err := s.Navigate(testContext(t), url+"/hop"); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { return mustEval[string](t, s, `document.title`) == "the data" })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Log struct {
			Version string
			Pages   []struct{ ID string }
			Entries []struct {
				Pageref, StartedDateTime string
				Request                  struct{ Method, URL string }
				Response                 struct {
					Status      int
					RedirectURL string
					Content     struct{ Text, MimeType string }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range got.Log.Entries {
		if _, err := time.Parse(time.RFC3339, e.StartedDateTime); err != nil || e.Pageref != got.Log.Pages[0].ID {
			t.Errorf("entry %+v: %v", e, err)
		}
		lines = append(lines, fmt.Sprint(e.Request.Method, " ", strings.TrimPrefix(e.Request.URL, url), " ", e.Response.Status))
		if strings.HasSuffix(e.Request.URL, "/data?q=1") && e.Response.Content.Text != "the data" {
			t.Errorf("content = %+v", e.Response.Content)
		}
	}
	all := strings.Join(lines, "\n")
	for _, want := range []string{"GET /hop 302", "GET / 200", "GET /data?q=1 200"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in:\n%s", want, all)
		}
	}
	if got.Log.Version != "1.2" || strings.Contains(string(raw), "s3cret") {
		t.Error("the file is of the wrong version or holds a secret")
	}
}

// What a session asks for by itself, to load and to save its storage, is not
// among what its pages asked for.
func TestHAROfASessionWithStorage(t *testing.T) {
	url := serveMux(t, loginSite())
	dir := t.TempDir()
	cfg := Config{HAR: filepath.Join(dir, "run.har"), StorageFile: filepath.Join(dir, "state.json")}
	for range 2 {
		s := downloadSession(t, cfg)
		ctx := testContext(t)
		if _, err := s.Navigate(ctx, url+"/login"); err != nil {
			t.Fatal(err)
		}
		// Another origin, so that saving has to ask for the first.
		if _, err := s.Navigate(ctx, strings.Replace(url, "127.0.0.1", "localhost", 1)+"/other"); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(cfg.HAR)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Log struct {
				Browser struct{ Name, Version string }
				Entries []struct {
					Request  struct{ URL string }
					Response struct{ Content struct{ Size int } }
				}
			}
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, e := range got.Log.Entries {
			if strings.HasSuffix(e.Request.URL, "/favicon.ico") {
				continue
			}
			paths = append(paths, e.Request.URL[strings.LastIndex(e.Request.URL, "/"):])
			if e.Response.Content.Size == 0 {
				t.Errorf("%s has no size", e.Request.URL)
			}
		}
		if s := strings.Join(paths, " "); s != "/login /other" {
			t.Errorf("entries: %s", s)
		}
		if got.Log.Browser.Version == "" {
			t.Error("the browser's version is missing")
		}
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func TestConsoleIsReportedWhenAskedFor(t *testing.T) {
	var out lockedBuffer
	page := html(`<script>console.log('hello', 42, {a: 1}); console.error('bad thing'); setTimeout(() => { throw new Error('oops') })</script>`)
	s := downloadSession(t, Config{Console: true, ConsoleLog: &out})
	url := serveMux(t, page)
	if _, err := s.Navigate(testContext(t), url); err != nil {
		t.Fatal(err)
	}
	waitEvent(t, s, is(func(e ConsoleError) bool {
		return e.Text == "bad thing" && e.Line == 1 && strings.HasPrefix(e.URL, url)
	}))
	waitEvent(t, s, is(func(e ConsoleError) bool { return strings.Contains(e.Text, "oops") }))
	waitUntil(t, func() bool { return strings.Contains(out.String(), "log hello 42 Object") })

	quiet := newTestSession(t)
	if _, err := quiet.Navigate(testContext(t), url); err != nil {
		t.Fatal(err)
	}
	for _, ev := range quiet.TakeEvents() {
		if _, ok := ev.(ConsoleError); ok {
			t.Errorf("reported without being asked: %v", ev)
		}
	}
}

func TestScreencastFollowsTheCurrentTab(t *testing.T) {
	s, url := open(t, html(`<style>body{background:red}</style><script>setInterval(() => { document.body.style.background = '#' + Math.floor(Math.random()*4095).toString(16).padStart(3, '0') }, 30)</script>`))
	ctx := testContext(t)
	first := s.Tabs()[0].ID
	seen := make(map[string]int)
	var last time.Time
	for f, err := range s.Screencast(ctx, ScreencastOptions{MaxWidth: 320}) {
		if err != nil {
			t.Fatal(err)
		}
		img, err := jpeg.DecodeConfig(bytes.NewReader(f.Image))
		if err != nil || img.Width > 320 || img.Width == 0 {
			t.Fatalf("frame: %+v, %v", img, err)
		}
		if f.Time.Before(last) && f.Tab == first {
			t.Errorf("frames go back in time")
		}
		last = f.Time
		seen[f.Tab]++
		if f.Tab == first && seen[first] == 3 {
			if _, err := s.NewTab(ctx, url); err != nil {
				t.Fatal(err)
			}
		}
		if f.Tab != first && seen[f.Tab] == 2 {
			break
		}
	}
	if seen[first] < 3 || len(seen) != 2 {
		t.Fatalf("frames by tab: %v", seen)
	}
}

// A reader that takes its time gets fewer pictures, not none: Chrome waits for
// word of each that it sent.
func TestScreencastForASlowReader(t *testing.T) {
	s, _ := open(t, html(`<script>window.n = 0; setInterval(() => { n++; document.body.style.background = n % 2 ? 'red' : 'blue' }, 20)</script>`))
	pictures := 0
	for _, err := range s.Screencast(testContext(t), ScreencastOptions{MaxWidth: 200}) {
		if err != nil {
			t.Fatal(err)
		}
		if pictures++; pictures == 8 {
			return
		}
		seen := mustEval[int](t, s, `n`)
		waitUntil(t, func() bool { return mustEval[int](t, s, `n`) > seen+15 })
	}
	t.Fatalf("the cast ended after %d pictures", pictures)
}

func TestCaptchaIsReported(t *testing.T) {
	for url, want := range map[string]string{
		"https://www.google.com/recaptcha/api2/anchor?ar=1&k=x&size=normal":                   "reCAPTCHA",
		"https://www.google.com/recaptcha/api2/anchor?ar=1&k=x&size=invisible":                "",
		"https://www.google.com/recaptcha/api2/bframe?k=x":                                    "",
		"https://www.google.com/sorry/index?continue=x":                                       "Google's check",
		"https://newassets.hcaptcha.com/captcha/v1/x/static/hcaptcha.html#frame=checkbox&x=1": "hCaptcha",
		"https://challenges.cloudflare.com/cdn-cgi/challenge-platform/h/b/turnstile/x":        "Turnstile",
		"https://challenges.cloudflare.com/cdn-cgi/x/turnstile/if/ov2/a/auto/invisible/auto/": "",
		"https://geo.captcha-delivery.com/captcha/?x":                                         "DataDome",
		"https://evil.test/recaptcha/api2/anchor":                                             "",
		"https://www.google.com/search?q=captcha":                                             "",
	} {
		if got := captchaKind(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	// A proxy that is every site there is.
	web := serveMux(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Host == "geo.captcha-delivery.com":
			html(`<p>Slide right to complete the puzzle.</p>`)(w, r)
		case r.URL.Path == "/free":
			html(`<p>welcome</p>`)(w, r)
		default:
			html(`<p>Please wait</p><iframe src="http://geo.captcha-delivery.com/captcha/?initialCid=x"></iframe>`)(w, r)
		}
	}))
	s := downloadSession(t, Config{Proxy: Proxy{Server: web}})
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, "http://shop.test/"); err != nil {
		t.Fatal(err)
	}
	evs := waitEvent(t, s, is(func(e CaptchaFound) bool { return e.Kind == "DataDome" && e.URL == "http://shop.test/" }))
	if c := s.Captcha(); c == nil || *c != evs[len(evs)-1] {
		t.Errorf("the page's captcha is %v", c)
	}
	if _, err := s.Navigate(ctx, "http://shop.test/free"); err != nil {
		t.Fatal(err)
	}
	if c := s.Captcha(); c != nil {
		t.Errorf("a page without one has %v", c)
	}
	for _, ev := range s.TakeEvents() {
		if _, again := ev.(CaptchaFound); again {
			t.Errorf("reported twice: %v", ev)
		}
	}
}
