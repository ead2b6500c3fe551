package mcpserver

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/registry"
)

//go:embed html.js
var htmlJS string

// aboutPage are the server's own tools that work with the client's page.
var aboutPage = map[string]bool{"browser_state": true, "browser_screenshot": true, "browser_html": true, "browser_list_tabs": true}

// stateParams are the parameters of browser_state.
type stateParams struct {
	Mode        string `json:"mode" jsonschema:"enum=full,enum=diff,default=full" jsonschema_description:"diff: only what changed since the state you got last, when that is shorter"`
	Budget      int    `json:"budget,omitempty" jsonschema:"minimum=100,maximum=200000" jsonschema_description:"most tokens of the text; 5000 when left out"`
	Full        bool   `json:"full_page,omitempty" jsonschema_description:"the whole page instead of what is near the view"`
	Interactive bool   `json:"interactive_only,omitempty" jsonschema_description:"only what can be used"`
	Within      int    `json:"within,omitempty" jsonschema:"minimum=0" jsonschema_description:"only the element with this number and what is in it"`
	Landmark    string `json:"landmark,omitempty" jsonschema_description:"only one part: main, navigation, dialog, form, or a part's name"`
	Screenshot  bool   `json:"screenshot,omitempty" jsonschema_description:"with a picture of the view that shows the numbers"`
}

type screenshotParams struct {
	FullPage bool `json:"full_page,omitempty"`
	Marks    bool `json:"marks,omitempty" jsonschema_description:"with the numbers of the elements"`
	Quality  int  `json:"quality,omitempty" jsonschema:"minimum=1,maximum=100" jsonschema_description:"JPEG of this quality instead of PNG"`
}

type htmlParams struct {
	Selector string `json:"selector,omitempty" jsonschema_description:"CSS; the whole document when left out"`
	MaxChars int    `json:"max_chars" jsonschema:"minimum=1,maximum=1000000,default=20000"`
}

func (s *Server) prepareOwn() error {
	s.own = registry.New()
	s.own.Logger = s.log
	type tool struct {
		spec registry.Spec
		fn   any
	}
	list := []tool{
		{registry.Spec{Name: "browser_state", ReadOnly: true, Description: "Look at the page: its address, tabs, texts, and every element that can be used with its number in [brackets]."}, s.state},
		{registry.Spec{Name: "browser_screenshot", ReadOnly: true, Description: "Take a picture of the page."}, s.screenshot},
		{registry.Spec{Name: "browser_html", ReadOnly: true, Description: "Read the HTML of the page or of the first element that answers to a selector. browser_state is shorter."}, s.html},
		{registry.Spec{Name: "browser_list_tabs", ReadOnly: true, Description: "List the open tabs with their ids."}, s.listTabs},
		{registry.Spec{Name: "browser_list_sessions", ReadOnly: true, Description: "List the open browser sessions."}, s.listSessions},
		{registry.Spec{Name: "browser_close_session", Description: "Close a browser session with its tabs and logins; yours when no id is given. The next tool opens a new one."}, s.closeOne},
		{registry.Spec{Name: "browser_close_all", Description: "Close all browser sessions you may close."}, s.closeEvery},
	}
	if s.cfg.Agent.LLM != nil {
		list = append(list, tool{taskSpec, s.runTask})
	}
	for _, t := range list {
		if err := s.own.Add(t.spec, t.fn); err != nil {
			return fmt.Errorf("mcpserver: %w", err)
		}
	}
	return nil
}

func (s *Server) state(ctx context.Context, p stateParams, c *client) (*registry.Result, error) {
	o, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	return s.look(ctx, o, p)
}

// look is the page as it is told to the client.
func (s *Server) look(ctx context.Context, o *openSession, p stateParams) (*registry.Result, error) {
	st, err := o.browser.State(ctx, browser.StateOptions{
		Full: p.Full, Screenshot: p.Screenshot, Marks: p.Screenshot, Timeout: s.cfg.BrowserConfig.CallTimeout,
		Text: dom.TextOptions{Budget: p.Budget, InteractiveOnly: p.Interactive, Within: p.Within, Landmark: p.Landmark},
	})
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "url: %s\n", st.URL)
	if st.Title != "" {
		fmt.Fprintf(&b, "title: %s\n", oneLine(st.Title))
	}
	if len(st.Tabs) > 1 {
		fmt.Fprintf(&b, "tab: %s of %d\n", st.Tab, len(st.Tabs))
	}
	text := st.Text.String
	if p.Mode == "diff" {
		switch d, ok := dom.Diff(o.shown, st.Text); {
		case ok && !changes(d):
			text = "The page is as you saw it last."
		case ok:
			text = "What changed since you saw it last:\n" + d
		}
	}
	o.shown = st.Text
	b.WriteString(text)
	res := &registry.Result{Text: b.String()}
	if st.Screenshot != nil {
		res.Images = []registry.Image{{MIME: "image/png", Data: st.Screenshot}}
	}
	return res, nil
}

// changes reports whether a difference holds any.
func changes(diff string) bool {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "+ ") || strings.HasPrefix(line, "- ") {
			return true
		}
	}
	return false
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (s *Server) screenshot(ctx context.Context, p screenshotParams, c *client) (*registry.Result, error) {
	if p.Marks && (p.FullPage || p.Quality > 0) {
		return nil, errors.New("marks are drawn on a PNG of the view only: leave full_page and quality out")
	}
	o, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	if p.Marks {
		st, err := o.browser.State(ctx, browser.StateOptions{Screenshot: true, Marks: true, Timeout: s.cfg.BrowserConfig.CallTimeout})
		if err != nil {
			return nil, err
		}
		if st.Screenshot == nil {
			return nil, errors.New(strings.Join(st.Page.Missing, "; "))
		}
		o.shown = nil // numbers were given to what the client has not seen as text
		return &registry.Result{Images: []registry.Image{{MIME: "image/png", Data: st.Screenshot}}}, nil
	}
	mime := "image/png"
	if p.Quality > 0 {
		mime = "image/jpeg"
	}
	data, err := o.browser.Screenshot(ctx, browser.ScreenshotOptions{FullPage: p.FullPage, JPEG: p.Quality})
	if err != nil {
		return nil, err
	}
	return &registry.Result{Images: []registry.Image{{MIME: mime, Data: data}}}, nil
}

func (s *Server) html(ctx context.Context, p htmlParams, c *client) (*registry.Result, error) {
	o, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	selector, err := json.Marshal(p.Selector)
	if err != nil {
		return nil, err
	}
	found, err := browser.Evaluate[struct {
		HTML  *string `json:"html"`
		Error string  `json:"error"`
		Chars int     `json:"chars"`
	}](ctx, o.browser, fmt.Sprintf("(%s)(%s, %d)", strings.TrimSpace(htmlJS), selector, p.MaxChars))
	switch {
	case err != nil:
		return nil, err
	case found.Error != "":
		return nil, fmt.Errorf("selector %q: %s", p.Selector, found.Error)
	case found.HTML == nil:
		return nil, fmt.Errorf("no element answers to %q", p.Selector)
	}
	text := *found.HTML
	if found.Chars > p.MaxChars {
		text += fmt.Sprintf("\n... cut at %d of %d characters; ask for more with max_chars, or for less with selector", p.MaxChars, found.Chars)
	}
	return &registry.Result{Text: text}, nil
}

func (s *Server) listTabs(ctx context.Context, c *client) (*registry.Result, error) {
	o, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	return jsonResult(o.browser.Tabs(), nil)
}

// jsonResult is a result that is data.
func jsonResult(v any, meta map[string]any) (*registry.Result, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return &registry.Result{Text: string(text), Metadata: meta}, nil
}
