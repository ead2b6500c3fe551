// Package wire is the HTTP transport under every provider client. It turns
// each way in which a round trip can go wrong into one typed [llm.Error], so
// that the providers' SDKs only ever see good answers, and it gives every
// attempt a deadline of its own.
package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/jsonout"
	"github.com/seed-4bdb41d0/webhand/llm/internal/scrub"
)

// Defaults of a [Transport].
const (
	DefaultTimeout = 3 * time.Minute
	DefaultStall   = time.Minute
	// maxBody bounds what is read of one answer. An answer of a chat model is
	// some kilobytes; anything near this is not one.
	maxBody = 32 << 20
)

var (
	errDeadline = errors.New("the attempt's deadline passed")
	errStalled  = errors.New("the answer stopped arriving")
)

// Transport is an [http.RoundTripper] for one provider endpoint.
//
// A round trip that fails in any way (no connection, a status that is not 2xx,
// a body that is cut, empty, not JSON, or an error object under status 200)
// returns an [*llm.Error]. A JSON body has been read whole when RoundTrip
// returns; an event stream is passed on as it arrives.
type Transport struct {
	Base    http.RoundTripper // nil means http.DefaultTransport
	Timeout time.Duration     // of one attempt, body included; 0 means DefaultTimeout, negative none
	Stall   time.Duration     // longest silence within a body; 0 means DefaultStall, negative none
	Secrets []string          // never let into an error
	// Header is set on every request, over what the SDK set.
	Header map[string]string
	// DropHeader is the prefix of the headers that are not sent, if any.
	DropHeader string
	// Normalize turns an unusual answer into the shape that the SDK decodes.
	Normalize func(body []byte) ([]byte, error)
}

type callKey struct{}

// Call carries one call's own data through an SDK to the [Transport].
type Call struct {
	// Body replaces the request's body when it is not nil.
	Body *jsonout.Body
	// Raw receives the answer's body as it came, when it came in one piece,
	// and Whole what Normalize made of it.
	Raw, Whole []byte
	// Done reports that an event stream ended with its end marker.
	Done bool
	// Streamed reports that the answer came as an event stream.
	Streamed bool
	// Sent counts the requests that left.
	Sent int
}

// WithCall returns a context that carries c.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// Client returns an HTTP client over t. It follows no redirects: a redirected
// POST loses its body, and provider key headers would follow to another host.
func (t *Transport) Client() *http.Client {
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	caller := req.Context()
	call, _ := caller.Value(callKey{}).(*Call)
	if call == nil {
		call = &Call{}
	}
	call.Sent++

	w := newWatch(caller, t.Timeout, t.Stall)
	out := req.Clone(w.ctx)
	if call.Body != nil {
		setBody(out, call.Body)
		if req.Body != nil {
			_ = req.Body.Close() // never sent; RoundTrip owes its caller the close
		}
	}
	for k := range out.Header {
		if t.DropHeader != "" && strings.HasPrefix(k, t.DropHeader) {
			delete(out.Header, k)
		}
	}
	for k, v := range t.Header {
		out.Header.Set(k, v)
	}
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	resp, err := base.RoundTrip(out)
	if err != nil {
		w.stop()
		return nil, t.network(w, out, err)
	}
	if resp.StatusCode/100 == 2 && isStream(resp) {
		call.Streamed = true
		lines := bufio.NewReader(&watching{resp.Body, w})
		resp.Body = &watchedBody{body: resp.Body, lines: lines, watch: w, call: call, fail: func(err error) error { return t.network(w, out, err) }}
		return resp, nil
	}
	body, err := t.readAll(w, resp)
	w.stop()
	if err != nil {
		return nil, t.network(w, out, err)
	}
	if e := t.judge(out, resp, body); e != nil {
		return nil, e
	}
	call.Raw = body
	if t.Normalize != nil {
		if body, err = t.Normalize(body); err != nil {
			return nil, t.bad(resp, body, "the body is not an answer of this API: "+err.Error())
		}
	}
	call.Whole = body
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	return resp, nil
}

// setBody replaces the body of req, in a way that net/http can send again when
// a kept-alive connection turns out to be closed.
func setBody(req *http.Request, body *jsonout.Body) {
	req.Body = body.Reader()
	req.GetBody = func() (io.ReadCloser, error) { return body.Reader(), nil }
	req.ContentLength = body.Len()
}

func isStream(resp *http.Response) bool {
	ct, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return ct == "text/event-stream"
}

func (t *Transport) readAll(w *watch, resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(&watching{resp.Body, w}, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("the body is longer than %d bytes", maxBody)
	}
	return body, nil
}

// watch is the clock of one attempt: a deadline for the whole and a limit on
// silence, both of which end the attempt's context and not the caller's.
type watch struct {
	ctx    context.Context
	caller context.Context
	cancel context.CancelCauseFunc
	whole  *time.Timer
	stall  *time.Timer
	limit  time.Duration // of silence
}

func newWatch(caller context.Context, timeout, stall time.Duration) *watch {
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	if stall == 0 {
		stall = DefaultStall
	}
	w := &watch{caller: caller, limit: stall}
	w.ctx, w.cancel = context.WithCancelCause(caller)
	if timeout > 0 {
		w.whole = time.AfterFunc(timeout, func() {
			w.cancel(fmt.Errorf("%w after %v", errDeadline, timeout))
		})
	}
	return w
}

// waiting starts the watch on silence, and arrived stops it: only the time in
// which the endpoint is waited for counts. Until the headers are there it is
// not used, for the model is thinking.
func (w *watch) waiting() {
	switch {
	case w.limit <= 0:
	case w.stall == nil:
		w.stall = time.AfterFunc(w.limit, func() {
			w.cancel(fmt.Errorf("%w: nothing for %v", errStalled, w.limit))
		})
	default:
		w.stall.Reset(w.limit)
	}
}

func (w *watch) arrived() {
	if w.stall != nil {
		w.stall.Stop()
	}
}

func (w *watch) stop() {
	if w.whole != nil {
		w.whole.Stop()
	}
	if w.stall != nil {
		w.stall.Stop()
	}
	w.cancel(nil)
}

// watching is a reader under the watch on silence.
type watching struct {
	r io.Reader
	w *watch
}

func (t *watching) Read(p []byte) (int, error) {
	t.w.waiting()
	defer t.w.arrived()
	return t.r.Read(p)
}

// watchedBody is the body of an event stream, passed on line by line.
type watchedBody struct {
	body  io.ReadCloser
	lines *bufio.Reader
	rest  []byte // of the line being passed on
	end   error
	watch *watch
	call  *Call
	fail  func(error) error
}

var (
	doneLine  = regexp.MustCompile(`^data:\s*\[DONE\]`)
	errorLine = regexp.MustCompile(`^data:\s*\{"error":`)
)

func (b *watchedBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.end != nil {
			return 0, b.end
		}
		line, err := b.lines.ReadBytes('\n')
		if err != nil {
			if b.end = err; err != io.EOF { //nolint:errorlint // io.Reader's contract names the bare value
				b.end = b.fail(err)
			}
			if len(line) > 0 && b.end == io.EOF { //nolint:errorlint // as above
				line = append(line, '\n') // go-openai drops a last line without one
			}
		}
		if doneLine.Match(line) {
			b.call.Done = true
		}
		if m := errorLine.Find(line); m != nil {
			// go-openai swallows an error object that is not of OpenAI's
			// shape. It does not recognise one with a space in it, and the
			// client then reads it itself.
			line = append([]byte(`data: { "error":`), line[len(m):]...)
		}
		b.rest = line
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *watchedBody) Close() error {
	b.watch.stop()
	return b.body.Close()
}

// network types a failure of the connection. The caller's own end is returned
// as the context reports it.
func (t *Transport) network(w *watch, req *http.Request, err error) error {
	if w.caller.Err() != nil {
		return context.Cause(w.caller)
	}
	if cause := context.Cause(w.ctx); cause != nil && (errors.Is(cause, errDeadline) || errors.Is(cause, errStalled)) {
		return &llm.Error{Kind: llm.ErrTimeout, Message: cause.Error(), Err: cause}
	}
	e := &llm.Error{Kind: llm.ErrServer}
	e.Code, e.Message, e.Permanent = explain(err, req.URL)
	e.Message = scrub.Text(e.Message, t.Secrets)
	return e
}
