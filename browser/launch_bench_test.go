package browser

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/target"
)

// A cold start by New, against the same Chrome started by hand with the same
// flags: both end when there is a page that answers.
func BenchmarkColdStart(b *testing.B) {
	path, err := FindChrome()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("by hand", func(b *testing.B) {
		for b.Loop() {
			dir := b.TempDir()
			args := append(commandLine(Config{}.withDefaults(), dir, nil), "--remote-debugging-port=0", "about:blank")
			cmd := exec.Command(path, args...)
			stderr, err := cmd.StderrPipe()
			if err != nil {
				b.Fatal(err)
			}
			ownProcessGroup(cmd)
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			ws := ""
			for sc := bufio.NewScanner(stderr); sc.Scan(); {
				if _, after, ok := strings.Cut(sc.Text(), "DevTools listening on "); ok {
					ws = after
					break
				}
			}
			// The first page, asked for the least.
			c, err := attach(context.Background(), Config{RemoteURL: ws})
			if err != nil {
				b.Fatal(err)
			}
			firstPageAnswers(b, c)
			b.StopTimer()
			c.shutdown(ErrClosed)
			killGroup(cmd)
			cmd.Wait()
			os.RemoveAll(dir)
			b.StartTimer()
		}
	})
	b.Run("New", func(b *testing.B) {
		for b.Loop() {
			s, err := New(context.Background(), Config{})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := Evaluate[int](context.Background(), s, "1"); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			s.Close()
			b.StartTimer()
		}
	})
}

func firstPageAnswers(b *testing.B, c *conn) {
	b.Helper()
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	for {
		if err := callRaw(b.Context(), c.root, "Target.getTargets", nil, &targets); err != nil {
			b.Fatal(err)
		}
		for _, ti := range targets.TargetInfos {
			if ti.Type != "page" {
				continue
			}
			var att struct{ SessionID string }
			if err := callRaw(b.Context(), c.root, "Target.attachToTarget", map[string]any{"targetId": ti.TargetID, "flatten": true}, &att); err != nil {
				b.Fatal(err)
			}
			if err := callRaw(b.Context(), c.session(target.SessionID(att.SessionID)), "Runtime.evaluate", map[string]any{"expression": "1"}, nil); err != nil {
				b.Fatal(err)
			}
			return
		}
	}
}

// A tab of a session that is there, until it answers.
func BenchmarkNewTab(b *testing.B) {
	s := newTestSession(b)
	ctx := context.Background()
	for b.Loop() {
		if _, err := s.NewTab(ctx, ""); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		for _, t := range s.Tabs() {
			if t.Current {
				if err := s.CloseTab(ctx, t.ID); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.StartTimer()
	}
}

// A session of its own in a Chrome that is there.
func BenchmarkNewSession(b *testing.B) {
	br, err := shared()
	if err != nil {
		b.Fatal(err)
	}
	for name, cfg := range map[string]Config{"open": {}, "guarded": {Policy: Policy{Allow: []string{"127.0.0.1"}}}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := br.NewSession(context.Background(), cfg)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				s.Close()
				b.StartTimer()
			}
		})
	}
}

// What a policy costs a navigation.
func BenchmarkNavigate(b *testing.B) {
	url := serveMux(b, html(`<title>page</title><p>text</p>`))
	for name, cfg := range map[string]Config{"open": {}, "guarded": {Policy: Policy{Allow: []string{"127.0.0.1"}}}} {
		b.Run(name, func(b *testing.B) {
			s := downloadSession(b, cfg)
			for b.Loop() {
				if _, err := s.Navigate(context.Background(), url); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
