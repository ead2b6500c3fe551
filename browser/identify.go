package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// Identify describes the element with the index of the last state, so that
// [Session.Relocate] finds it again in a later page.
func (s *Session) Identify(ctx context.Context, index int) (dom.Identity, error) {
	st := s.LastState()
	if _, _, err := s.resolve(index); err != nil {
		return dom.Identity{}, err
	}
	if id, ok := s.states.identity(st, index); ok {
		return id, nil
	}
	if st == nil || !st.branch && st.Page.At(index) == nil {
		return dom.Identity{}, fmt.Errorf("%w: %d is not in the latest page state; use an index from it", dom.ErrStaleElement, index)
	}
	if st.branch || leavesOut(st.Page) {
		// Twins are counted over the whole page, as Relocate does.
		if full, err := s.lookWhole(ctx); err == nil {
			st = full
		}
	}
	ids, indices, err := s.identities(ctx, st)
	if err != nil {
		return dom.Identity{}, err
	}
	for i, n := range indices {
		if n == index {
			return ids[i], nil
		}
	}
	return dom.Identity{}, fmt.Errorf("%w: %d was removed from the page; look at it again", dom.ErrStaleElement, index)
}

// Relocate looks in the whole page for an element that was identified earlier,
// unless the element is in its old place and nothing else can be taken for it.
// It returns the element's index now and how sure the match is. The error
// wraps dom.ErrNoMatch or dom.ErrAmbiguous.
func (s *Session) Relocate(ctx context.Context, want dom.Identity) (index int, level dom.Level, err error) {
	switch index, err = s.inPlace(ctx, want); {
	case err != nil:
		return 0, dom.LevelNone, err
	case index != 0:
		return index, dom.LevelExact, nil
	}
	// A twin outside a part of the page would go unseen, so the whole decides.
	st, err := s.lookWhole(ctx)
	if err != nil {
		return 0, dom.LevelNone, err
	}
	ids, indices, err := s.identities(ctx, st)
	if err != nil {
		return 0, dom.LevelNone, err
	}
	s.states.keepIdentities(st, ids, indices)
	i, level, err := dom.Match(want, ids)
	if err != nil {
		return 0, level, err
	}
	return indices[i], level, nil
}

// lookWhole looks at all of the page, for what its elements are found again by.
func (s *Session) lookWhole(ctx context.Context) (*State, error) {
	return s.State(ctx, StateOptions{Full: true, facts: true, Text: dom.TextOptions{Budget: 1}})
}

// inPlace finds an element by all that was recorded of it where it stood then.
// That is the same answer as of the whole page, for a fraction of its cost. The
// index is 0 when only the whole can tell.
func (s *Session) inPlace(ctx context.Context, want dom.Identity) (index int, err error) {
	if want.Path == "" || want.Frame != "" || want.Twins > 1 || want.Exact == 0 {
		return 0, nil
	}
	st, err := s.State(ctx, StateOptions{facts: true, branch: want.Path, Text: dom.TextOptions{Budget: 1}})
	if errors.Is(err, dom.ErrNoBranch) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	ids, indices, err := s.identities(ctx, st)
	if err != nil {
		return 0, err
	}
	for i, id := range ids {
		if id.Path == want.Path && id.Exact == want.Exact && id.Frame == "" {
			// What is beside it was not looked at, so the others' twins are not known.
			ids[i].Within = want.Within
			s.states.keepIdentities(st, ids[i:i+1], indices[i:i+1])
			return indices[i], nil
		}
	}
	return 0, nil
}

// leavesOut reports that a state of what is near the viewport may lack some of
// the page.
func leavesOut(p *dom.Page) bool {
	if p.Scroll.Height > p.Scroll.ViewH+500 {
		return true
	}
	for i := range p.Elements {
		if p.Elements[i].Scroll != nil {
			return true
		}
	}
	return false
}

// identified are the identities of all targets of one state.
type identified struct {
	state *State
	ids   map[int]dom.Identity // by index
}

// keepIdentities remembers what the targets of a state are found again by: who
// relocates an element asks next what it is.
func (p *pageStates) keepIdentities(st *State, ids []dom.Identity, indices []int) {
	k := &identified{state: st, ids: make(map[int]dom.Identity, len(ids))}
	for i, n := range indices {
		k.ids[n] = ids[i]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.identified = k
}

// identity is what is known of a target of a state; ok is false when nothing is.
func (p *pageStates) identity(st *State, index int) (id dom.Identity, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.identified == nil || p.identified.state != st {
		return id, false
	}
	id, ok = p.identified.ids[index]
	return id, ok
}

// identities describes every target of a state. What did not come along with
// it is asked for, once a process of the page.
func (s *Session) identities(ctx context.Context, st *State) (ids []dom.Identity, indices []int, err error) {
	p := st.Page
	known := make(map[dom.Ref]*dom.Facts)
	missing := make(map[string][]int) // numbers by document
	homes := make(map[string]home)
	for i := range p.Elements {
		e := &p.Elements[i]
		ref, ok := p.Ref(e)
		if e.Index == 0 || !ok {
			continue
		}
		ref.Control = 0
		if f := st.fact(ref); f != nil {
			known[ref] = f
			continue
		}
		if _, ok := homes[ref.Doc]; !ok {
			h, _, err := s.resolve(e.Index)
			if err != nil {
				continue
			}
			homes[ref.Doc] = h
		}
		missing[ref.Doc] = append(missing[ref.Doc], ref.Num)
	}
	for doc, refs := range missing {
		h := homes[doc]
		facts, err := h.tab.facts(ctx, h.frame, refs)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range facts {
			if f != nil {
				known[dom.Ref{Doc: doc, Num: f.Ref}] = f
			}
		}
	}
	for i := range p.Elements {
		e := &p.Elements[i]
		ref, ok := p.Ref(e)
		if e.Index == 0 || !ok {
			continue
		}
		ref.Control = 0
		if f := known[ref]; f != nil {
			ids = append(ids, p.Identify(e, f))
			indices = append(indices, e.Index)
		}
	}
	dom.CountTwins(ids)
	return ids, indices, nil
}

// fact is what came along about an element, nil when nothing did.
func (st *State) fact(ref dom.Ref) *dom.Facts {
	for _, c := range st.captures {
		if c.Token == ref.Doc {
			return c.Facts(ref.Num)
		}
	}
	return nil
}

func (t *tab) facts(ctx context.Context, frame cdp.FrameID, refs []int) ([]*dom.Facts, error) {
	sess, world, err := t.world(ctx, frame)
	if err != nil {
		return nil, err
	}
	res, err := cdp.Call(ctx, sess, runtime.Evaluate, runtime.EvaluateParams{
		Expression: dom.FactsExpression(refs), ContextID: world, ReturnByValue: new(true), Silent: new(true),
	})
	if err != nil {
		if isStaleContext(err) {
			return nil, fmt.Errorf("%w: the page was replaced; look at it again", dom.ErrStaleElement)
		}
		return nil, err
	}
	var raw jsonv2.Value
	if err := decodeRemote(res.Result, res.ExceptionDetails, &raw); err != nil {
		var se *ScriptError
		if errors.As(err, &se) {
			return nil, fmt.Errorf("%w: the page was replaced; look at it again", dom.ErrStaleElement)
		}
		return nil, err
	}
	return dom.DecodeFacts(raw)
}
