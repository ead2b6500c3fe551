package dom

import (
	"errors"
	"fmt"
	"strings"
)

// Level says how an element was found again, from the surest on.
type Level int

// The rungs of the ladder that [Match] climbs down.
const (
	LevelNone   Level = iota
	LevelExact        // same path, attributes and name
	LevelStable       // the same but for what changes with the state
	LevelPath         // same place and tag
	LevelName         // same tag and accessible name
	LevelUnique       // same value of an attribute only it has
)

// String names the level.
func (l Level) String() string {
	switch l {
	case LevelExact:
		return "exact"
	case LevelStable:
		return "stable"
	case LevelPath:
		return "path"
	case LevelName:
		return "name"
	case LevelUnique:
		return "unique attribute"
	}
	return "none"
}

// Errors of [Match].
var (
	// ErrAmbiguous says that several elements answer to the description
	// equally well. The error is an *AmbiguousError.
	ErrAmbiguous = errors.New("dom: more than one element matches")
	// ErrNoMatch says that none does.
	ErrNoMatch = errors.New("dom: no element matches")
)

// AmbiguousError lists the elements that match equally well.
type AmbiguousError struct {
	Level Level
	// Candidates are positions in the list given to Match.
	Candidates []int
	// Elements are what was found there.
	Elements []Identity
	Want     Identity
}

func ambiguous(want Identity, page []Identity, l Level, found ...int) *AmbiguousError {
	e := &AmbiguousError{Level: l, Candidates: found, Want: want}
	for _, i := range found {
		e.Elements = append(e.Elements, page[i])
	}
	return e
}

// Error says how many match, by what.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("dom: %d elements match <%s> %q by %s alike; refusing to guess", len(e.Candidates), e.Want.Tag, e.Want.Name, e.Level)
}

// Unwrap returns ErrAmbiguous.
func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// Match finds the element described by want among the elements of a page, in
// the page's order. It stays in the element's frame, takes the first level on
// which anything matches, and refuses to guess between equals: twins are told
// apart by their place only when there are as many as there were.
func Match(want Identity, page []Identity) (position int, level Level, err error) {
	for _, l := range []Level{LevelExact, LevelStable, LevelPath, LevelName, LevelUnique} {
		found := matching(want, page, l)
		switch len(found) {
		case 0:
			continue
		case 1:
			if other := rival(want, page, l, found[0]); other >= 0 {
				return -1, l, ambiguous(want, page, l, found[0], other)
			}
			return found[0], l, nil
		}
		if want.Twins == len(found) && want.Twin >= 1 && want.Twin <= len(found) && (l == LevelExact || l == LevelStable) {
			return found[want.Twin-1], l, nil
		}
		return -1, l, ambiguous(want, page, l, found...)
	}
	in := ""
	if want.Frame != "" {
		in = " in the frame " + want.Frame
	}
	return -1, LevelNone, fmt.Errorf("%w %s%s", ErrNoMatch, want.words(), in)
}

// words says in short what is looked for.
func (id Identity) words() string {
	s := id.Role
	if id.Tag != "" {
		s = "<" + id.Tag + ">"
	}
	if id.Name != "" {
		s += fmt.Sprintf(" %q", id.Name)
	}
	for _, a := range uniqueAttrs {
		if v := id.Unique[a]; v != "" && id.Name == "" {
			s += fmt.Sprintf(" %s=%q", a, v)
		}
	}
	return strings.TrimSpace(s)
}

func matching(want Identity, page []Identity, l Level) []int {
	var out []int
	collect := func(same func(*Identity) bool) {
		for i := range page {
			if page[i].Frame == want.Frame && same(&page[i]) {
				out = append(out, i)
			}
		}
	}
	switch l {
	case LevelExact:
		collect(func(x *Identity) bool { return x.Exact == want.Exact })
	case LevelStable:
		collect(func(x *Identity) bool { return x.Stable == want.Stable })
	case LevelPath:
		// What stands in the same place must not plainly be something else.
		collect(func(x *Identity) bool {
			return want.Path != "" && x.Path == want.Path && x.Tag == want.Tag && !contradicts(want, x)
		})
	case LevelName:
		// The same words elsewhere are another button, unless an attribute says
		// that it was moved.
		if want.Name != "" {
			collect(func(x *Identity) bool {
				return x.Name == want.Name && alike(want, x) && !contradicts(want, x) &&
					(want.Within == nil || sameGroup(want.Within, x.Within) || shares(want, x))
			})
		}
	case LevelUnique:
		for _, a := range uniqueAttrs {
			v := want.Unique[a]
			if v == "" {
				continue
			}
			out = out[:0]
			collect(func(x *Identity) bool {
				return x.Unique[a] == v && (x.Tag == want.Tag || want.Tag == "") && sameValue(want, x) &&
					(!loose[a] || want.Within == nil || sameGroup(want.Within, x.Within))
			})
			if len(out) == 1 {
				return out
			}
		}
		return nil
	}
	return out
}

// loose attributes are given to other elements as pages change; alone they
// count only where the element's group is the same.
var loose = map[string]bool{"id": true, "title": true}

// strong attributes mean one element as long as they are there.
var strong = []string{"data-testid", "data-test", "data-cy", "data-qa", "id", "name"}

// rival returns an element that a weaker rung of the ladder points to instead,
// -1 when there is none: two clues that disagree are no clue.
func rival(want Identity, page []Identity, l Level, found int) int {
	if l != LevelName || shares(want, &page[found]) {
		return -1
	}
	if other := matching(want, page, LevelUnique); len(other) == 1 && other[0] != found {
		return other[0]
	}
	return -1
}

// alike reports the same kind of element. A description by hand may leave out
// the tag, or both.
func alike(want Identity, x *Identity) bool {
	return x.Tag == want.Tag || want.Role != "" && x.Role == want.Role || want.Tag == "" && want.Role == ""
}

// shares reports that one of the strong attributes is the same.
func shares(want Identity, x *Identity) bool {
	for _, a := range strong {
		if v := want.Unique[a]; v != "" && x.Unique[a] == v && sameValue(want, x) {
			return true
		}
	}
	return false
}

// sameValue reports the same one of several choices of a name.
func sameValue(want Identity, x *Identity) bool {
	v := want.Unique["value"]
	return v == "" || x.Unique["value"] == v
}

// contradicts reports that x says of itself that it is another element: it
// has another name, test id, field name or value, or leads elsewhere. A new id
// with the same words is the same element after a build.
func contradicts(want Identity, x *Identity) bool {
	if want.Name != "" && x.Name != "" && want.Name != x.Name && !shares(want, x) {
		return true
	}
	for _, a := range []string{"data-testid", "data-test", "data-cy", "data-qa", "name", "value"} {
		if w, v := want.Unique[a], x.Unique[a]; w != "" && v != "" && w != v {
			return true
		}
	}
	if w, v := want.Unique["href"], x.Unique["href"]; w != "" && v != "" && digitless(stripURL(w)) != digitless(stripURL(v)) {
		return true
	}
	// Without a word or an attribute the place alone is left, and pages move.
	return want.Name == "" && x.Name == "" && !shares(want, x)
}

// digitless masks numbers, which addresses of the same thing may differ in.
func digitless(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, s)
}
