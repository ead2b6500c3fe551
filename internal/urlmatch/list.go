package urlmatch

import (
	"errors"
	"strings"
)

// List is a set of patterns that stays fast with many thousands of them: a
// lookup costs one map access for each label of the host. The zero value and
// nil match nothing. A List is never changed, so it may be shared.
type List struct {
	hosts map[string][]Pattern // exact hosts and addresses
	below map[string][]Pattern // *.host
	other []Pattern            // whole schemes and every host
	size  int
}

// NewList compiles patterns. All the broken ones are reported together.
func NewList(patterns []string, o Options) (*List, error) {
	l := &List{hosts: make(map[string][]Pattern, len(patterns)), below: make(map[string][]Pattern)}
	var errs []error
	for _, s := range patterns {
		p, err := ParseWith(strings.TrimSpace(s), o)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		l.size++
		switch {
		case p.bare || p.any:
			l.other = append(l.other, p)
		case p.below:
			l.below[p.host] = append(l.below[p.host], p)
		case p.ip.IsValid():
			key := p.ip.String()
			l.hosts[key] = append(l.hosts[key], p)
		default:
			l.hosts[p.host] = append(l.hosts[p.host], p)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return l, nil
}

// Len is the number of patterns.
func (l *List) Len() int {
	if l == nil {
		return 0
	}
	return l.size
}

// Match returns a pattern that covers the URL, as it was written.
func (l *List) Match(rawURL string) (pattern string, ok bool) {
	u, ok := ParseURL(rawURL)
	if !ok {
		return "", false
	}
	return l.MatchURL(u)
}

// MatchURL is [List.Match] for a URL that was taken apart before.
func (l *List) MatchURL(u URL) (pattern string, ok bool) {
	if l == nil {
		return "", false
	}
	key := u.Host
	if u.IP.IsValid() {
		key = u.IP.String()
	}
	if p, ok := first(l.hosts[key], u); ok {
		return p, true
	}
	for host := u.Host; host != ""; {
		if p, ok := first(l.below[host], u); ok {
			return p, true
		}
		_, rest, more := strings.Cut(host, ".")
		if !more {
			break
		}
		host = rest
	}
	return first(l.other, u)
}

func first(patterns []Pattern, u URL) (string, bool) {
	for i := range patterns {
		if patterns[i].MatchURL(u) {
			return patterns[i].text, true
		}
	}
	return "", false
}
