package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"

	"github.com/seed-4bdb41d0/webhand/internal/urlmatch"
)

// Secret is a value that a model may use and never see. The model writes
// <secret>name</secret>, or the bare name as a whole parameter; the value takes
// its place when the action runs, on a matching page only, in the params that
// Spec.SecretFields lists only.
//
// Make one with [NewSecret] or [NewTOTP]. Printing, logging or encoding a Secret
// gives "[secret]".
type Secret struct {
	// Name is what the model writes: letters, digits, '_', '-' and '.'.
	Name string
	// Domains are URL patterns, as in Spec.Domains, of the pages that may
	// receive the value. Nil means every page: give it only to what is no
	// secret to anybody.
	Domains []string

	reveal func() string // a func, so that no formatting of an enclosing value prints it
	totp   bool
}

// NewSecret returns a secret. What is wrong with it is said by [NewSecrets].
func NewSecret(name, value string, domains ...string) Secret {
	return Secret{Name: name, Domains: domains, reveal: func() string { return value }}
}

// NewTOTP returns a secret whose value is the one-time code of the moment (RFC
// 6238). The seed is base32, with or without spaces and dashes, or an
// otpauth://totp/ URL, whose period, digits and algorithm count. A code with
// less than three seconds to live is not handed out: the next one is awaited.
func NewTOTP(name, seed string, domains ...string) Secret {
	s := NewSecret(name, seed, domains...)
	s.totp = true
	return s
}

const hidden = "[secret]"

// String hides the value.
func (Secret) String() string { return hidden }

// GoString hides the value from %#v.
func (Secret) GoString() string { return hidden }

// LogValue hides the value from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the value from encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Placeholder is what the model writes for the secret called name.
func Placeholder(name string) string { return openTag + name + closeTag }

const (
	openTag  = "<secret>"
	closeTag = "</secret>"
)

// SecretUse is one place that is about to receive a secret.
type SecretUse struct {
	Name   string // of the secret
	Action string
	Field  string // "text", "login.password"
	// URL is the document that will receive the value: what [OriginFunc] says,
	// else the page. Empty when nobody knows; then only secrets without Domains
	// may be given out.
	URL string
}

// SecretResolver gives out secrets while an action runs. [*Secrets] is one;
// another may ask a vault. Provide it with Provide[SecretResolver].
type SecretResolver interface {
	// Resolve returns the value for one use, or an error that is safe to show to
	// the model. Its text must not hold a value.
	Resolve(ctx context.Context, use SecretUse) (string, error)
	// Known reports whether name is the name of a secret, which makes a parameter
	// that consists of nothing else a placeholder.
	Known(name string) bool
}

// OriginFunc says which document an action is about to write into: the URL of
// the frame that holds the element named by the arguments, which need not be
// that of the page. The arguments hold placeholders. An empty URL without an
// error stands for the page. Provide one wherever actions reach into frames:
// without it the page's URL decides.
type OriginFunc func(ctx context.Context, action string, args json.RawMessage) (string, error)

var secretName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// compiled is a secret ready for use.
type compiled struct {
	Secret
	patterns []urlmatch.Pattern
	key      *totpKey
}

func (s Secret) compile() (*compiled, error) {
	if !secretName.MatchString(s.Name) {
		return nil, fmt.Errorf("secret %q: a name is 1 to 64 letters, digits, '_', '-' or '.'", s.Name)
	}
	if s.reveal == nil || s.reveal() == "" {
		return nil, fmt.Errorf("secret %q: has no value", s.Name)
	}
	if s.Domains != nil && len(s.Domains) == 0 {
		return nil, fmt.Errorf("secret %q: Domains is empty, not nil: it could be used nowhere", s.Name)
	}
	c := &compiled{Secret: s}
	for _, d := range s.Domains {
		p, err := urlmatch.Parse(d)
		if err != nil {
			return nil, fmt.Errorf("secret %q: %w", s.Name, err)
		}
		c.patterns = append(c.patterns, p)
	}
	if s.totp {
		key, err := parseTOTP(s.reveal())
		if err != nil {
			return nil, fmt.Errorf("secret %q: %w", s.Name, err)
		}
		c.key = key
	}
	return c, nil
}

// allows reports whether the document at url may receive the secret.
func (c *compiled) allows(url string) bool {
	if c.Domains == nil {
		return true
	}
	u, ok := urlmatch.ParseURL(url)
	if !ok {
		return false
	}
	for _, p := range c.patterns {
		if p.MatchURL(u) {
			return true
		}
	}
	return false
}

var errSecret = errors.New("secret refused")
