package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	"github.com/seed-4bdb41d0/webhand/internal/mask"
	"github.com/seed-4bdb41d0/webhand/internal/urlmatch"
)

// Run runs the call: it asks whether the page still allows the action, injects
// the dependencies, puts secrets in place of placeholders, and calls the
// handler under the action's deadline.
//
// What the model can do something about is in the result, with the Go error in
// Result.Err: a handler's error or panic ([*PanicError]), the action's own
// deadline ([ErrTimeout]), a handler that would not stop ([ErrAbandoned]), a
// page that does not allow the action any more ([ErrNotAvailable]), a secret
// that was refused. The result is then never nil, and the error is.
//
// A non-nil error means that going on is pointless: the end of ctx (its cause,
// unless the handler finished all the same), a missing dependency
// ([ErrMissingDep]), a call that does not come from this package. It matches
// [ErrNotStarted] when the handler was not called.
//
// When ctx ends, Run returns at most the registry's Grace later, whatever the
// handler does.
func (c *Call) Run(ctx context.Context, deps Deps) (*Result, error) {
	if c == nil || c.action == nil {
		return nil, fmt.Errorf("registry: %w: this call was not made by Decode", ErrNotStarted)
	}
	if ctx.Err() != nil {
		return nil, c.notStarted(context.Cause(ctx))
	}
	limit := c.reg.timeout(&c.action.spec)
	run, cancel := context.WithTimeoutCause(ctx, limit, ErrTimeout)
	defer cancel()
	in, err := c.prepare(run, deps)
	switch {
	case ctx.Err() != nil:
		return nil, c.notStarted(context.Cause(ctx))
	case err == nil:
	case run.Err() != nil:
		return failed(c.timedOut(limit, err)), nil
	case errors.Is(err, ErrMissingDep):
		return nil, c.notStarted(err)
	default:
		return failed(err), nil
	}
	done := make(chan outcome, 1)
	go c.invoke(run, in, done)
	var out outcome
	select {
	case out = <-done:
	case <-run.Done():
		var abandoned bool
		if out, abandoned = c.await(done); abandoned {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("registry: action %q: %w (%w)", c.Name, context.Cause(ctx), ErrAbandoned)
			}
			return failed(fmt.Errorf("%s did not stop after %s and was abandoned; it may still have an effect: %w",
				c.Name, limit, errors.Join(ErrTimeout, ErrAbandoned))), nil
		}
	}
	if out.err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if run.Err() != nil && (errors.Is(out.err, context.DeadlineExceeded) || errors.Is(out.err, ErrTimeout)) {
		out.err = c.timedOut(limit, out.err)
	}
	return c.normalise(out, in.red), nil
}

// outcome is what a handler returned.
type outcome struct {
	result *Result
	text   string
	err    error
}

// inputs are what a handler is called with.
type inputs struct {
	values []reflect.Value // without the context
	raw    []byte          // for a handler of AddRaw
	red    *Redactor       // of the secrets that went in; nil when there were none
}

// check asks whether the page allows the action now.
func (c *Call) check(ctx context.Context, deps Deps) error {
	a := c.action
	if !a.Restricted() {
		return nil
	}
	p, known, err := deps.page(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w: the page cannot be read: %w", c.Name, ErrNotAvailable, err)
	case !known:
		return fmt.Errorf("%s: %w: it is limited to some pages, and no registry.Page or registry.PageFunc is provided", c.Name, ErrNotAvailable)
	}
	u, isURL := urlmatch.ParseURL(p.URL)
	if !c.reg.visible(a, p, u, isURL) {
		return fmt.Errorf("%s: %w (%s)", c.Name, ErrNotAvailable, where(p.URL))
	}
	return nil
}

// notStarted says that the handler was not called, and why.
func (c *Call) notStarted(cause error) error {
	return fmt.Errorf("registry: action %q: %w: %w", c.Name, ErrNotStarted, cause)
}

// timedOut words the end of the action's own time; detail is what the handler
// made of it.
func (c *Call) timedOut(limit time.Duration, detail error) error {
	text := detail.Error()
	if text == context.DeadlineExceeded.Error() || text == ErrTimeout.Error() {
		return fmt.Errorf("%s did not finish within %s: %w", c.Name, limit, ErrTimeout)
	}
	return fmt.Errorf("%s did not finish within %s: %w (%w)", c.Name, limit, ErrTimeout, detail)
}

// prepare asks the page, resolves secrets, and collects params and
// dependencies. It calls what the user provided, which may panic.
func (c *Call) prepare(ctx context.Context, deps Deps) (in inputs, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Action: c.Name, Value: v, Stack: debug.Stack()}
			c.reg.logger().Error("registry: a provided func panicked", "action", c.Name, "stack", string(debug.Stack()))
		}
	}()
	a := c.action
	if err := c.check(ctx, deps); err != nil {
		return inputs{}, err
	}
	args, filled, red, err := c.substitute(ctx, deps)
	if err != nil {
		return inputs{}, err
	}
	in = inputs{red: red}
	if a.h.raw != nil {
		in.raw = args
		return in, nil
	}
	in.values = make([]reflect.Value, 1, 2+a.h.plain+len(a.h.deps))
	if a.h.params != nil {
		p := c.params.Swap(nil) // each run gets params of its own
		if p == nil || filled != nil {
			v, err := a.decodeArgs(args)
			if err != nil {
				return inputs{}, err
			}
			p = &v
		}
		in.values = a.h.spread(in.values, *p)
	}
	in.values, err = a.inputs(ctx, deps, filled, in.values)
	return in, err
}

// spread appends the params in the form that the handler takes them.
func (h *handler) spread(out []reflect.Value, p reflect.Value) []reflect.Value {
	switch {
	case h.plain > 0:
		for i := range h.plain {
			out = append(out, p.Elem().Field(i))
		}
	case h.pointer:
		out = append(out, p)
	default:
		out = append(out, p.Elem())
	}
	return out
}

// invoke calls the handler and turns a panic into an error.
func (c *Call) invoke(ctx context.Context, in inputs, done chan<- outcome) {
	var out outcome
	finished := false
	defer func() {
		v := recover()
		if !finished { // a panic, or runtime.Goexit
			if v == nil {
				v = "the handler ended its goroutine"
			}
			if in.red != nil { // the value may be in what it says
				if err, ok := v.(error); ok {
					v = redactedError{in.red.Redact(err.Error()), err}
				} else {
					v = in.red.Redact(fmt.Sprint(v))
				}
			}
			p := &PanicError{Action: c.Name, Value: v, Stack: debug.Stack()}
			c.reg.logger().Error("registry: action panicked", "action", c.Name, "panic", fmt.Sprint(v), "stack", string(p.Stack))
			out = outcome{err: p}
		}
		done <- out
	}()
	if c.action.h.raw != nil {
		out.result, out.err = c.action.h.raw(ctx, in.raw)
		finished = true
		return
	}
	in.values[0] = reflect.ValueOf(ctx)
	back := c.action.h.fn.Call(in.values)
	finished = true
	if err := back[len(back)-1]; !err.IsNil() {
		out.err, _ = err.Interface().(error)
	}
	switch c.action.h.result {
	case textAndError:
		out.text = back[0].String()
	case resultAndError:
		out.result, _ = back[0].Interface().(*Result)
	}
}

// await gives a handler whose context has ended some time to return.
func (c *Call) await(done <-chan outcome) (out outcome, abandoned bool) {
	grace := time.NewTimer(c.reg.grace())
	defer grace.Stop()
	select {
	case out = <-done:
		return out, false
	case <-grace.C:
		c.reg.logger().Error("registry: handler ignored the end of its context and was abandoned", "action", c.Name)
		return outcome{}, true
	}
}

// maxError bounds, in characters, what a handler's error says to the model.
const maxError = 2000

// failed is the result of an error that the model should read.
func failed(err error) *Result {
	return &Result{Error: shorten(err.Error(), maxError), Err: err}
}

// normalise makes one kind of result of what handlers return. Secrets are hidden
// before anything is cut, so that no part of a value is left.
func (c *Call) normalise(out outcome, red *Redactor) *Result {
	res := &Result{Text: out.text}
	if out.result != nil {
		*res = *out.result // the handler may keep its own
	}
	if out.err != nil {
		res.Err = out.err
	}
	if res.Err != nil && res.Error == "" {
		res.Error = c.words(res.Err)
	}
	if red != nil {
		res.Text, res.Memory, res.Error = red.Redact(res.Text), red.Redact(res.Memory), red.Redact(res.Error)
		if len(res.Effects) > 0 {
			res.Effects = slices.Clone(res.Effects)
		}
		for i, e := range res.Effects {
			res.Effects[i] = red.Redact(e)
		}
		if len(res.Metadata) > 0 {
			res.Metadata = maps.Clone(res.Metadata)
			mask.Strings(red.Redact, &res.Metadata)
		}
		if res.Err != nil {
			res.Err = redactedError{res.Error, res.Err}
		}
	}
	res.Error = shorten(res.Error, maxError)
	if res.Err == nil && res.Error != "" {
		res.Err = errors.New(res.Error)
	}
	return res
}

// words says an error to the model.
func (c *Call) words(err error) string {
	if p, ok := errors.AsType[*PanicError](err); ok && p.Action == c.Name {
		return c.Name + " failed inside: " + shorten(fmt.Sprint(p.Value), 200) + ". Try another way."
	}
	if text := err.Error(); text != "" {
		return text
	}
	return c.Name + " failed"
}

// redactedError keeps the identity of an error and replaces its text.
type redactedError struct {
	text string
	err  error
}

func (e redactedError) Error() string { return e.text }
func (e redactedError) Unwrap() error { return e.err }
