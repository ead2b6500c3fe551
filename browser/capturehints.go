package browser

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"

	page "github.com/seed-4bdb41d0/webhand/dom"
)

// The walker sees what script in its world can see. Three things it must be
// told: which elements the page listens on, the closed shadow roots, and
// which frame element holds which cross-process frame.

// listenerBits are the events that make an element something to press.
var listenerBits = map[string]uint32{
	"click": 1, "mousedown": 2, "mouseup": 4, "pointerdown": 8, "pointerup": 16, "dblclick": 32,
	"contextmenu": 64, "touchstart": 128, "touchend": 256, "dragstart": 512,
}

// maxHints bounds how many elements are told about at once.
const maxHints = 3000

// askListeners asks on which elements the page's own scripts listen, in one
// pass over the document (DOMDebugger.getEventListeners).
func (fc *frameCapture) askListeners() *call {
	if fc.mainDocument == "" {
		return nil
	}
	fc.heardAt = time.Now()
	return fc.sess.send(domdebugger.CommandGetEventListeners, domdebugger.GetEventListenersParams{
		ObjectID: fc.mainDocument, Depth: new(int64(-1)), Pierce: new(true),
	})
}

// listen tells the walker which elements the page listens on, by the answer to
// askListeners, and reports whether there was something new.
func (fc *frameCapture) listen(ctx context.Context, asked *call) bool {
	var raw jsonv2.Value
	if asked == nil || asked.wait(ctx, &raw) != nil {
		return false
	}
	var res struct {
		Listeners []struct {
			Type          string            `json:"type"`
			BackendNodeID cdp.BackendNodeID `json:"backendNodeId"`
		} `json:"listeners"`
	}
	if json.Unmarshal(raw, &res) != nil {
		return false
	}
	bits := make(map[cdp.BackendNodeID]uint32)
	var order []cdp.BackendNodeID
	for _, l := range res.Listeners {
		b := listenerBits[l.Type]
		if b == 0 || l.BackendNodeID == 0 {
			continue
		}
		if bits[l.BackendNodeID] == 0 {
			order = append(order, l.BackendNodeID)
		}
		bits[l.BackendNodeID] |= b
	}
	var ids []cdp.BackendNodeID
	for _, id := range order {
		if fc.listening[id] != bits[id] && len(ids) < maxHints {
			ids = append(ids, id)
		}
	}
	// A node that no longer listens is told so as well.
	for id := range fc.listening {
		if bits[id] == 0 && len(ids) < maxHints {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return false
	}
	values := make([]uint32, 0, len(ids))
	args := make([]*runtime.CallArgument, 1, len(ids)+1)
	for i, obj := range fc.resolve(ctx, ids) {
		fc.listening[ids[i]] = bits[ids[i]]
		if bits[ids[i]] == 0 {
			delete(fc.listening, ids[i])
		}
		if obj == "" {
			continue
		}
		values = append(values, bits[ids[i]])
		args = append(args, &runtime.CallArgument{ObjectID: obj})
	}
	if len(values) == 0 {
		return false
	}
	list, err := json.Marshal(values)
	if err != nil {
		return false
	}
	args[0] = &runtime.CallArgument{Value: jsonv2.Value(list)}
	err = fc.tell(ctx, "listens", args)
	fc.sess.send(runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: hintGroup})
	return err == nil
}

// hintGroup holds the objects made for hints, to be let go together.
const hintGroup = worldName + "-hints"

// resolve turns nodes into objects of the walker's world, in one flush; "" for
// a node that is gone.
func (fc *frameCapture) resolve(ctx context.Context, ids []cdp.BackendNodeID) []runtime.RemoteObjectID {
	calls := make([]*call, len(ids))
	for i, id := range ids {
		calls[i] = fc.sess.send(dom.CommandResolveNode, dom.ResolveNodeParams{
			BackendNodeID: id, ExecutionContextID: fc.world, ObjectGroup: hintGroup,
		})
	}
	out := make([]runtime.RemoteObjectID, len(ids))
	for i, c := range calls {
		var res dom.ResolveNodeResult
		if c.wait(ctx, &res) == nil && res.Object != nil {
			out[i] = res.Object.ObjectID
		}
	}
	return out
}

// tell calls a method of the walker with objects.
func (fc *frameCapture) tell(ctx context.Context, method string, args []*runtime.CallArgument) error {
	return fc.sess.send(runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(...a) { " + page.Global + "." + method + "(...a) }",
		ExecutionContextID:  fc.world, Arguments: args, Silent: new(true), ReturnByValue: new(true),
	}).wait(ctx, nil)
}

// objects evaluates an expression that yields an array and returns what is in
// it.
func (fc *frameCapture) objects(ctx context.Context, expr string) []runtime.RemoteObjectID {
	res := runtime.EvaluateResult{}
	if fc.evaluate(expr, false).wait(ctx, &res) != nil || res.Result == nil || res.Result.ObjectID == "" {
		return nil
	}
	props, err := cdp.Call(ctx, fc.sess, runtime.GetProperties, runtime.GetPropertiesParams{
		ObjectID: res.Result.ObjectID, OwnProperties: new(true),
	})
	if err != nil {
		return nil
	}
	var out []runtime.RemoteObjectID
	for _, p := range props.Result {
		if p.Value != nil && p.Value.ObjectID != "" && p.Value.Subtype == "node" {
			out = append(out, p.Value.ObjectID)
		}
	}
	return out
}

// adoptRoots asks the browser for the closed shadow roots of the elements the
// walker suspects and hands them in; it reports whether there were any.
// Chrome's own roots (in fields, media, details) are not handed in.
func (fc *frameCapture) adoptRoots(ctx context.Context) bool {
	hosts := fc.objects(ctx, page.Global+".suspects()")
	calls := make([]*call, len(hosts))
	for i, h := range hosts {
		calls[i] = fc.sess.send(dom.CommandDescribeNode, dom.DescribeNodeParams{ObjectID: h, Depth: new(int64(0))})
	}
	type pair struct {
		host runtime.RemoteObjectID
		root *call
	}
	var found []pair
	for i, c := range calls {
		var res dom.DescribeNodeResult
		if c.wait(ctx, &res) != nil || res.Node == nil {
			continue
		}
		for _, r := range res.Node.ShadowRoots {
			if r.ShadowRootType == cdp.ShadowRootTypeClosed {
				found = append(found, pair{hosts[i], fc.sess.send(dom.CommandResolveNode, dom.ResolveNodeParams{
					BackendNodeID: r.BackendNodeID, ExecutionContextID: fc.world, ObjectGroup: hintGroup,
				})})
			}
		}
	}
	adopted := false
	for _, f := range found {
		var res dom.ResolveNodeResult
		if f.root.wait(ctx, &res) != nil || res.Object == nil {
			continue
		}
		if fc.tell(ctx, "adopt", []*runtime.CallArgument{{ObjectID: f.host}, {ObjectID: res.Object.ObjectID}}) == nil {
			adopted = true
		}
	}
	return adopted
}

// nameFrames tells the walker which of its frame elements hold which
// cross-process frames; it reports whether one was new.
func (t *tab) nameFrames(ctx context.Context, fc *frameCapture) bool {
	t.mu.Lock()
	var ids []cdp.FrameID
	for id, f := range t.frames {
		if f.sess == fc.sess || fc.named[id] {
			continue
		}
		if p := t.frames[f.parent]; p != nil && p.sess == fc.sess {
			ids = append(ids, id)
		}
	}
	t.mu.Unlock()
	owners := make([]*call, len(ids))
	for i, id := range ids {
		owners[i] = fc.sess.send(dom.CommandGetFrameOwner, dom.GetFrameOwnerParams{FrameID: id})
	}
	nodes := make([]cdp.BackendNodeID, 0, len(ids))
	frames := make([]cdp.FrameID, 0, len(ids))
	for i, c := range owners {
		var res dom.GetFrameOwnerResult
		if c.wait(ctx, &res) == nil {
			nodes, frames = append(nodes, res.BackendNodeID), append(frames, ids[i])
		}
	}
	named := false
	for i, obj := range fc.resolve(ctx, nodes) {
		if obj == "" {
			continue
		}
		id, err := json.Marshal(frames[i])
		if err != nil {
			continue
		}
		if fc.tell(ctx, "nameFrame", []*runtime.CallArgument{{ObjectID: obj}, {Value: jsonv2.Value(id)}}) == nil {
			fc.named[frames[i]] = true
			named = true
		}
	}
	return named
}
