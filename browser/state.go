package browser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// StateOptions say what of the current tab to look at. The zero value is what
// a model is shown by default: what is near the viewport, under a budget,
// without a screenshot.
type StateOptions struct {
	// Full looks at the whole page instead of what is near the viewport.
	Full bool
	// Margin is how far beyond the viewport near reaches, in CSS pixels.
	// Zero is 500.
	Margin int
	// Text says how the page is told.
	Text dom.TextOptions
	// Screenshot captures the viewport beside the page.
	Screenshot bool
	// Image says how; FullPage is not meant for numbered boxes.
	Image ScreenshotOptions
	// Marks draws the numbers of the targets on the screenshot.
	Marks bool
	// Fresh looks again even if nothing is known to have changed. Without it
	// a change that only style makes (an animation) may be up to a second
	// old.
	Fresh bool
	facts bool // what Session.Identify needs comes along
	// branch is the path of an element of the main document: the state holds
	// it and what it is in, and stands for the page in LastState only.
	branch string

	// Timeout bounds the whole. Zero is 10 s. Frames that do not answer in
	// time are named in Page.Missing.
	Timeout time.Duration
}

// State is what a session sees: its tabs and the page of the current one.
type State struct {
	Tab   string // id of the current tab
	Tabs  []Tab
	URL   string
	Title string
	Page  *dom.Page
	Text  *dom.Text
	// Screenshot is a PNG, or JPEG when asked for; nil without.
	Screenshot []byte
	// Unchanged is set when nothing changed since the state before.
	Unchanged bool
	// Timing says what it cost.
	Timing StateTiming

	captures []*dom.Capture // of its documents, when facts came along
	branch   bool           // it holds one branch of the page only
}

// StateTiming is what a state cost.
type StateTiming struct {
	Capture time.Duration // in the browser and on the way, hints and screenshot included
	Build   time.Duration // merging, naming, numbering
	Render  time.Duration // the text, and the marks when asked for
	Total   time.Duration
}

// pageStates is what a session remembers of the pages it showed.
type pageStates struct {
	mu        sync.Mutex
	numbering dom.Numbering
	homes     map[string]home // by document token
	last      *State

	identified *identified // of the last state that was asked about as a whole
}

// home is where a document lives.
type home struct {
	tab   *tab
	frame cdp.FrameID
}

// State looks at the current tab. Every element that can be used gets an
// index that stays with it; actions take it. When frames do not answer, or the
// page is too long, the state is what could be seen and Page.Missing says what
// is not in it. While Config.OnDialog decides about a dialog, which stops the
// page, State waits for as long as ctx allows.
func (s *Session) State(ctx context.Context, o StateOptions) (*State, error) {
	for {
		if err := s.dialogsAnswered(ctx); err != nil {
			return nil, fmt.Errorf("browser: look at the page: %w", err)
		}
		st, err := s.look(ctx, o)
		if err == nil || ctx.Err() != nil || !s.asking() {
			return st, err
		}
	}
}

// look is State but for dialogs.
func (s *Session) look(ctx context.Context, o StateOptions) (*State, error) {
	start := time.Now()
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, errStateTimeout)
	defer cancel()
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	t.rest(ctx)
	var shot []byte
	var shotErr error
	var wg sync.WaitGroup
	if o.Screenshot {
		done := make(chan struct{})
		wg.Go(func() {
			defer close(done)
			shot, shotErr = t.screenshot(ctx, o.Image)
		})
		waitChange(ctx, done, presentWait)
	}
	age := time.Second
	if o.Fresh {
		age = -1 // nothing kept is young enough
	}
	walk := dom.WalkOptions{Full: o.Full, Facts: o.facts, Margin: o.Margin, MaxAge: age, Limit: o.Timeout / 2, Branch: o.branch}
	top, frames, homes, err := t.capture(ctx, walk)
	if err != nil {
		wg.Wait()
		return nil, fmt.Errorf("browser: look at the page: %w", err)
	}
	st := &State{branch: o.branch != ""}
	st.Timing.Capture = time.Since(start)
	mark := time.Now()
	s.states.mu.Lock()
	if o.branch != "" {
		st.Page = dom.BuildBranch(top, &s.states.numbering)
	} else {
		st.Page = dom.Build(top, frames, &s.states.numbering)
	}
	s.states.remember(t, homes)
	s.states.mu.Unlock()
	if o.facts {
		st.captures = append(slices.Collect(maps.Values(frames)), top)
	}
	if t.unparsed() {
		st.Page.Missing = append(st.Page.Missing, "the rest of the document, which is still loading; wait for it if you need it")
	}
	st.Timing.Build = time.Since(mark)
	mark = time.Now()
	st.Text = st.Page.Text(o.Text)
	st.Timing.Render = time.Since(mark)
	if o.Screenshot {
		mark = time.Now()
		wg.Wait()
		st.Timing.Capture += time.Since(mark)
		mark = time.Now()
		st.show(shot, shotErr, o)
		st.Timing.Render += time.Since(mark)
	}
	st.URL, st.Title = st.Page.URL, st.Page.Title
	st.Tabs = s.Tabs()
	for i, x := range st.Tabs {
		if x.Current {
			st.Tab = x.ID
			st.Tabs[i].Title = st.Title // Chrome tells of a new one late
		}
	}
	s.states.mu.Lock()
	defer s.states.mu.Unlock()
	if l := s.states.last; l != nil && l.URL == st.URL && l.Text.String == st.Text.String {
		st.Unchanged = true
	}
	s.states.last = st
	st.Timing.Total = time.Since(start)
	return st, nil
}

// show adds the screenshot, or why there is none.
func (st *State) show(shot []byte, err error, o StateOptions) {
	st.Screenshot = shot
	said := len(st.Page.Missing)
	if err != nil {
		st.Page.Missing = append(st.Page.Missing, "no screenshot: "+err.Error())
	}
	if shot != nil && o.Marks {
		if marked, err := dom.DrawMarks(shot, st.Page); err == nil {
			st.Screenshot = marked
		} else {
			st.Page.Missing = append(st.Page.Missing, "no boxes on the screenshot: "+err.Error())
		}
	}
	if len(st.Page.Missing) > said {
		st.Text = st.Page.Text(o.Text)
	}
}

// unparsed reports whether the main document has not arrived as a whole.
func (t *tab) unparsed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.life.loader != "" && !t.life.dom
}

var errStateTimeout = errors.New("the page did not answer in time; reload it or open another")

// LastState returns the state looked at last, nil before the first. That of
// [Session.Relocate] may hold no more of the page than the element and what it
// is in.
func (s *Session) LastState() *State {
	s.states.mu.Lock()
	defer s.states.mu.Unlock()
	return s.states.last
}

// wholePage returns the state looked at last, or the page as it is now where
// that held one branch of it.
func (s *Session) wholePage(ctx context.Context) *State {
	st := s.LastState()
	if st == nil || !st.branch {
		return st
	}
	full, err := s.lookWhole(ctx)
	if err != nil {
		return st
	}
	return full
}

// remember notes where the documents of a state live and drops those of tabs
// that are gone.
func (p *pageStates) remember(t *tab, homes map[string]cdp.FrameID) {
	if p.homes == nil {
		p.homes = make(map[string]home)
	}
	for token, h := range p.homes {
		select {
		case <-h.tab.gone:
			delete(p.homes, token)
		default:
		}
	}
	for token, f := range homes {
		for old, h := range p.homes {
			if h.tab == t && h.frame == f && old != token {
				delete(p.homes, old)
			}
		}
		p.homes[token] = home{t, f}
	}
}

// resolve finds the element of an index: the tab, the frame whose world holds
// the walker that knows it, and its number there. The error wraps
// dom.ErrUnknownIndex or dom.ErrStaleElement.
func (s *Session) resolve(index int) (home, dom.Ref, error) {
	s.states.mu.Lock()
	defer s.states.mu.Unlock()
	ref, err := s.states.numbering.Lookup(index)
	if err != nil {
		return home{}, ref, err
	}
	h, ok := s.states.homes[ref.Doc]
	if !ok {
		return home{}, ref, fmt.Errorf("%w: %d was on a page that is gone; use an index from the latest page state", dom.ErrStaleElement, index)
	}
	return h, ref, nil
}

// indexFor returns the index of a numbered element of a document, 0 when it
// has none.
func (s *Session) indexFor(frame cdp.FrameID, ref int) int {
	s.states.mu.Lock()
	defer s.states.mu.Unlock()
	for token, h := range s.states.homes {
		if h.frame == frame {
			if i := s.states.numbering.Peek(dom.Ref{Doc: token, Num: ref}); i != 0 {
				return i
			}
		}
	}
	return 0
}
