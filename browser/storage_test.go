package browser

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loginSite sets a session cookie and says who is logged in; the page keeps
// values in both storages.
func loginSite() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "s3cret", Path: "/", HttpOnly: true})
		http.SetCookie(w, &http.Cookie{Name: "old", Value: "1", Path: "/"})
		html(`<script>localStorage.setItem('cart', '3'); localStorage.setItem('gone', 'x'); sessionStorage.setItem('step', '2')</script>`)(w, r)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		who := "nobody"
		if c, err := r.Cookie("sid"); err == nil {
			who = c.Value
		}
		// What is in the storages before the first script of the page.
		html(`<script>document.title = '`+who+` '+localStorage.getItem('cart')+' '+localStorage.getItem('gone')+' '+sessionStorage.getItem('step')</script>`)(w, r)
	})
	return mux
}

// Session cookies and storages survive from one session to the next, and what
// was deleted stays deleted (faults F160).
func TestLoginSurvivesInTheStorageFile(t *testing.T) {
	url := serveMux(t, loginSite())
	file := filepath.Join(t.TempDir(), "state.json")
	ctx := testContext(t)
	first := downloadSession(t, Config{StorageFile: file})
	if _, err := first.Navigate(ctx, url+"/login"); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Fatalf("the file: %v, %v", st, err)
	}

	second := downloadSession(t, Config{StorageFile: file})
	if evs := second.TakeEvents(); len(evs) > 0 {
		t.Errorf("loading is reported as events: %v", evs)
	}
	if _, err := second.Back(ctx); err != ErrNoHistory {
		t.Errorf("loading left a history: %v", err)
	}
	nav, err := second.Navigate(ctx, url+"/")
	if err != nil {
		t.Fatal(nav, err)
	}
	if got := mustEval[string](t, second, `document.title`); got != "s3cret 3 x 2" {
		t.Fatalf("the second session is %q", got)
	}
	// The tab moves on to another origin; storage of the first is still read.
	mustEval[any](t, second, `localStorage.removeItem('gone'); document.cookie = 'old=; expires=Thu, 01 Jan 1970 00:00:00 GMT; path=/'`)
	if _, err := second.Navigate(ctx, strings.Replace(url, "127.0.0.1", "localhost", 1)); err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	st, err := LoadStorageState(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Cookies) != 1 || st.Cookies[0].Name != "sid" || st.Cookies[0].Expires != -1 || !st.Cookies[0].HTTPOnly {
		t.Errorf("cookies = %+v", st.Cookies)
	}
	if len(st.Origins) != 1 || st.Origins[0].Origin != url || len(st.Origins[0].LocalStorage) != 1 {
		t.Errorf("origins = %+v", st.Origins)
	}
}

func TestStorageStateIsPlaywrights(t *testing.T) {
	url := serveMux(t, loginSite())
	var st StorageState
	if err := json.Unmarshal([]byte(`{
		"cookies": [{"name": "sid", "value": "s3cret", "domain": "127.0.0.1", "path": "/", "expires": -1, "httpOnly": true, "secure": false, "sameSite": "Lax"}],
		"origins": [{"origin": "`+url+`", "localStorage": [{"name": "cart", "value": "7"}]}]
	}`), &st); err != nil {
		t.Fatal(err)
	}
	s := downloadSession(t, Config{Storage: &st, Policy: Policy{Allow: []string{"127.0.0.1"}}})
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	if got := mustEval[string](t, s, `document.title`); got != "s3cret 7 null null" {
		t.Fatalf("title = %q", got)
	}
	got, err := s.StorageState(ctx)
	if err != nil || len(got.Cookies) != 1 || len(got.Origins) != 1 || got.Cookies[0].SameSite != "Lax" {
		t.Fatalf("state = %+v, %v", got, err)
	}
	if n := len(s.Tabs()); n != 1 {
		t.Errorf("%d tabs", n)
	}
}

func TestBrokenStorageFileIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	if s, err := b.NewSession(context.Background(), Config{StorageFile: file}); err == nil || !strings.Contains(err.Error(), file) {
		s.Close()
		t.Fatalf("err = %v", err)
	}
}
