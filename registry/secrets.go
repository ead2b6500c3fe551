package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-4bdb41d0/webhand/internal/urlmatch"
)

// Secrets is a set of secrets: the [SecretResolver] of a run, and the redactor of
// everything that leaves it. It is safe for concurrent use; nil is an empty set.
type Secrets struct {
	list []*compiled

	mu    sync.RWMutex
	codes []string // one-time codes given out lately, to be hidden as well
	red   *Redactor
}

// recentCodes is how many one-time codes stay hidden after use.
const recentCodes = 8

// NewSecrets checks secrets and puts them together. One name may stand for
// several values when each has its own Domains; the first that the page matches
// counts.
func NewSecrets(secrets ...Secret) (*Secrets, error) {
	s := &Secrets{}
	for _, one := range secrets {
		c, err := one.compile()
		if err != nil {
			return nil, fmt.Errorf("registry: %w", err)
		}
		for _, earlier := range s.list {
			if earlier.Name == c.Name && (earlier.Domains == nil || slices.Equal(earlier.Domains, c.Domains)) {
				return nil, fmt.Errorf("registry: secret %q is given twice for the same pages", c.Name)
			}
		}
		s.list = append(s.list, c)
	}
	s.red = s.redactor()
	return s, nil
}

// Names lists the secrets that a page may receive, for the prompt.
func (s *Secrets) Names(pageURL string) []string {
	if s == nil {
		return nil
	}
	var out []string
	for _, c := range s.list {
		if c.allows(pageURL) && !slices.Contains(out, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}

// Known reports whether name is the name of a secret.
func (s *Secrets) Known(name string) bool {
	return s != nil && slices.ContainsFunc(s.list, func(c *compiled) bool { return c.Name == name })
}

// Resolve returns the value of a secret for one use. Errors are meant for the
// model and hold no value.
func (s *Secrets) Resolve(ctx context.Context, use SecretUse) (string, error) {
	if !s.Known(use.Name) {
		known := "there are none for this page"
		if names := s.Names(use.URL); len(names) > 0 {
			known = "known: " + strings.Join(names, ", ")
		}
		return "", fmt.Errorf("no secret named %q (%s)", shorten(use.Name, 64), known)
	}
	for _, c := range s.list {
		if c.Name != use.Name || !c.allows(use.URL) {
			continue
		}
		if c.key == nil {
			return c.reveal(), nil
		}
		code, err := c.key.fresh(ctx)
		if err != nil {
			return "", fmt.Errorf("secret %q: %w", use.Name, err)
		}
		s.hide(code)
		return code, nil
	}
	return "", fmt.Errorf("secret %q may not be used on %s", use.Name, where(use.URL))
}

// where names a document without its path, which is nobody's business here.
func where(url string) string {
	u, ok := urlmatch.ParseURL(url)
	switch {
	case url == "":
		return "an unknown page"
	case !ok || u.Host == "":
		return shorten(url, 60)
	default:
		return u.Scheme + "://" + u.Host
	}
}

// hide makes a one-time code part of what Redact replaces.
func (s *Secrets) hide(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.codes, code) {
		return
	}
	s.codes = append(s.codes, code)
	if len(s.codes) > recentCodes {
		s.codes = s.codes[1:]
	}
	s.red = s.redactor()
}

// redactor builds the redactor of all values; s.mu is held or s is not shared.
func (s *Secrets) redactor() *Redactor {
	var r redaction
	for _, c := range s.list {
		r.add(c.reveal(), c.Name)
		if c.key != nil {
			r.add(c.key.seed, c.Name)
			for _, code := range s.codes {
				r.add(code, c.Name)
			}
		}
	}
	return r.build()
}

// Redact replaces every value, and every one-time code given out lately, by the
// secret's placeholder. See [Redactor].
func (s *Secrets) Redact(text string) string {
	if s == nil {
		return text
	}
	s.mu.RLock()
	r := s.red
	s.mu.RUnlock()
	return r.Redact(text)
}
