package dom

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Hash is a 64-bit fingerprint. JSON holds it as a string of hexadecimal
// digits, since numbers of that size do not survive every reader.
type Hash uint64

// String returns the hash in hexadecimal.
func (h Hash) String() string { return fmt.Sprintf("%016x", uint64(h)) }

// MarshalText returns the hash in hexadecimal.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (h *Hash) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 16, 64)
	if err != nil {
		return fmt.Errorf("dom: hash %q is not hexadecimal", b)
	}
	*h = Hash(v)
	return nil
}

// Facts are what the script's identify says of an element.
type Facts struct {
	Ref   int               `json:"ref"`
	Tag   string            `json:"tag"`
	Path  string            `json:"path"`
	Attrs map[string]string `json:"attrs"`
}

// DecodeFacts reads the answer of the script's identify: one entry for each
// reference asked about, nil for an element that is gone.
func DecodeFacts(data []byte) ([]*Facts, error) {
	var out []*Facts
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("dom: decode identities: %w", err)
	}
	return out, nil
}

// FactsExpression returns the JavaScript that asks for facts in the script's
// world; its value is what DecodeFacts reads.
func FactsExpression(refs []int) string {
	b := append(make([]byte, 0, 32+len(refs)*5), Global+".identify(["...)
	for i, r := range refs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(r), 10)
	}
	return string(append(b, "])"...))
}

// Identity describes an element so that it can be found again in a later
// page, by [Match].
type Identity struct {
	Tag  string `json:"tag"`
	Role string `json:"role,omitempty"`
	// Name is the accessible name.
	Name string `json:"name,omitempty"`
	// Frame is the chain of documents from the top, "" for the top document.
	Frame string `json:"frame,omitempty"`
	// Path is where the element stands in its document, with positions among
	// siblings; // passes into a shadow root.
	Path string `json:"path"`
	// Exact covers tags of the path, attributes and name; Stable the same
	// without what changes with the state, such as the class "active".
	Exact  Hash `json:"exact"`
	Stable Hash `json:"stable"`
	// Unique are attributes that may point out one element by themselves.
	Unique map[string]string `json:"unique,omitempty"`
	// Within names the rows, forms, dialogs and other groups around it, from
	// the innermost on. Nil when it is not known.
	Within []string `json:"within,omitempty"`
	// Twins is how many elements of the page had the same Exact when this was
	// taken, itself included, and Twin which of them it was, from 1.
	Twins int `json:"twins,omitempty"`
	Twin  int `json:"twin,omitempty"`
}

// passing are class words that come and go with an element's state.
var passing = []string{
	"focus", "hover", "active", "selected", "disabled", "animat", "transition", "loading", "open", "closed", "expanded",
	"collapsed", "visible", "hidden", "pressed", "checked", "highlight", "current", "entering", "leaving", "dirty", "touched",
	"pristine", "valid", "error",
}

// uniqueAttrs are tried one by one, in this order.
var uniqueAttrs = []string{"data-testid", "data-test", "data-cy", "data-qa", "id", "name", "aria-label", "placeholder", "title", "href"}

// Identify makes the identity of an element of the page from its facts.
func (p *Page) Identify(e *Element, f *Facts) Identity {
	id := Identity{Tag: f.Tag, Role: e.Role, Name: e.Name, Frame: p.frameChain(e.Frame), Path: f.Path, Within: p.within(e)}
	plain := plainPath(f.Path)
	id.Exact = fingerprint(plain, id.Frame, e.Name, f.Attrs, false)
	id.Stable = fingerprint(plain, id.Frame, e.Name, f.Attrs, true)
	id.Unique = UniqueAttributes(f.Tag, f.Attrs)
	return id
}

// UniqueAttributes are those of an element's attributes that an identity keeps
// to find it by, nil when there are none.
func UniqueAttributes(tag string, attrs map[string]string) map[string]string {
	var out map[string]string
	for _, a := range uniqueAttrs {
		if v := attrs[a]; v != "" {
			if out == nil {
				out = make(map[string]string)
			}
			out[a] = v
		}
	}
	// A value tells the choices of one name apart; alone it says nothing.
	choice := tag != "input" || attrs["type"] == "radio" || attrs["type"] == "checkbox" || attrs["type"] == "submit"
	if v := attrs["value"]; v != "" && out != nil && choice {
		out["value"] = v
	}
	return out
}

// CountTwins fills in Twins and Twin of every identity of one page, given in
// the page's order.
func CountTwins(ids []Identity) {
	total := make(map[Hash]int)
	for i := range ids {
		total[ids[i].Exact]++
		ids[i].Twin = total[ids[i].Exact]
	}
	for i := range ids {
		ids[i].Twins = total[ids[i].Exact]
	}
}

// frameChain names a document by the addresses above it, without what changes
// from visit to visit, and its place among documents of the same address.
func (p *Page) frameChain(frame int) string {
	var parts []string
	for f := frame; f > 0 && f < len(p.Frames) && len(parts) < 32; f = p.Frames[f].Parent {
		base := stripURL(p.Frames[f].URL)
		n := 1
		for g := range f {
			if p.Frames[g].Parent == p.Frames[f].Parent && stripURL(p.Frames[g].URL) == base {
				n++
			}
		}
		parts = append(parts, base+"#"+strconv.Itoa(n))
	}
	slices.Reverse(parts)
	return strings.Join(parts, " > ")
}

func stripURL(u string) string {
	if i := strings.IndexAny(u, "?#"); i >= 0 {
		return u[:i]
	}
	return u
}

// plainPath takes the positions out of a path.
func plainPath(p string) string {
	if !strings.Contains(p, "[") {
		return p
	}
	var b strings.Builder
	in := false
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '[':
			in = true
		case ']':
			in = false
		default:
			if !in {
				b.WriteByte(p[i])
			}
		}
	}
	return b.String()
}

func fingerprint(path, frame, name string, attrs map[string]string, stable bool) Hash {
	names := make([]string, 0, len(attrs))
	for k := range attrs {
		names = append(names, k)
	}
	slices.Sort(names)
	h := sha256.New()
	write := func(s string) {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	write(path)
	write(frame)
	for _, k := range names {
		v := attrs[k]
		if k == "class" {
			v = classes(v, stable)
			if v == "" {
				continue
			}
		}
		if stable && (k == "value" || k == "src" || k == "href" && strings.Contains(v, "?")) {
			continue
		}
		write(k)
		write(v)
	}
	write("name")
	write(name)
	return Hash(binary.BigEndian.Uint64(h.Sum(nil)))
}

// classes returns the class words in order, without the passing ones when
// stable.
func classes(v string, stable bool) string {
	words := strings.Fields(v)
	if stable {
		words = slices.DeleteFunc(words, func(w string) bool {
			w = strings.ToLower(w)
			for _, p := range passing {
				if strings.Contains(w, p) {
					return true
				}
			}
			return false
		})
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}
