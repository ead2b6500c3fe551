package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/scrub"
)

// Recorder is a client around a client that writes each exchange to a file
// which [ReadRecording] reads and a [Server] replays: one JSON value a call,
// written when the call returns, so that a crash loses at most the running one.
//
// Images are left out, and so is everything that looks like a provider's key
// or is in Secrets.
type Recorder struct {
	// Client answers the requests.
	Client llm.Client
	// Secrets are further texts that must not be in the file.
	Secrets []string

	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewRecorder records the calls of c to w.
func NewRecorder(c llm.Client, w io.Writer, secrets ...string) *Recorder {
	return &Recorder{Client: c, Secrets: secrets, w: w}
}

// Describe implements [llm.Describer].
func (r *Recorder) Describe() llm.Description { return llm.Describe(r.Client) }

// Err returns the first error of writing, if any. A recording that fails does
// not fail the calls.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Complete implements [llm.Client].
func (r *Recorder) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp, err := r.Client.Complete(ctx, req)
	if x, ok := exchangeOf(req, resp, err); ok {
		r.write(x)
	}
	return resp, err
}

// exchangeOf makes an exchange of a call. A call that the caller ended is not
// one.
func exchangeOf(req *llm.Request, resp *llm.Response, err error) (Exchange, bool) {
	x := Exchange{Request: Match{Sent: sent(req)}}
	var e *llm.Error
	switch {
	case err == nil:
		x.Response = Answer{Text: resp.Text, Thinking: resp.Thinking, Usage: &resp.Usage}
		if resp.Finish != llm.FinishTool { // a server decides that by the request
			x.Response.Finish = resp.Finish
		}
	case errors.As(err, &e):
		x.Response = answerOf(e)
	default:
		return x, false
	}
	return x, true
}

// answerOf is the answer that makes a client fail as e says.
func answerOf(e *llm.Error) Answer {
	a := Answer{Text: e.Answer}
	if n := len(e.Charges); n > 0 {
		a.Usage = &e.Charges[n-1].Usage
	}
	switch e.Kind {
	case llm.ErrTruncated:
		a.Finish = llm.FinishLength
	case llm.ErrRefusal:
		a.Refusal = e.Message
	case llm.ErrMalformed, llm.ErrEmpty:
	case llm.ErrTimeout:
		a.Fault = &Fault{Hang: true}
	default:
		status := e.Status
		if status == 0 {
			status = 503
		}
		a.Fault = &Fault{Status: status, Code: e.Code, Message: e.Message, RetryAfter: e.RetryAfter}
	}
	return a
}

// sent is what was sent, for people to read.
func sent(req *llm.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		fmt.Fprintf(&b, "[%s]\n", m.Role)
		for _, p := range m.Parts {
			if p.Image != nil {
				fmt.Fprintf(&b, "(%s, %d bytes)\n", p.Image.MIME, len(p.Image.Data))
				continue
			}
			b.WriteString(p.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func (r *Recorder) write(x Exchange) {
	x.Request.Sent = scrub.Text(x.Request.Sent, r.Secrets)
	x.Response.Text = scrub.Text(x.Response.Text, r.Secrets)
	x.Response.Thinking = scrub.Text(x.Response.Thinking, r.Secrets)
	x.Response.Refusal = scrub.Text(x.Response.Refusal, r.Secrets)
	if f := x.Response.Fault; f != nil {
		f.Message = scrub.Text(f.Message, r.Secrets)
	}
	b, err := json.MarshalIndent(x, "", "  ")
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && r.err == nil {
		_, err = r.w.Write(append(b, '\n'))
	}
	if r.err == nil {
		r.err = err
	}
}
