package llmtest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Fault is something that goes wrong on the way to an answer.
type Fault struct {
	// Status answers with this HTTP status and an error body of the protocol.
	Status int `json:"status,omitempty"`
	// Code and Message go into the error body.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// RetryAfter goes into the Retry-After header, in seconds.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	// Header is added to the answer.
	Header map[string]string `json:"header,omitempty"`
	// Body replaces the error body; ContentType says what it is.
	Body        string `json:"body,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	// Empty sends status 200 without a body.
	Empty bool `json:"empty,omitempty"`
	// Stall sends the headers and part of the body, then nothing until the
	// client gives up or the server closes.
	Stall bool `json:"stall,omitempty"`
	// Hang sends nothing at all.
	Hang bool `json:"hang,omitempty"`
	// Cut closes the connection in the middle of the answer.
	Cut bool `json:"cut,omitempty"`
}

// The faults that users meet most, ready to use.
var (
	faultHTML = `<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>`
)

// RateLimited is a 429 that asks to wait for d.
func RateLimited(d time.Duration) Answer {
	return Answer{Fault: &Fault{Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: "Rate limit reached", RetryAfter: d}}
}

// Status is an error of the given HTTP status, code and message.
func Status(status int, code, message string) Answer {
	return Answer{Fault: &Fault{Status: status, Code: code, Message: message}}
}

// HTML is a proxy's error page under the given status.
func HTML(status int) Answer {
	return Answer{Fault: &Fault{Status: status, Body: faultHTML, ContentType: "text/html"}}
}

// err is the fault as a client would type it, for a [Script].
func (f *Fault) err(model string) error {
	e := &llm.Error{Kind: llm.ErrServer, Provider: "llmtest", Model: model, Status: f.Status, Code: f.Code, RetryAfter: f.RetryAfter, Message: f.Message}
	switch {
	case f.Stall || f.Hang:
		e.Kind = llm.ErrTimeout
	case f.Status == http.StatusTooManyRequests && f.Code == "insufficient_quota", f.Status == http.StatusPaymentRequired:
		e.Kind = llm.ErrQuota
	case f.Status == http.StatusTooManyRequests:
		e.Kind = llm.ErrRateLimit
	case f.Status == http.StatusUnauthorized, f.Status == http.StatusForbidden:
		e.Kind = llm.ErrAuth
	case f.Code == "context_length_exceeded":
		e.Kind = llm.ErrContextLength
	case f.Status >= 400 && f.Status < 500:
		e.Kind = llm.ErrBadRequest
	}
	return e
}

// act carries the fault out on w. whole is the answer that would have been
// sent, of which a stalled or cut answer sends the first half.
func (f *Fault) act(ctx context.Context, w http.ResponseWriter, p protocol, whole []byte) {
	for k, v := range f.Header {
		w.Header().Set(k, v)
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatFloat(f.RetryAfter.Seconds(), 'f', -1, 64))
	}
	switch {
	case f.Hang:
		<-ctx.Done()
		panic(http.ErrAbortHandler)
	case f.Stall, f.Cut:
		if f.Cut { // a length that is not kept is how a client notices
			w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
		}
		_, _ = w.Write(whole[:len(whole)/2]) // the client may be gone; that is the point
		_ = http.NewResponseController(w).Flush()
		if f.Stall {
			<-ctx.Done()
		}
		panic(http.ErrAbortHandler)
	case f.Empty:
		w.WriteHeader(cmp.Or(f.Status, http.StatusOK))
	case f.Body != "" || f.ContentType != "":
		w.Header().Set("Content-Type", cmp.Or(f.ContentType, "application/json"))
		w.WriteHeader(cmp.Or(f.Status, http.StatusOK))
		_, _ = w.Write([]byte(f.Body))
	default:
		writeJSON(w, cmp.Or(f.Status, http.StatusInternalServerError), p.failure(cmp.Or(f.Status, http.StatusInternalServerError), f.Code, f.Message))
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}
