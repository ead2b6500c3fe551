package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/internal/schema"
)

// Placeholders tells a handler which of its params received a secret: the JSON
// path of the field and what the model had written there. A handler takes it as
// a dependency, and says what it typed with [Placeholders.Text]:
//
//	func(ctx context.Context, p InputParams, s *browser.Session, ph registry.Placeholders) (string, error) {
//		...
//		return fmt.Sprintf("Typed %q", ph.Text("text", p.Text)), nil
//	}
type Placeholders map[string]string

// Text returns what may be said about a field: the value, or the placeholder
// when the value holds a secret.
func (p Placeholders) Text(field, value string) string {
	if s, ok := p[field]; ok {
		return s
	}
	return value
}

// Secret reports whether the field received a secret.
func (p Placeholders) Secret(field string) bool {
	_, ok := p[field]
	return ok
}

// substitute returns the arguments with secrets in the place of placeholders.
// filled is nil when there were none. Nothing is looked at twice, so a value
// that reads like a placeholder stays what it is.
func (c *Call) substitute(ctx context.Context, deps Deps) (args []byte, filled Placeholders, red *Redactor, err error) {
	resolver, has := resolverOf(deps)
	tagged := bytes.Contains(c.Args, []byte(openTag))
	if !tagged && (!has || len(c.action.spec.SecretFields) == 0) {
		return c.Args, nil, nil, nil
	}
	v, err := schema.ParseValue(c.Args)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("registry: action %q: arguments: %w", c.Name, err)
	}
	s := &substitution{ctx: ctx, call: c, deps: deps, resolver: resolver}
	if v, err = s.value(v, ""); err != nil {
		return nil, nil, nil, fmt.Errorf("%w: %w", errSecret, err)
	}
	if s.filled == nil {
		return c.Args, nil, nil, nil
	}
	return c.action.node.Append(nil, v), s.filled, s.red.build(), nil
}

// resolverOf returns the resolver, however it was provided.
func resolverOf(deps Deps) (SecretResolver, bool) {
	if r, ok := get[SecretResolver](deps); ok {
		return r, true
	}
	if s, ok := get[*Secrets](deps); ok {
		return s, true
	}
	return nil, false
}

type substitution struct {
	ctx      context.Context //nolint:containedctx // lives for one call of substitute
	call     *Call
	deps     Deps
	resolver SecretResolver
	url      string
	urlKnown bool
	filled   Placeholders
	red      redaction
}

func (s *substitution) value(v any, path string) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		return s.text(v, path)
	case []any:
		for i := range v {
			if v[i], err = s.value(v[i], path); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key, e := range v {
			if strings.Contains(key, openTag) {
				return nil, fmt.Errorf("a secret may not be a key of %s", s.call.Name)
			}
			at := key
			if path != "" {
				at = path + "." + key
			}
			if v[key], err = s.value(e, at); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// text replaces the placeholders of one string.
func (s *substitution) text(text, path string) (string, error) {
	if !strings.Contains(text, openTag) {
		if s.resolver == nil || !s.call.mayHold(path) || !s.resolver.Known(text) {
			return text, nil
		}
		value, err := s.resolve(text, path)
		if err == nil {
			s.fill(path, Placeholder(text))
		}
		return value, err
	}
	var b strings.Builder
	rest := text
	for {
		before, after, found := strings.Cut(rest, openTag)
		b.WriteString(before)
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, closeTag)
		if !closed {
			return "", fmt.Errorf("%s lacks %s", schema.Quote(openTag+after), closeTag)
		}
		value, err := s.resolve(strings.TrimSpace(name), path)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
		rest = tail
	}
	s.fill(path, text)
	return b.String(), nil
}

func (s *substitution) fill(path, text string) {
	if s.filled == nil {
		s.filled = Placeholders{}
	}
	s.filled[path] = text
}

// mayHold reports whether the spec lets a secret into the field.
func (c *Call) mayHold(path string) bool {
	return slices.ContainsFunc(c.action.spec.SecretFields, func(f string) bool {
		return path == f || strings.HasPrefix(path, f+".")
	})
}

func (s *substitution) resolve(name, path string) (string, error) {
	if !s.call.mayHold(path) {
		fields := s.call.action.spec.SecretFields
		if len(fields) == 0 {
			return "", fmt.Errorf("%s takes no secrets", s.call.Name)
		}
		return "", fmt.Errorf("a secret may not go into %s of %s, only into %s", shorten(path, 60), s.call.Name, strings.Join(fields, ", "))
	}
	if s.resolver == nil {
		return "", fmt.Errorf("no secret named %q (there are none)", shorten(name, 64))
	}
	url, err := s.target()
	if err != nil {
		return "", err
	}
	value, err := s.resolver.Resolve(s.ctx, SecretUse{Name: name, Action: s.call.Name, Field: path, URL: url})
	if err != nil {
		return "", err
	}
	s.red.add(value, name)
	return value, nil
}

// target returns the URL of the document that will receive the values.
func (s *substitution) target() (string, error) {
	if s.urlKnown {
		return s.url, nil
	}
	if f, ok := get[OriginFunc](s.deps); ok {
		url, err := f(s.ctx, s.call.Name, s.call.Args)
		if err != nil {
			return "", fmt.Errorf("cannot tell which document would receive the secret: %w", err)
		}
		s.url = url
	}
	if s.url == "" {
		p, _, err := s.deps.page(s.ctx)
		if err != nil {
			return "", fmt.Errorf("cannot tell which page would receive the secret: %w", err)
		}
		s.url = p.URL
	}
	s.urlKnown = true
	return s.url, nil
}

// decodeArgs decodes checked arguments, with secrets in them, into new params.
// Limits such as maxLength were about what the model wrote and are not checked
// again; errors never quote a value.
func (a *Action) decodeArgs(args json.RawMessage) (reflect.Value, error) {
	v, err := schema.ParseValue(args)
	if err != nil {
		return reflect.Value{}, fmt.Errorf("registry: action %q: arguments: %w", a.spec.Name, err)
	}
	p, err := a.fill(v, args)
	if err != nil {
		return reflect.Value{}, fmt.Errorf("%w: the value does not fit into %s", errSecret, a.spec.Name)
	}
	return p, nil
}
