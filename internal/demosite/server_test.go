package demosite_test

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/internal/demosite"
)

// ended waits until done is closed; the deadline is only an upper bound.
func ended(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s is still running", what)
	}
}

func TestSlowPageWaitsAndFetchesItsContentLater(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	begin := time.Now()
	c.get("/slow?ms=150").want(t, 200, "This page took 150 ms to answer")
	if took := time.Since(begin); took < 150*time.Millisecond {
		t.Errorf("answered after %v, want 150 ms or more", took)
	}
	c.get("/slow/content?ms=1").want(t, 200, "Orchard Teapot")
	if byID(c.get("/slow").page, "late-link") != nil {
		t.Error("the late content is in the page already")
	}
}

func TestClosingTheServerCutsWhatNeverEnds(t *testing.T) {
	for _, how := range []string{"Close", "context"} {
		t.Run(how, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			srv, err := demosite.Start(ctx, demosite.Config{})
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.Get(srv.URL + "/slow/hang")
			if err != nil {
				t.Fatal(err)
			}
			cut := make(chan struct{})
			go func() {
				defer close(cut)
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}()
			if how == "Close" {
				if err := srv.Close(); err != nil {
					t.Error(err)
				}
			} else {
				cancel()
			}
			ended(t, "the request", cut)
			if err := srv.Close(); err != nil {
				t.Errorf("a second close: %v", err)
			}
			if resp, err := http.Get(srv.URL + "/"); err == nil {
				resp.Body.Close()
				t.Error("the server still answers")
			}
		})
	}
}

func TestStartingWithAnEndedContextFails(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if srv, err := demosite.Start(ctx, demosite.Config{}); err == nil {
		srv.Close()
		t.Fatal("started with a context that had ended")
	}
}

func TestNothingIsLeftAfterTwentyServers(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		srv, err := demosite.Start(context.Background(), demosite.Config{})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Get(srv.URL + "/help")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err := srv.Close(); err != nil {
			t.Fatal(err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	deadline := time.Now().Add(30 * time.Second)
	for runtime.NumGoroutine() > before+2 {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
