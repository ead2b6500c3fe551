package dom

import (
	"errors"
	"fmt"
	"testing"
)

// Elements numbered between states, by looks at single branches, keep to the
// rules of those numbered in states.
func TestNumbersOutsideAState(t *testing.T) {
	var n Numbering
	give := func(d *docNumbers, ref int32) (int, bool) { return n.number(d, ref, 0) }
	old := n.begin([]string{"old"})[0]
	first, _ := give(old, 1)
	page := n.join([]string{"page"})[0]
	a, _ := give(page, 7)
	for _, i := range []int{first, a} {
		if _, err := n.Lookup(i); err != nil {
			t.Errorf("index %d after a look at another document: %v", i, err)
		}
	}
	page = n.begin([]string{"page"})[0]
	if i, isNew := give(page, 7); i != a || isNew {
		t.Errorf("the element has index %d, new %v; it was given %d", i, isNew, a)
	}
	if _, isNew := give(page, 8); isNew {
		t.Error("an element of a document's first state is new")
	}
	if _, err := n.Lookup(first); !errors.Is(err, ErrStaleElement) {
		t.Errorf("an index of the document before: %v", err)
	}
	page = n.begin([]string{"page"})[0]
	if _, isNew := give(page, 7); isNew {
		t.Error("an element of the state before is new")
	}
	if _, isNew := give(page, 9); !isNew {
		t.Error("an element that came is not new")
	}
}

func TestDocumentsWithoutStatesAreForgotten(t *testing.T) {
	var n Numbering
	var first, last int
	for i := range 1000 {
		d := n.join([]string{fmt.Sprint(i)})[0]
		last, _ = n.number(d, 1, 0)
		if i == 0 {
			first = last
		}
	}
	if len(n.docs) > 4*keepDocs {
		t.Errorf("%d documents are kept", len(n.docs))
	}
	if _, err := n.Lookup(first); !errors.Is(err, ErrStaleElement) {
		t.Errorf("an index of the first document: %v", err)
	}
	if _, err := n.Lookup(last); err != nil {
		t.Errorf("an index of the last document: %v", err)
	}
}
