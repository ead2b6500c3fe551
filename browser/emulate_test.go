package browser

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Settings reach the page, its cross-site frames, its popups and its workers.
func TestSettingsReachEveryTarget(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]string)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.URL.Path] = strings.Join([]string{r.Header.Get("X-Team"), r.UserAgent(), r.Header.Get("Accept-Language")}, "|")
		mu.Unlock()
		switch r.URL.Path {
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `fetch('/from-worker')`)
		case "/frame":
			html(`<script>fetch('/from-frame'); parent.postMessage(navigator.language + ' ' + Intl.DateTimeFormat().resolvedOptions().timeZone, '*')</script>`)(w, r)
		default:
			html(`<script>onmessage = (e) => document.title = e.data; new Worker('/worker.js')</script><iframe src="http://localhost:`+port(r.Host)+`/frame"></iframe>`)(w, r)
		}
	})
	url := serveMux(t, mux)
	s := downloadSession(t, Config{
		UserAgent: "Robot/1.0", Locale: "de-DE", Timezone: "Asia/Tokyo", Geolocation: &Geolocation{Latitude: 59.9, Longitude: 10.7},
		Permissions: []string{"clipboard-read"}, ExtraHeaders: http.Header{"X-Team": {"blue"}},
		Viewport: Size{Width: 500, Height: 400}, DeviceScale: 2,
	})
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, url+"/start"); err != nil {
		t.Fatal(err)
	}
	if got := mustEval[string](t, s, `[navigator.userAgent, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, (1.5).toLocaleString(), innerWidth, innerHeight, devicePixelRatio].join()`); got != "Robot/1.0,de-DE,Asia/Tokyo,1,5,500,400,2" {
		t.Errorf("page: %s", got)
	}
	if got := mustEval[float64](t, s, `new Promise((ok, no) => navigator.geolocation.getCurrentPosition((p) => ok(p.coords.latitude), (e) => no(e.message)))`); got != 59.9 {
		t.Errorf("latitude = %v", got)
	}
	if got := mustEval[string](t, s, `navigator.permissions.query({name: 'clipboard-read'}).then((p) => p.state)`); got != "granted" {
		t.Errorf("clipboard-read is %s", got)
	}
	waitUntil(t, func() bool { return mustEval[string](t, s, `document.title`) == "de-DE Asia/Tokyo" })
	mustEval[any](t, s, `void window.open('/popup')`)
	for _, path := range []string{"/start", "/frame", "/from-frame", "/from-worker", "/popup"} {
		waitUntil(t, func() bool { mu.Lock(); defer mu.Unlock(); return seen[path] != "" })
		mu.Lock()
		if !strings.HasPrefix(seen[path], "blue|Robot/1.0|de-DE") {
			t.Errorf("%s was asked with %s", path, seen[path])
		}
		mu.Unlock()
	}
	waitUntil(t, func() bool { return mustEval[string](t, s, `[innerWidth, devicePixelRatio].join()`) == "500,2" })
}

// No site may do what a person would be asked about (faults F166).
func TestNothingIsGrantedByDefault(t *testing.T) {
	s, _ := open(t, html("x"))
	for _, name := range []string{"geolocation", "notifications", "clipboard-read", "camera", "microphone"} {
		if got := mustEval[string](t, s, `navigator.permissions.query({name: '`+name+`'}).then((p) => p.state)`); got == "granted" {
			t.Errorf("%s is granted", name)
		}
	}
	if got := mustEval[string](t, s, `navigator.clipboard.readText().then(() => 'read', () => 'denied')`); got != "denied" {
		t.Errorf("clipboard: %s", got)
	}
}

func TestCommandLine(t *testing.T) {
	cfg := Config{
		Flags:     map[string]string{"disable-features": "Mine", "lang": "de", "--mute-audio": ""},
		OmitFlags: []string{"--no-pings"}, ProfileDirectory: "Profile 1", Viewport: Size{Width: 640, Height: 480},
		Extensions: []string{"/a", "/b"}, IgnoreCertificateErrors: true, DisableSecurity: true,
	}
	args := commandLine(cfg, "/p", &route{server: "http://127.0.0.1:1", bypass: "<-loopback>"})
	if !slices.Equal(args, commandLine(cfg, "/p", &route{server: "http://127.0.0.1:1", bypass: "<-loopback>"})) {
		t.Fatal("the order is not stable")
	}
	for _, want := range []string{
		"--lang=de", "--profile-directory=Profile 1", "--window-size=640,480", "--user-data-dir=/p", "--load-extension=/a,/b",
		"--ignore-certificate-errors", "--disable-web-security", "--proxy-server=http://127.0.0.1:1", "--proxy-bypass-list=<-loopback>",
	} {
		if !slices.Contains(args, want) {
			t.Errorf("%s is missing", want)
		}
	}
	names := make(map[string]bool)
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		if names[name] {
			t.Errorf("%s is there twice", name)
		}
		names[name] = true
		if name == "--disable-features" && (!strings.Contains(value, "Translate") || !strings.HasSuffix(value, "Mine") || !strings.Contains(value, "IsolateOrigins")) {
			t.Errorf("features are not merged: %s", value)
		}
	}
	if names["--no-pings"] {
		t.Error("--no-pings is not omitted")
	}
}

func TestFindChannel(t *testing.T) {
	if _, err := FindChannel("chrome-nightly"); err == nil || !strings.Contains(err.Error(), "unknown") {
		t.Errorf("err = %v", err)
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Setenv("ProgramFiles", `C:\Program Files`)
		for _, c := range []string{"chromium", "chrome", "chrome-beta", "chrome-dev", "chrome-canary", "msedge", "msedge-beta", "msedge-dev", "msedge-canary"} {
			if got := channelCandidates(goos, c); len(got) == 0 {
				t.Errorf("%s: %s has no place", goos, c)
			}
		}
	}
	t.Setenv("PATH", t.TempDir())
	_, err := FindChannel("chrome-beta")
	if !errors.Is(err, ErrNoChrome) || !strings.Contains(err.Error(), "google-chrome-beta") {
		t.Errorf("err = %v", err)
	}
}

func TestCopyOfAProfile(t *testing.T) {
	from := t.TempDir()
	write := func(name string) {
		t.Helper()
		p := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"Local State", "Profile 1/Cookies", "Profile 1/Local Storage/leveldb/1.log", "Profile 1/LOCK", "Profile 1/Cookies-journal", "Profile 1/Cache/x", "SingletonLock", "Default/Cookies"} {
		write(name)
	}
	dir, temp, err := profileDir(Config{UserDataDir: from, ProfileDirectory: "Profile 1", CopyProfile: true})
	if err != nil || !temp {
		t.Fatal(dir, temp, err)
	}
	defer os.RemoveAll(dir)
	var got []string
	filepath.WalkDir(dir, func(p string, d os.DirEntry, _ error) error {
		if !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			got = append(got, filepath.ToSlash(rel))
		}
		return nil
	})
	if want := []string{"Local State", "Profile 1/Cookies", "Profile 1/Local Storage/leveldb/1.log"}; !slices.Equal(got, want) {
		t.Errorf("copied %q, want %q", got, want)
	}
	if _, _, err := profileDir(Config{UserDataDir: from, ProfileDirectory: "Nobody", CopyProfile: true}); err == nil {
		t.Error("a profile that is not there is copied")
	}
}
