package dom

import (
	"errors"
	"fmt"
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
	Want       Identity
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
			return found[0], l, nil
		}
		if want.Twins == len(found) && want.Twin >= 1 && want.Twin <= len(found) && (l == LevelExact || l == LevelStable) {
			return found[want.Twin-1], l, nil
		}
		return -1, l, &AmbiguousError{Level: l, Candidates: found, Want: want}
	}
	in := ""
	if want.Frame != "" {
		in = " in the frame " + want.Frame
	}
	return -1, LevelNone, fmt.Errorf("%w <%s> %q%s", ErrNoMatch, want.Tag, want.Name, in)
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
		if want.Name != "" {
			collect(func(x *Identity) bool { return x.Name == want.Name && x.Tag == want.Tag })
		}
	case LevelUnique:
		for _, a := range uniqueAttrs {
			v := want.Unique[a]
			if v == "" {
				continue
			}
			out = out[:0]
			collect(func(x *Identity) bool { return x.Unique[a] == v && x.Tag == want.Tag })
			if len(out) == 1 {
				return out
			}
		}
		return nil
	}
	return out
}

// contradicts reports that x says of itself that it is another element: it
// has another name and another id or test id, or somebody elsewhere on the
// ladder would be it.
func contradicts(want Identity, x *Identity) bool {
	if want.Name != "" && x.Name != "" && want.Name != x.Name {
		return true
	}
	for _, a := range []string{"data-testid", "data-test", "data-cy", "data-qa", "id", "name"} {
		if w, v := want.Unique[a], x.Unique[a]; w != "" && v != "" && w != v {
			return true
		}
	}
	return false
}
