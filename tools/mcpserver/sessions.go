package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-4bdb41d0/webhand/registry"
)

// sessionInfo is a session as clients see it.
type sessionInfo struct {
	ID     string `json:"session_id"`
	Yours  bool   `json:"yours"`
	Client string `json:"client,omitempty"`
	URL    string `json:"url,omitempty"`
	Tabs   int    `json:"tabs"`
	Busy   string `json:"busy_with,omitempty"`
	Age    int    `json:"age_seconds"`
	Idle   int    `json:"idle_seconds"`
}

// info describes the session that is open; nil when none is.
func (c *client) info(asking *client) *sessionInfo {
	c.mu.Lock()
	o := c.open
	out := &sessionInfo{Yours: c == asking, Busy: c.busy, Age: int(time.Since(c.opened).Seconds()), Idle: int(time.Since(c.used).Seconds())}
	c.mu.Unlock()
	if o == nil {
		return nil
	}
	if out.Busy != "" {
		out.Idle = 0
	}
	out.ID = o.id
	if p := c.conn.InitializeParams(); p != nil && p.ClientInfo != nil {
		out.Client = p.ClientInfo.Name
	}
	tabs := o.browser.Tabs()
	out.Tabs = len(tabs)
	for _, t := range tabs {
		if t.Current {
			out.URL = t.URL
		}
	}
	return out
}

// manageable are the clients whose sessions a client may see and close.
func (s *Server) manageable(c *client) []*client {
	if !s.cfg.ManageAll {
		return []*client{c}
	}
	return s.clients.list()
}

func aside() map[string]any { return map[string]any{general: true} }

func (s *Server) listSessions(_ context.Context, c *client) (*registry.Result, error) {
	list := []sessionInfo{}
	for _, x := range s.manageable(c) {
		if i := x.info(c); i != nil {
			list = append(list, *i)
		}
	}
	slices.SortFunc(list, func(a, b sessionInfo) int { return cmp.Or(-cmp.Compare(a.Age, b.Age), cmp.Compare(a.ID, b.ID)) })
	return jsonResult(list, aside())
}

type closeParams struct {
	ID string `json:"session_id,omitempty"`
}

func (s *Server) closeOne(_ context.Context, p closeParams, c *client) (*registry.Result, error) {
	for _, x := range s.manageable(c) {
		i := x.info(c)
		if i == nil || p.ID == "" && x != c || p.ID != "" && i.ID != p.ID {
			continue
		}
		if x.close() {
			return &registry.Result{Text: "Closed session " + i.ID, Metadata: aside()}, nil
		}
	}
	if p.ID == "" {
		return nil, errors.New("you have no open session")
	}
	return nil, fmt.Errorf("there is no open session %q that you may close", p.ID)
}

func (s *Server) closeEvery(_ context.Context, c *client) (*registry.Result, error) {
	n := 0
	for _, x := range s.manageable(c) {
		if x.close() {
			n++
		}
	}
	return &registry.Result{Text: fmt.Sprintf("Closed %d sessions", n), Metadata: aside()}, nil
}
