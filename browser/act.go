package browser

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// Reason says why an element could not be acted on.
type Reason string

// The reasons of an [ActionError].
const (
	ReasonUnknown       Reason = "unknown"        // no element has this number
	ReasonStale         Reason = "stale"          // the element is not on the page any more
	ReasonHidden        Reason = "hidden"         // not rendered for anybody to see
	ReasonCovered       Reason = "covered"        // something else would receive the press
	ReasonDisabled      Reason = "disabled"       // disabled, by itself or by what it is in
	ReasonReadOnly      Reason = "read-only"      // a field that takes no typing
	ReasonOffScreen     Reason = "off-screen"     // no scrolling brings it into view
	ReasonInert         Reason = "inert"          // inside an inert part of the page
	ReasonPointerEvents Reason = "pointer-events" // CSS lets the pointer through it
	ReasonMoving        Reason = "moving"         // it did not stay in place
	ReasonWrongKind     Reason = "wrong-kind"     // another action is meant for it
	ReasonNoEffect      Reason = "no-effect"      // done, but it did not end as asked
	ReasonNotFound      Reason = "not-found"      // the option, text or file asked for is not there
	ReasonAmbiguous     Reason = "ambiguous"      // more than one option answers to what was asked
)

// ActionError says why an action was not done, or did not end as asked.
type ActionError struct {
	// Index is the number of the element in the page state, 0 when the action
	// was aimed at a point.
	Index  int
	What   string // the element in a few words, such as <button#go> "Go"
	Reason Reason
	By     string // what is in the way, or what it is in
	// ByIndex is the number of what is in the way; 0 when it has none.
	ByIndex int
	Detail  string // what is there instead, and what to do next
	Err     error  // the cause, when there is one: dom.ErrStaleElement, dom.ErrUnknownIndex

	fault string // what the script called it
}

// Unwrap returns the cause.
func (e *ActionError) Unwrap() error { return e.Err }

// Error is one short line that ends with the next move.
func (e *ActionError) Error() string {
	var b strings.Builder
	if e.Index > 0 {
		fmt.Fprintf(&b, "[%d] ", e.Index)
	}
	if e.What != "" {
		b.WriteString(e.What + " ")
	}
	by := e.By
	if by != "" && e.ByIndex > 0 {
		by = fmt.Sprintf("[%d] %s", e.ByIndex, by)
	}
	switch e.Reason {
	case ReasonUnknown:
		if e.Err != nil {
			return strings.TrimPrefix(e.Err.Error(), "dom: ")
		}
		b.WriteString("is no element of the page")
	case ReasonStale:
		b.WriteString("is not on the page any more; look at the page again and use its new number")
	case ReasonHidden:
		b.WriteString("is hidden; open what contains it first, or use something visible")
	case ReasonCovered:
		fmt.Fprintf(&b, "is covered by %s; close or scroll that away first", by)
	case ReasonDisabled:
		b.WriteString("is disabled")
		if by != "" {
			b.WriteString(" by " + by)
		}
		b.WriteString("; fill in what it waits for first, or use something else")
	case ReasonReadOnly:
		b.WriteString("is read-only; click it to see what sets it, such as a picker")
	case ReasonOffScreen:
		b.WriteString("lies outside the page and no scrolling shows it; use something visible")
	case ReasonInert:
		b.WriteString("is inert")
		if by != "" {
			b.WriteString(", inside " + by)
		}
		b.WriteString("; close the dialog or panel that is open first")
	case ReasonPointerEvents:
		b.WriteString("lets the pointer through (pointer-events: none); use what lies around or beneath it")
	case ReasonMoving:
		b.WriteString("does not stay in place; wait until it rests and try again")
	}
	if e.Detail != "" {
		if s := b.String(); s != "" && !strings.HasSuffix(s, " ") {
			b.WriteString("; ")
		}
		b.WriteString(e.Detail)
	}
	return strings.TrimSpace(b.String())
}

//go:embed actjs/*.js
var actFiles embed.FS

// actParts are the pieces of the acting script, in the order they need.
var actParts = []string{"tree", "geometry", "usable", "watch", "patience", "pointer", "select", "field", "scroll", "query", "aria", "file", "main"}

// actSource installs the acting operations in an isolated world, once a
// document.
var actSource = func() string {
	var b strings.Builder
	b.WriteString("() => { if (globalThis.__webhandAct) return;\n")
	b.WriteString(dom.TagSource())
	for _, p := range actParts {
		src, err := actFiles.ReadFile("actjs/" + p + ".js")
		if err != nil {
			panic(err) // the list above and the folder are built together
		}
		b.Write(src)
	}
	b.WriteString("}")
	return b.String()
}()

// actTarget is what an action works on: an element, or the document of a
// frame.
type actTarget struct {
	tab   *tab
	frame cdp.FrameID
	index int                    // in the page state; 0 when it has no number
	ref   int                    // of the page walker, in the document doc
	doc   string                 // the walker's name for the document
	stash int                    // position among the options looked at last, from 1
	obj   runtime.RemoteObjectID // in the frame's isolated world
}

// The ways an operation finds its element.
const (
	actHere   = `globalThis.__webhandAct || globalThis.` + bootName + `?.act()`
	callByRef = `function(name, o, ref, doc) { const a = ` + actHere + `; if (!a) return { install: true };
		const w = globalThis.__webhand; return a(name, w && w.token === doc ? w.el(ref) : null, o) }`
	callByThis  = `function(name, o) { const a = ` + actHere + `; return a ? a(name, this, o) : { install: true } }`
	callByStash = `function(name, o, at) { const a = globalThis.__webhandAct; return a ? a(name, at, o) : null }`
	callByDoc   = `function(name, o) { const a = ` + actHere + `; return a ? a(name, document, o) : { install: true } }`
)

// page returns the main document of a tab as a target.
func (t *tab) page() *actTarget { return &actTarget{tab: t, frame: t.main} }

// fault is the refusal of an operation, as the script reports it.
type fault struct {
	Reason string `json:"reason"`
	What   string `json:"what"`
	By     string `json:"by"`
	ByRef  int    `json:"byRef"`
	Detail string `json:"detail"`
	Option string `json:"option"` // the option that cannot be chosen
}

// do runs an operation of the acting script on the target and decodes its
// result. A refusal is an *ActionError.
func (e *actTarget) do(ctx context.Context, op string, opts, result any) error {
	if opts == nil {
		opts = struct{}{}
	}
	rawOpts, err := jsonv2.Marshal(opts, chromedp.DefaultMarshalOptions)
	if err != nil {
		return fmt.Errorf("browser: encode options: %w", err)
	}
	params := runtime.CallFunctionOnParams{
		ReturnByValue: new(true), AwaitPromise: new(true), Silent: new(true), UserGesture: new(true),
		Arguments: []*runtime.CallArgument{{Value: jsonv2.Value(`"` + op + `"`)}, {Value: rawOpts}},
	}
	for attempt := 0; ; attempt++ {
		sess, world, err := e.tab.world(ctx, e.frame)
		if errors.Is(err, errFrameGone) && e.index != 0 {
			return e.stale()
		}
		if err != nil {
			return err
		}
		switch {
		case e.obj != "":
			params.FunctionDeclaration, params.ObjectID = callByThis, e.obj
		case e.stash != 0:
			params.FunctionDeclaration, params.ExecutionContextID = callByStash, world
			params.Arguments = append(params.Arguments[:2:2], &runtime.CallArgument{Value: jsonv2.Value(strconv.Itoa(e.stash - 1))})
		case e.ref != 0:
			params.FunctionDeclaration, params.ExecutionContextID = callByRef, world
			params.Arguments = append(params.Arguments[:2:2],
				&runtime.CallArgument{Value: jsonv2.Value(strconv.Itoa(e.ref))}, &runtime.CallArgument{Value: jsonv2.Value(strconv.Quote(e.doc))})
		default:
			params.FunctionDeclaration, params.ExecutionContextID = callByDoc, world
		}
		res, err := cdp.Call(ctx, sess, runtime.CallFunctionOn, params)
		if err != nil {
			if isStaleContext(err) || strings.Contains(err.Error(), "Could not find object") {
				e.tab.forgetWorld(e.frame)
				// An element of a document that is gone is gone with it.
				if e.obj != "" || e.ref != 0 || e.stash != 0 {
					return e.stale()
				}
				if attempt < 2 {
					continue
				}
			}
			return err
		}
		var raw jsonv2.Value
		if err := decodeRemote(res.Result, res.ExceptionDetails, &raw); err != nil {
			return err
		}
		if string(raw) == `{"install":true}` && attempt < 3 {
			if err := e.tab.callInFrame(ctx, e.frame, actSource, nil); err != nil {
				return err
			}
			continue
		}
		return e.decode(raw, result)
	}
}

func (e *actTarget) decode(raw jsonv2.Value, result any) error {
	var f struct {
		Fault   *fault   `json:"fault"`
		Options []Option `json:"options"`
		Asked   string   `json:"asked"`
	}
	if len(raw) == 0 {
		return nil
	}
	if strings.HasPrefix(string(raw), `{"fault"`) {
		if err := jsonv2.Unmarshal(raw, &f, chromedp.DefaultUnmarshalOptions); err != nil {
			return fmt.Errorf("browser: decode script result: %w", err)
		}
		err := e.refuse(f.Fault)
		var ae *ActionError
		if f.Options != nil && errors.As(err, &ae) {
			ae.refuseOption(f.Fault, f.Asked, f.Options)
		}
		return err
	}
	if result == nil {
		return nil
	}
	if err := jsonv2.Unmarshal(raw, result, chromedp.DefaultUnmarshalOptions); err != nil {
		return fmt.Errorf("browser: decode script result: %w", err)
	}
	return nil
}

func (e *actTarget) stale() error {
	return &ActionError{Index: e.index, Reason: ReasonStale}
}

// refuse turns a fault of the script into an error with its next move.
func (e *actTarget) refuse(f *fault) error {
	err := &ActionError{Index: e.index, What: f.What, Reason: Reason(f.Reason), By: f.By, Detail: f.Detail, fault: f.Reason}
	if f.ByRef != 0 {
		err.ByIndex = e.indexOf(f.ByRef)
	}
	switch f.Reason {
	case "file":
		err.Reason, err.Detail = ReasonWrongKind, "is a file input; use upload_file"
	case "not-field":
		err.Reason, err.Detail = ReasonWrongKind, "is not a field to type into; give the number of the field itself, or click it and use send_keys"
	case "bad-selector":
		err.What, err.Reason, err.Detail = "", ReasonNotFound, "the CSS selector is not valid; write one such as main .price"
	case "click-it":
		err.Reason, err.Detail = ReasonWrongKind, "is switched by clicking; use click"
	case "not-list":
		err.Reason, err.Detail = ReasonWrongKind, "is not a list to choose from; click it instead"
	case "select":
		err.Reason, err.Detail = ReasonWrongKind, "is a list; choose with select_dropdown"
	}
	return err
}

// errFrameGone is what becomes of a call to a frame that was removed.
var errFrameGone = errors.New("browser: the frame is gone")

// isGoneFrame reports whether an operation failed because its document was
// replaced or its tab closed while it ran, which a navigation does.
func isGoneFrame(err error) bool {
	var ae *ActionError
	if errors.As(err, &ae) {
		return ae.Reason == ReasonStale
	}
	if errors.Is(err, errDetached) || isStaleContext(err) || errors.Is(err, errFrameGone) {
		return true
	}
	var pe *ProtocolError
	if !errors.As(err, &pe) {
		return false
	}
	for _, w := range []string{"navigated", "closed", "not found", "Could not find", "collected", "destroyed", "detached"} {
		if strings.Contains(pe.Message, w) {
			return true
		}
	}
	return false
}
