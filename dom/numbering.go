package dom

import (
	"errors"
	"fmt"
	"sync"
)

var (
	// ErrStaleElement says that an index belongs to an element that is gone:
	// its document was replaced, or it was removed from it.
	ErrStaleElement = errors.New("dom: stale element")
	// ErrUnknownIndex says that no element ever had the index.
	ErrUnknownIndex = errors.New("dom: unknown index")
)

// Ref names an element inside the walker: a document and a number in it.
type Ref struct {
	// Doc is the token of the document ([Capture.Token]).
	Doc string
	// Num is the element's number in the walker, never given out twice.
	Num int
	// Control is the number of the hidden field that the element stands for,
	// 0 for none.
	Control int
}

// Numbering gives targets their indices: an element keeps its index for as
// long as it lives, and no index is ever given to a second element. Indices
// count on across documents, so that an old one is never mistaken for a new
// element. The zero value is ready; it may be used by several goroutines.
type Numbering struct {
	mu      sync.Mutex
	entries []numbered // by index-1
	docs    map[string]*docNumbers
	state   int // counts the states numbered
}

type numbered struct {
	doc      *docNumbers
	ref      int32
	control  int32
	seen     int32 // the last state it was in
	previous int32 // the state before that one
}

type docNumbers struct {
	token string
	index map[int32]int32 // ref -> index
	born  int             // how many indices there were before it
	first int             // the state it was first seen in, 0 before one did
	last  int             // the state it was last seen in
	prev  int             // the state it was seen in before that one
}

// keepDocs is for how many states a document that is not shown keeps its
// indices, so that going back in history finds them again.
const keepDocs = 50

// begin starts a state that shows the documents.
func (n *Numbering) begin(tokens []string) []*docNumbers {
	n.state++
	out := make([]*docNumbers, len(tokens))
	for i, t := range tokens {
		d := n.doc(t)
		if d.first == 0 {
			d.first = n.state
		}
		if d.last != n.state {
			d.prev, d.last = d.last, n.state
		}
		out[i] = d
	}
	for t, d := range n.docs {
		if d.last < n.state-keepDocs {
			d.index = nil
			delete(n.docs, t)
		}
	}
	return out
}

// join lets targets of the documents be numbered outside a state. Those of
// documents that no state showed yet are not new in the first that does.
func (n *Numbering) join(tokens []string) []*docNumbers {
	out := make([]*docNumbers, len(tokens))
	for i, t := range tokens {
		if n.docs[t] == nil {
			n.makeRoom()
		}
		out[i] = n.doc(t)
		out[i].last = n.state
	}
	return out
}

// doc returns what is known of a document.
func (n *Numbering) doc(token string) *docNumbers {
	if n.docs == nil {
		n.docs = make(map[string]*docNumbers)
	}
	d := n.docs[token]
	if d == nil {
		d = &docNumbers{token: token, index: make(map[int32]int32), born: len(n.entries)}
		n.docs[token] = d
	}
	return d
}

// makeRoom forgets the oldest document when many came without a state between
// them.
func (n *Numbering) makeRoom() {
	if len(n.docs) < 4*keepDocs {
		return
	}
	var oldest *docNumbers
	for _, d := range n.docs {
		if oldest == nil || d.born < oldest.born {
			oldest = d
		}
	}
	oldest.index = nil
	oldest.last = -1 // no state: its elements are stale
	delete(n.docs, oldest.token)
}

// number returns the index of an element and whether it is new: not in the
// previous state of a document that had one.
func (n *Numbering) number(d *docNumbers, ref, control int32) (index int, isNew bool) {
	state := int32(n.state)
	i, ok := d.index[ref]
	if !ok {
		n.entries = append(n.entries, numbered{doc: d, ref: ref, control: control, seen: state})
		i = int32(len(n.entries))
		d.index[ref] = i
		return int(i), d.first < n.state
	}
	e := &n.entries[i-1]
	if e.seen != state {
		e.previous, e.seen = e.seen, state
	}
	e.control = control
	return int(i), int(e.previous) != d.prev && d.first < n.state
}

// Lookup returns the element of an index. The error wraps [ErrUnknownIndex]
// for an index that was never given out, and [ErrStaleElement] when the
// element's document is no longer the one shown. Whether an element of the
// shown document still is in it only the browser knows.
func (n *Numbering) Lookup(index int) (Ref, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if index < 1 || index > len(n.entries) {
		if len(n.entries) == 0 {
			return Ref{}, fmt.Errorf("%w: %d; no element has been numbered yet, ask for the page state first", ErrUnknownIndex, index)
		}
		return Ref{}, fmt.Errorf("%w: %d; the highest is %d, use one from the latest page state", ErrUnknownIndex, index, len(n.entries))
	}
	e := n.entries[index-1]
	if e.doc.last != n.state {
		return Ref{}, fmt.Errorf("%w: %d was on a page that is gone; use an index from the latest page state", ErrStaleElement, index)
	}
	return Ref{Doc: e.doc.token, Num: int(e.ref), Control: int(e.control)}, nil
}

// Highest returns the highest index given out so far.
func (n *Numbering) Highest() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.entries)
}

// Peek returns the index an element has, 0 when it has none yet.
func (n *Numbering) Peek(r Ref) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if d := n.docs[r.Doc]; d != nil {
		return int(d.index[int32(r.Num)])
	}
	return 0
}
