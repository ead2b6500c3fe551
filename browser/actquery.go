package browser

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
)

// SearchOptions say what to look for in the text that a page shows.
type SearchOptions struct {
	Pattern       string
	Regexp        bool // Pattern is a regular expression of package regexp
	CaseSensitive bool
	Scope         string // a CSS selector; only text inside what answers to it
	Context       int    // characters around a hit; zero is 150
	Max           int    // hits to return; zero is 25
}

// TextHit is one place where a pattern was found.
type TextHit struct {
	Match  string `json:"match"`
	Before string `json:"before"`
	After  string `json:"after"`
	Path   string `json:"path"`            // of the element, such as main > p.intro
	Index  int    `json:"index,omitempty"` // of the element, when it has a number
	// From and To are the points of the viewport, in CSS pixels, between which
	// a drag selects the match. Both are zero for text in a frame of another
	// process. A point outside the viewport needs scrolling first.
	From Point `json:"from"`
	To   Point `json:"to"`
}

// SearchText looks for a pattern in the text that the current tab shows, in
// all frames and open shadow roots, hidden text and scripts left out. total
// counts all hits. A text is not searched across paragraphs.
func (s *Session) SearchText(ctx context.Context, o SearchOptions) (hits []TextHit, total int, err error) {
	re, err := o.compile()
	if err != nil {
		return nil, 0, err
	}
	if o.Context <= 0 {
		o.Context = 150
	}
	if o.Max <= 0 {
		o.Max = 25
	}
	t, err := s.active(ctx)
	if err != nil {
		return nil, 0, err
	}
	scoped := o.Scope == ""
	for _, d := range t.documents() {
		var b struct {
			Texts  []string `json:"texts"`
			Scoped int      `json:"scoped"`
		}
		if err := d.do(ctx, "blockTexts", map[string]any{"scope": o.Scope}, &b); err != nil {
			if d.frame != t.main && isGoneFrame(err) && ctx.Err() == nil {
				continue
			}
			return nil, 0, err
		}
		scoped = scoped || b.Scoped > 0
		first, at, spans := len(hits), []int{}, [][2]int{}
		for i, text := range b.Texts {
			for _, m := range re.FindAllStringIndex(text, -1) {
				if m[0] == m[1] {
					continue
				}
				total++
				if len(hits) < o.Max {
					hits = append(hits, TextHit{
						Match: text[m[0]:m[1]], Before: lastRunes(text[:m[0]], o.Context), After: firstRunes(text[m[1]:], o.Context),
					})
					at = append(at, i)
					start := units(text[:m[0]])
					spans = append(spans, [2]int{start, start + units(text[m[0]:m[1]])})
				}
			}
		}
		if len(at) == 0 {
			continue
		}
		var p struct {
			Paths []string `json:"paths"`
			Refs  []int    `json:"refs"`
			Spots [][]int  `json:"spots"`
		}
		if err := d.do(ctx, "blockPaths", map[string]any{"at": at, "spans": spans}, &p); err != nil {
			continue // the page went on; the hits were there
		}
		for i := range at {
			hits[first+i].Path, hits[first+i].Index = p.Paths[i], d.indexOf(p.Refs[i])
			if q := p.Spots[i]; len(q) == 4 && d.frame == t.main {
				hits[first+i].From, hits[first+i].To = Point{q[0], q[1]}, Point{q[2], q[3]}
			}
		}
	}
	if !scoped {
		return nil, 0, &ActionError{Reason: ReasonNotFound, Detail: fmt.Sprintf("no element answers to the CSS selector %q", o.Scope)}
	}
	return hits, total, nil
}

func (o SearchOptions) compile() (*regexp.Regexp, error) {
	p := o.Pattern
	if !o.Regexp {
		// White space of any kind stands between words.
		p = regexp.QuoteMeta(strings.Join(strings.Fields(p), " "))
	}
	if strings.TrimSpace(p) == "" {
		return nil, &ActionError{Reason: ReasonNotFound, Detail: "the pattern is empty"}
	}
	if !o.CaseSensitive {
		p = "(?i)" + p
	}
	re, err := regexp.Compile(p)
	if err != nil {
		return nil, &ActionError{Reason: ReasonNotFound, Err: err, Detail: fmt.Sprintf("%v (syntax of RE2: no lookaround, no backreferences)", err)}
	}
	return re, nil
}

// units counts the UTF-16 units of s, in which the page counts.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

func lastRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return "…" + string(r[len(r)-n:])
	}
	return s
}

func firstRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// FoundElement is one element that answers to a CSS selector.
type FoundElement struct {
	Tag      string            `json:"tag"`
	Text     string            `json:"text"`
	Attrs    map[string]string `json:"attrs"`
	Children int               `json:"children"`
	Shown    bool              `json:"shown"`
	// Index is the element's number in the page state, 0 when it has none.
	Index int `json:"index,omitempty"`
}

// FindElements lists the elements of the current tab that answer to a CSS
// selector, in all frames and open shadow roots, at most limit of them (zero
// is 50), with the attributes that are asked for; addresses are absolute. total
// counts all.
func (s *Session) FindElements(ctx context.Context, selector string, attributes []string, limit int) (list []FoundElement, total int, err error) {
	if limit <= 0 {
		limit = 50
	}
	t, err := s.active(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, d := range t.documents() {
		var r struct {
			Total int `json:"total"`
			List  []struct {
				FoundElement
				Ref int `json:"ref"`
			} `json:"list"`
		}
		opts := map[string]any{"selector": selector, "attributes": attributes, "max": limit - len(list), "text": true}
		if err := d.do(ctx, "elements", opts, &r); err != nil {
			if d.frame != t.main && isGoneFrame(err) && ctx.Err() == nil {
				continue
			}
			return nil, 0, err
		}
		total += r.Total
		for _, e := range r.List {
			e.Index = d.indexOf(e.Ref)
			list = append(list, e.FoundElement)
		}
	}
	return list, total, nil
}
