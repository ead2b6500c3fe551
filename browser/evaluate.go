package browser

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
)

// Evaluate runs an expression in the page's own JavaScript world of the
// current tab, awaits a promise, and decodes the result into T. An exception
// is a *ScriptError. undefined leaves T at its zero value.
func Evaluate[T any](ctx context.Context, s *Session, expression string) (T, error) {
	var out T
	t, err := s.active(ctx)
	if err != nil {
		return out, err
	}
	res, err := cdp.Call(ctx, t.sess, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ReturnByValue: new(true), AwaitPromise: new(true), Silent: new(true), UserGesture: new(true),
	})
	if err != nil {
		return out, err
	}
	err = decodeRemote(res.Result, res.ExceptionDetails, &out)
	return out, err
}

// Call sends a raw Chrome DevTools Protocol command to the current tab, or to
// the browser itself for the Browser, Target and Storage-wide commands when
// onBrowser methods are asked with CallBrowser. params and result are encoded
// as JSON; result may be nil, or a *json.RawMessage.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	t, err := s.active(ctx)
	if err != nil {
		return err
	}
	return callRaw(ctx, t.sess, method, params, result)
}

// CallBrowser sends a raw protocol command to the browser target.
func (s *Session) CallBrowser(ctx context.Context, method string, params, result any) error {
	if err := s.Err(); err != nil {
		return err
	}
	return callRaw(ctx, s.b.conn.root, method, params, result)
}

func callRaw(ctx context.Context, sess *cdpSession, method string, params, result any) error {
	var p any
	if params != nil {
		raw, err := json.Marshal(params)
		if err != nil {
			return fmt.Errorf("browser: %s: encode params: %w", method, err)
		}
		p = jsonv2.Value(raw)
	}
	var raw jsonv2.Value
	if err := sess.send(method, p).wait(ctx, &raw); err != nil {
		return err
	}
	if result == nil || len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("browser: %s: decode answer: %w", method, err)
	}
	return nil
}
