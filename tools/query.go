package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// SearchPageParams are the parameters of search_page.
type SearchPageParams struct {
	Pattern       string `json:"pattern" jsonschema:"minLength=1"`
	Regex         bool   `json:"regex" jsonschema:"default=false"`
	CaseSensitive bool   `json:"case_sensitive" jsonschema:"default=false"`
	ContextChars  int    `json:"context_chars" jsonschema:"minimum=0,maximum=2000,default=150"`
	CSSScope      string `json:"css_scope,omitempty" jsonschema_description:"only inside elements that answer to this CSS selector"`
	MaxResults    int    `json:"max_results" jsonschema:"minimum=1,maximum=200,default=25"`
}

// FindElementsParams are the parameters of find_elements.
type FindElementsParams struct {
	Selector    string   `json:"selector" jsonschema:"minLength=1" jsonschema_description:"CSS"`
	Attributes  []string `json:"attributes,omitempty" jsonschema_description:"attributes to show, such as href"`
	MaxResults  int      `json:"max_results" jsonschema:"minimum=1,maximum=500,default=50"`
	IncludeText bool     `json:"include_text" jsonschema:"default=true"`
}

func queryActions() []builtin {
	return []builtin{
		{registry.Spec{Name: "search_page", ReadOnly: true, Description: "Find a text or regular expression in the whole page, also outside the view, with its surroundings and place; dragging between the two points selects it. Costs nothing."}, searchPage},
		{registry.Spec{Name: "find_elements", ReadOnly: true, Description: "List the elements that answer to a CSS selector, with attributes such as href. Costs nothing."}, findElements},
	}
}

func searchPage(ctx context.Context, p SearchPageParams, s *browser.Session) (*registry.Result, error) {
	hits, total, err := s.SearchText(ctx, browser.SearchOptions{
		Pattern: p.Pattern, Regexp: p.Regex, CaseSensitive: p.CaseSensitive, Scope: p.CSSScope,
		Context: max(p.ContextChars, 1), Max: p.MaxResults,
	})
	if err != nil {
		return nil, failedTo("search_page", err)
	}
	if total == 0 {
		return &registry.Result{Text: fmt.Sprintf("The page does not show %q.", p.Pattern)}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d places that show %q:\n", len(hits), total, p.Pattern)
	for i, h := range hits {
		fmt.Fprintf(&b, "%d. %s«%s»%s (in %s", i+1, h.Before, h.Match, h.After, strings.TrimSpace(element(h.Index, h.Path)))
		if h.To != (browser.Point{}) {
			fmt.Fprintf(&b, ", from %d,%d to %d,%d", h.From.X, h.From.Y, h.To.X, h.To.Y)
		}
		b.WriteString(")\n")
	}
	return &registry.Result{
		Text: b.String(), Once: true,
		Memory: fmt.Sprintf("Searched the page for %q: %d places", p.Pattern, total),
	}, nil
}

func findElements(ctx context.Context, p FindElementsParams, s *browser.Session) (*registry.Result, error) {
	list, total, err := s.FindElements(ctx, p.Selector, p.Attributes, p.MaxResults)
	if err != nil {
		return nil, failedTo("find_elements", err)
	}
	if total == 0 {
		return &registry.Result{Text: fmt.Sprintf("No element answers to %q.", p.Selector)}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d elements that answer to %q; only a number in [ ] can be used with click:\n", len(list), total, p.Selector)
	for i, e := range list {
		fmt.Fprintf(&b, "%d. ", i+1)
		if e.Index > 0 {
			fmt.Fprintf(&b, "[%d]", e.Index)
		}
		fmt.Fprintf(&b, "<%s>", e.Tag)
		if p.IncludeText && e.Text != "" {
			fmt.Fprintf(&b, " %q", e.Text)
		}
		for _, a := range sortedKeys(e.Attrs) {
			fmt.Fprintf(&b, " %s=%q", a, e.Attrs[a])
		}
		if e.Children > 0 {
			fmt.Fprintf(&b, " (%d children)", e.Children)
		}
		if !e.Shown {
			b.WriteString(" (not shown)")
		}
		b.WriteByte('\n')
	}
	return &registry.Result{
		Text: b.String(), Once: true,
		Memory: fmt.Sprintf("Listed %d of %d elements that answer to %q", len(list), total, p.Selector),
	}, nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
