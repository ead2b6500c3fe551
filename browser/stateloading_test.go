package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAPageThatIsNotThereYetIsNotTakenForAnEmptyOne: a script in the head that
// never comes keeps the body from being parsed. The model has to know.
func TestAPageThatIsNotThereYetIsNotTakenForAnEmptyOne(t *testing.T) {
	mux := http.NewServeMux()
	release := make(chan struct{})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>News</title><script src="/never.js"></script><button>Read</button>`))
	})
	mux.HandleFunc("/never.js", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/blank", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>Blank</title><div></div>`))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	s := newTestSession(t)

	nav, err := s.Navigate(testContext(t), srv.URL+"/slow")
	if err != nil || !nav.Loading {
		t.Fatalf("navigation %+v, %v; want one that is still loading", nav, err)
	}
	if st := again(t, s, StateOptions{}); !strings.Contains(st.Text.String, "<missing>") || !strings.Contains(st.Text.String, "still loading") {
		t.Errorf("the text does not say that the page is still loading:\n%s", st.Text.String)
	}
	close(release)
	waitUntil(t, func() bool { return targetOf(t, again(t, s, StateOptions{}), "Read") != nil })
	if st := again(t, s, StateOptions{}); strings.Contains(st.Text.String, "<missing>") {
		t.Errorf("the loaded page still misses something:\n%s", st.Text.String)
	}

	if _, err := s.Navigate(testContext(t), srv.URL+"/blank"); err != nil {
		t.Fatal(err)
	}
	if st := again(t, s, StateOptions{}); st.Text.String != "<empty>the page shows nothing" {
		t.Errorf("an empty page is told as %q", st.Text.String)
	}
}
