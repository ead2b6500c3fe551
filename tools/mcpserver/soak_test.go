//go:build soak

package mcpserver

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Fifty clients fill a form at a time, each in its own session, over one
// server. Nobody sees another's page, and nothing is left afterwards.
func TestSoakFiftySessions(t *testing.T) {
	const n = 50
	url := site(t)
	s := start(t, Config{})
	srv := httptest.NewServer(s.Handler())
	defer srv.Close()
	defer srv.CloseClientConnections()
	var wg sync.WaitGroup
	var clients [n]*sdk.ClientSession
	for i := range n {
		clients[i] = dial(t, &sdk.StreamableClientTransport{Endpoint: srv.URL + "/mcp"}, nil)
	}
	say := func(c *sdk.ClientSession, tool string, a args) string {
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: a})
		switch {
		case err != nil:
			t.Errorf("%s: %v", tool, err)
			return ""
		case res.IsError:
			t.Errorf("%s: %s", tool, text(res))
		}
		return text(res)
	}
	for i, c := range clients {
		wg.Go(func() {
			say(c, "browser_navigate", args{"url": url + "/form"})
			for round := range 5 {
				state := say(c, "browser_state", args{})
				if !strings.Contains(state, "<input") {
					t.Errorf("client %d sees %q", i, state)
					return
				}
				name := fmt.Sprintf("client %d round %d", i, round)
				say(c, "browser_input", args{"index": index(t, state, "<input"), "text": name})
				if got := say(c, "browser_click", args{"index": index(t, state, "Greet"), "state": true}); !strings.Contains(got, "Hello "+name) {
					t.Errorf("%s: %q", name, got)
				}
			}
		})
	}
	wg.Wait()
	for _, c := range clients {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	until(t, "the end of all sessions", func() bool {
		s.clients.mu.Lock()
		defer s.clients.mu.Unlock()
		return s.clients.n == 0 && len(s.clients.all) == 0
	})
}
