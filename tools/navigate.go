package tools

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// SearchParams are the parameters of search.
type SearchParams struct {
	Query  string `json:"query" jsonschema:"minLength=1"`
	Engine string `json:"engine" jsonschema:"enum=duckduckgo,enum=google,enum=bing,default=duckduckgo" jsonschema_description:"duckduckgo shows the fewest captchas"`
}

// NavigateParams are the parameters of navigate.
type NavigateParams struct {
	URL    string `json:"url" jsonschema:"minLength=1"`
	NewTab bool   `json:"new_tab" jsonschema:"default=false"`
}

// NoParams are the parameters of actions that need none.
type NoParams struct{}

func searchActions() []builtin {
	return []builtin{{
		registry.Spec{Name: "search", EndsStep: true, Description: "Search the web in the current tab."},
		search,
	}}
}

func navigateActions() []builtin {
	return []builtin{
		{registry.Spec{Name: "navigate", EndsStep: true, Description: "Open a URL in the current tab, or in a new one."}, navigate},
		{registry.Spec{Name: "go_back", EndsStep: true, Description: "Go back to the previous page of this tab."}, goBack},
	}
}

// furtherActions are those that the actions before them do not need.
func furtherActions() []builtin {
	return []builtin{
		{registry.Spec{Name: "go_forward", EndsStep: true, Description: "Go forward to the next page of this tab."}, goForward},
		{registry.Spec{Name: "reload", EndsStep: true, Description: "Load the page again."}, reload},
		{registry.Spec{Name: "hover", Description: "Move the pointer over an element or a point, to open menus and hints."}, hover},
	}
}

func search(ctx context.Context, p SearchParams, s *browser.Session) (*registry.Result, error) {
	if strings.TrimSpace(p.Query) == "" {
		return nil, errors.New("search: the query is empty; say what to look for")
	}
	q := url.QueryEscape(p.Query)
	var address string
	switch p.Engine {
	case "google":
		// udm=14 is the plain list of results.
		address = "https://www.google.com/search?q=" + q + "&udm=14"
	case "bing":
		address = "https://www.bing.com/search?q=" + q
	default:
		address = "https://duckduckgo.com/?q=" + q
	}
	nav, err := s.Navigate(ctx, address)
	if err != nil {
		return nil, failedTo(fmt.Sprintf("search %s for %q", p.Engine, p.Query), err)
	}
	return arrived(fmt.Sprintf("Searched %s for %q", p.Engine, p.Query), nav), nil
}

func navigate(ctx context.Context, p NavigateParams, s *browser.Session) (*registry.Result, error) {
	var nav *browser.Navigation
	var err error
	done := "Opened " + p.URL
	if p.NewTab && !onBlankTab(s) {
		nav, err = s.NewTab(ctx, p.URL)
		done = "Opened " + p.URL + " in a new tab"
	} else {
		nav, err = s.Navigate(ctx, p.URL)
	}
	if err != nil {
		return nil, failedTo("open "+p.URL, err)
	}
	return arrived(done, nav), nil
}

// onBlankTab reports whether the current tab shows nothing yet, so that a new
// one would leave a stray.
func onBlankTab(s *browser.Session) bool {
	for _, t := range s.Tabs() {
		if t.Current {
			return t.URL == "" || t.URL == "about:blank"
		}
	}
	return false
}

func goBack(ctx context.Context, _ NoParams, s *browser.Session) (*registry.Result, error) {
	nav, err := s.Back(ctx)
	if errors.Is(err, browser.ErrNoHistory) {
		return nil, &toldError{"there is no page to go back to in this tab; use navigate, or switch to another tab", err}
	}
	if err != nil {
		return nil, failedTo("go back", err)
	}
	return arrived("Went back", nav), nil
}

func goForward(ctx context.Context, _ NoParams, s *browser.Session) (*registry.Result, error) {
	nav, err := s.Forward(ctx)
	if errors.Is(err, browser.ErrNoHistory) {
		return nil, &toldError{"there is no page to go forward to in this tab", err}
	}
	if err != nil {
		return nil, failedTo("go forward", err)
	}
	return arrived("Went forward", nav), nil
}

func reload(ctx context.Context, _ NoParams, s *browser.Session) (*registry.Result, error) {
	nav, err := s.Reload(ctx)
	if err != nil {
		return nil, failedTo("reload", err)
	}
	return arrived("Reloaded the page", nav), nil
}

// arrived is the result of going to a page. A page that the server refused is
// still a page, and its status is said.
func arrived(text string, nav *browser.Navigation) *registry.Result {
	res := &registry.Result{Text: text, Metadata: map[string]any{"navigation": nav}}
	switch {
	case nav.Download:
		res.Effects = append(res.Effects, "the address is a download; the page stayed at "+nav.URL)
	case nav.Status >= 400:
		res.Effects = append(res.Effects, fmt.Sprintf("the server answered HTTP %d", nav.Status))
	}
	if nav.URL != "" && !nav.Download {
		res.Effects = append(res.Effects, "the page is now "+nav.URL)
	}
	if nav.Loading {
		why := "the page was still loading; it can be used, wait if something is missing"
		if nav.Reason != "" {
			why = "the page was still loading (" + nav.Reason + "); it can be used, wait if something is missing"
		}
		res.Effects = append(res.Effects, why)
	} else if nav.Reason != "" {
		res.Effects = append(res.Effects, nav.Reason)
	}
	return res
}

// navigationText says in plain words why a page could not be opened.
func navigationText(do string, e *browser.NavigationError) string {
	why := e.Text
	if why == "" && e.Err != nil {
		why = strings.TrimPrefix(e.Err.Error(), "browser: ")
	}
	for code, plain := range map[string]string{
		"ERR_NAME_NOT_RESOLVED":      "there is no such host; check the address, or search for the site",
		"ERR_INTERNET_DISCONNECTED":  "there is no network",
		"ERR_CONNECTION_REFUSED":     "the server refuses connections; it may be down",
		"ERR_CONNECTION_RESET":       "the server broke the connection off; try again later",
		"ERR_CONNECTION_TIMED_OUT":   "the server does not answer",
		"ERR_TIMED_OUT":              "the server does not answer",
		"ERR_TUNNEL_CONNECTION_FAIL": "the proxy does not let the connection through",
		"ERR_CERT_":                  "the server's certificate is not valid",
		"ERR_SSL_":                   "no secure connection can be made; the site may be http only",
		"ERR_TOO_MANY_REDIRECTS":     "the site redirects without end",
		"ERR_EMPTY_RESPONSE":         "the server sent nothing",
		"ERR_UNSAFE_PORT":            "the port is not one for web pages",
		"ERR_INVALID_URL":            "this is no valid address",
	} {
		if strings.Contains(why, code) {
			return fmt.Sprintf("%s: %s (%s)", do, plain, why)
		}
	}
	return do + ": " + why
}
