package registry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// minRedact is the shortest value that is replaced: masking every "1" on a page
// would tell more than it hides.
const minRedact = 4

// Redactor replaces secret values by their placeholders in whatever leaves the
// process: longest value first, in one pass, so that no replacement is looked
// at again. Values also hide as JSON, URLs and HTML write them. Values of fewer
// than four characters are left alone. The zero value and nil change nothing.
type Redactor struct{ r *strings.Replacer }

// NewRedactor returns the redactor of some secrets. [Secrets.Redact] also knows
// the one-time codes in use.
func NewRedactor(secrets ...Secret) *Redactor {
	var r redaction
	for _, s := range secrets {
		if s.reveal != nil {
			r.add(s.reveal(), s.Name)
		}
	}
	return r.build()
}

// Redact returns text with every value replaced.
func (r *Redactor) Redact(text string) string {
	if r == nil || r.r == nil || text == "" {
		return text
	}
	return r.r.Replace(text)
}

// redaction collects the values of a Redactor.
type redaction struct {
	names []string
	pairs [][2]string // value, name
}

func (r *redaction) add(value, name string) {
	if !slices.Contains(r.names, name) {
		r.names = append(r.names, name)
	}
	quoted, _ := json.Marshal(value)
	forms := []string{
		value, strings.TrimSpace(value),
		string(quoted[1 : len(quoted)-1]), jsonPlain(value),
		url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value),
		// What pages write: encodeURIComponent, encodeURI, forms, and what a
		// browser makes of an address.
		percent(value, "-_.!~*'()", "%20"), percent(value, "-_.!~*'();/?:@&=+$,#", "%20"), percent(value, "-_.*", "+"),
		percent(value, "!$%&'()*+,-./:;=?@[\\]^_`{|}~", "%20"),
	}
	for _, f := range forms {
		if utf8.RuneCountInString(f) < minRedact || slices.ContainsFunc(r.pairs, func(p [2]string) bool { return p[0] == f }) {
			continue
		}
		r.pairs = append(r.pairs, [2]string{f, name})
	}
}

// percent is s as URLs write it: ASCII letters, digits and the given characters
// stay, a space is as given.
func percent(s, stay, space string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			b.WriteString(space)
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte(stay, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// jsonPlain is the value as JSON without HTML escapes writes it.
func jsonPlain(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

func (r *redaction) build() *Redactor {
	if len(r.pairs) == 0 {
		return &Redactor{}
	}
	// strings.Replacer prefers earlier pairs where several match at one place.
	slices.SortStableFunc(r.pairs, func(a, b [2]string) int { return cmp.Compare(len(b[0]), len(a[0])) })
	var list []string
	for _, n := range r.names { // what is a placeholder already stays one
		list = append(list, Placeholder(n), Placeholder(n))
	}
	for _, p := range r.pairs {
		list = append(list, p[0], Placeholder(p[1]))
	}
	return &Redactor{strings.NewReplacer(list...)}
}
