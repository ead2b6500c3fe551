package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// captures keeps what was last seen of a tab's documents, so that a page that
// did not change costs one round trip.
type captures struct {
	mu     sync.Mutex // one capture of a tab at a time
	frames map[cdp.FrameID]*frameCapture
}

// frameCapture is the last capture of one document and the documents that
// share its process.
type frameCapture struct {
	frame   cdp.FrameID
	sess    *cdpSession
	world   runtime.ExecutionContextID
	options dom.WalkOptions
	last    *dom.Capture
	parts   int // in which a walk that looked again came the last time

	document     *call                        // that asks for mainDocument
	mainDocument runtime.RemoteObjectID       // document in the page's own world
	listening    map[cdp.BackendNodeID]uint32 // what the walker was told
	heard        int                          // Capture.Mutations when the page was last asked about them
	heardAt      time.Time
	moves        bool                 // it had changed then
	named        map[cdp.FrameID]bool // cross-process frames it knows
}

// roots lists the tab's frames that have a session of their own, the main
// frame first.
func (t *tab) roots() []cdp.FrameID {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []cdp.FrameID{t.main}
	for id, f := range t.frames {
		if id == t.main {
			continue
		}
		if p := t.frames[f.parent]; p == nil || p.sess != f.sess {
			out = append(out, id)
		}
	}
	return out
}

// capture walks the page and its cross-process frames, all at once, or the one
// branch that o names, which is in the main document. A frame that fails is left
// out; the main frame's failure is the error.
func (t *tab) capture(ctx context.Context, o dom.WalkOptions) (top *dom.Capture, frames map[string]*dom.Capture, homes map[string]cdp.FrameID, err error) {
	t.captures.mu.Lock()
	defer t.captures.mu.Unlock()
	ids := t.roots()
	if t.captures.frames == nil {
		t.captures.frames = make(map[cdp.FrameID]*frameCapture)
	}
	maps.DeleteFunc(t.captures.frames, func(id cdp.FrameID, _ *frameCapture) bool { return !slices.Contains(ids, id) })
	if o.Branch != "" {
		ids = ids[:1]
	}
	results := make([]*dom.Capture, len(ids))
	errs := make([]error, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		fc := t.captures.frames[id]
		if fc == nil {
			fc = &frameCapture{frame: id}
			t.captures.frames[id] = fc
		}
		run := func() { results[i], errs[i] = t.captureFrame(ctx, fc, o) }
		if i == len(ids)-1 {
			run()
			continue
		}
		wg.Go(run)
	}
	wg.Wait()
	if errs[0] != nil {
		return nil, nil, nil, errs[0]
	}
	homes = make(map[string]cdp.FrameID, len(ids))
	frames = make(map[string]*dom.Capture, len(ids)-1)
	for i, id := range ids {
		if results[i] == nil {
			continue
		}
		homes[results[i].Token] = id
		if i > 0 {
			frames[string(id)] = results[i]
		}
	}
	return results[0], frames, homes, nil
}

// captureFrame walks one document. A document replaced meanwhile is tried
// again.
func (t *tab) captureFrame(ctx context.Context, fc *frameCapture, o dom.WalkOptions) (*dom.Capture, error) {
	try := t.tryCapture
	if o.Branch != "" {
		try = t.tryBranch
	}
	for attempt := 0; ; attempt++ {
		c, err := try(ctx, fc, o)
		if err == nil {
			return c, nil
		}
		if attempt >= 3 || ctx.Err() != nil || !(isStaleContext(err) || isDecodeRace(err)) {
			return nil, err
		}
		t.forgetWorld(fc.frame)
		fc.world = 0
	}
}

// isDecodeRace reports an answer that was not the walker's, which a document
// replaced between two commands gives.
func isDecodeRace(err error) bool { return errors.Is(err, errNoWalker) }

var errNoWalker = errors.New("browser: the page has no walker yet")

// listenEvery is how old knowledge of listeners may get on a page whose tree
// does not change.
const listenEvery = 2 * time.Second

// maxRoots is how deep closed shadow roots within closed ones are followed in
// one look.
const maxRoots = 8

// tryBranch walks a branch. Neither listeners nor closed shadow roots are asked
// for: they do not make another element of the one that is found.
func (t *tab) tryBranch(ctx context.Context, fc *frameCapture, o dom.WalkOptions) (*dom.Capture, error) {
	var ahead *call
	fresh, err := t.enter(ctx, fc, func() { ahead = fc.begin(o, true) })
	if err != nil {
		return nil, err
	}
	if !fresh {
		ahead = fc.begin(o, true)
	}
	c, err := fc.finish(ctx, o, ahead)
	if fresh && errors.Is(err, errNoWalker) { // it came after the walk
		c, err = fc.walk(ctx, o, false)
	}
	return c, err
}

func (t *tab) tryCapture(ctx context.Context, fc *frameCapture, o dom.WalkOptions) (*dom.Capture, error) {
	fresh, err := t.enter(ctx, fc, fc.askDocument)
	if err != nil {
		return nil, err
	}
	first := fc.heardAt.IsZero() // a branch of it may have been walked
	if first {
		fc.takeDocument(ctx)
		fc.listen(ctx, fc.askListeners())
	}
	t.nameFrames(ctx, fc)
	same := o
	same.Since = ""
	if fc.last != nil && fc.options == same && o.MaxAge >= 0 {
		o.Since = fc.last.Generation
	}
	// Listeners come with elements, rarely without a change of the tree. A
	// page that changed the last time is asked at once.
	var asked *call
	if !first && fc.moves {
		asked = fc.askListeners()
	}
	c, err := fc.walk(ctx, o, !fresh)
	switch {
	case errors.Is(err, dom.ErrUnchanged):
		fc.moves = false
		return fc.last, nil
	case err != nil:
		return nil, err
	}
	fc.moves = c.Mutations != fc.heard
	if asked == nil && !first && (fc.moves || time.Since(fc.heardAt) > listenEvery) {
		asked = fc.askListeners()
	}
	again := fc.listen(ctx, asked)
	fc.heard = c.Mutations
	for range maxRoots {
		if c.Suspects > 0 && fc.adoptRoots(ctx) {
			again = true
		}
		if c.Foreign > 0 && t.nameFrames(ctx, fc) {
			again = true
		}
		if !again || c.Partial == "time" {
			break
		}
		if until, ok := ctx.Deadline(); ok {
			o.Limit = min(o.Limit, time.Until(until)/2)
		}
		// What comes to light may hold more of the kind.
		o.Since, again = "", false
		c2, err := fc.walk(ctx, o, false)
		if err != nil {
			break
		}
		c = c2
	}
	if !o.Markdown {
		fc.last, fc.options = c, same
	}
	return c, nil
}

// enter makes sure the document has the walker; fresh is true when it had not,
// and then ahead is called to send what can travel with it.
func (t *tab) enter(ctx context.Context, fc *frameCapture, ahead func()) (fresh bool, err error) {
	sess, world, err := t.world(ctx, fc.frame)
	if err != nil {
		return false, err
	}
	if fc.world == world && fc.sess == sess {
		return false, nil
	}
	*fc = frameCapture{
		frame: fc.frame, sess: sess, world: world,
		listening: make(map[cdp.BackendNodeID]uint32), named: make(map[cdp.FrameID]bool),
	}
	script := dom.Script()
	if fc.frame == t.main && t.bootNext() {
		script = bootWalker
	}
	install := fc.evaluate(script, true)
	ahead()
	var res runtime.EvaluateResult
	if err := install.wait(ctx, &res); err != nil {
		fc.world = 0
		return false, err
	}
	token := ""
	err = decodeRemote(res.Result, res.ExceptionDetails, &token)
	if err == nil && token == "" { // the document was there before its scripts were
		res = runtime.EvaluateResult{}
		if err = fc.evaluate(dom.Script(), true).wait(ctx, &res); err == nil {
			err = decodeRemote(res.Result, res.ExceptionDetails, nil)
		}
	}
	if err != nil {
		fc.world = 0
		return false, fmt.Errorf("browser: install the page walker: %w", err)
	}
	return true, nil
}

// askDocument asks for the document in the page's own world, in which its
// listeners are seen.
func (fc *frameCapture) askDocument() {
	fc.document = fc.sess.send(runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "document", Silent: new(true), ObjectGroup: worldName})
}

func (fc *frameCapture) takeDocument(ctx context.Context) {
	if fc.document == nil {
		fc.askDocument()
	}
	var res runtime.EvaluateResult
	if fc.document.wait(ctx, &res) == nil && res.Result != nil {
		fc.mainDocument = res.Result.ObjectID
	}
	fc.document = nil
}

// evaluate sends an expression to the walker's world.
func (fc *frameCapture) evaluate(expr string, byValue bool) *call {
	return fc.sess.send(runtime.CommandEvaluate, runtime.EvaluateParams{
		Expression: expr, ContextID: fc.world, ReturnByValue: &byValue, Silent: new(true), ObjectGroup: worldName,
	})
}

// walk runs the walker and decodes its answer.
func (fc *frameCapture) walk(ctx context.Context, o dom.WalkOptions, guard bool) (*dom.Capture, error) {
	return fc.finish(ctx, o, fc.begin(o, guard))
}

// begin sends the walk. With guard it may find that there is no walker.
func (fc *frameCapture) begin(o dom.WalkOptions, guard bool) *call {
	expr := o.Expression()
	if guard {
		expr = "globalThis." + dom.Global + " ? " + expr + " : '?'"
	}
	return fc.evaluate(expr, true)
}

// finish waits for the answer of a walk and decodes it.
func (fc *frameCapture) finish(ctx context.Context, o dom.WalkOptions, first *call) (*dom.Capture, error) {
	var calls []*call
	ask := func(n int) {
		for len(calls) < n-1 {
			calls = append(calls, fc.evaluate(dom.PartExpression(len(calls)+1), true))
		}
	}
	if o.Since == "" && o.Branch == "" {
		// It will hardly come in fewer parts than before.
		ask(fc.parts)
	}
	value, err := text(ctx, first)
	if err != nil {
		return nil, err
	}
	if string(value) == `"?"` {
		return nil, errNoWalker
	}
	n := dom.Parts(value)
	ask(n)
	if o.Branch == "" {
		fc.parts = n
	}
	more := make([][]byte, n-1)
	for i, c := range calls[:n-1] {
		if more[i], err = text(ctx, c); err != nil {
			return nil, err
		}
	}
	return dom.Decode(value, more...)
}

// text waits for the string, quoted, that an evaluation comes to.
func text(ctx context.Context, c *call) ([]byte, error) {
	var raw jsonv2.Value
	if err := c.wait(ctx, &raw); err != nil {
		return nil, err
	}
	return remoteValue(raw)
}

// remoteValue cuts the value out of an evaluation's answer. The answer may be
// megabytes, so the common form is taken apart by hand.
func remoteValue(raw jsonv2.Value) (jsonv2.Value, error) {
	const head = `{"result":{"type":"string","value":`
	if len(raw) > len(head)+2 && string(raw[:len(head)]) == head && string(raw[len(raw)-2:]) == "}}" {
		return raw[len(head) : len(raw)-2], nil
	}
	var res struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return nil, fmt.Errorf("browser: decode the page walk: %w", err)
	}
	if e := res.Exception; e != nil {
		msg := e.Exception.Description
		if msg == "" {
			msg = e.Text
		}
		return nil, &ScriptError{Message: msg}
	}
	return jsonv2.Value(res.Result.Value), nil
}
