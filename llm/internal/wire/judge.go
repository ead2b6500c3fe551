package wire

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/scrub"
)

// judge returns the failure that an HTTP answer stands for, or nil when it may
// be an answer of a model.
func (t *Transport) judge(req *http.Request, resp *http.Response, body []byte) *llm.Error {
	trimmed := bytes.TrimSpace(body)
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e := t.bad(resp, nil, fmt.Sprintf("the endpoint redirects to %q; set BaseURL to where it ends", location(resp)))
		e.Kind = llm.ErrBadRequest
		return e
	case resp.StatusCode/100 != 2:
		return t.refused(req, resp, trimmed)
	case len(trimmed) == 0:
		return t.bad(resp, nil, "the answer has no body")
	case trimmed[0] == '<':
		return t.bad(resp, trimmed, "the answer is a web page, not JSON; does BaseURL end where the API starts? It says: "+textOf(trimmed))
	case trimmed[0] != '{' && trimmed[0] != '[':
		return t.bad(resp, trimmed, "the answer is not JSON: "+shorten(string(trimmed)))
	}
	if d, ok := parseError(trimmed); ok {
		return t.classify(resp, d)
	}
	return nil
}

// bad is a broken answer under a good status: the server's fault, worth
// another try.
func (t *Transport) bad(resp *http.Response, _ []byte, message string) *llm.Error {
	return &llm.Error{Kind: llm.ErrServer, Status: resp.StatusCode, Message: scrub.Text(message, t.Secrets)}
}

// refused types an answer whose status is not 2xx.
func (t *Transport) refused(req *http.Request, resp *http.Response, body []byte) *llm.Error {
	d, ok := parseError(body)
	if !ok {
		d = detail{message: shorten(textOf(body))}
	}
	if d.message == "" {
		d.message = strings.TrimSpace(resp.Status)
	}
	if !ok && resp.StatusCode == http.StatusNotFound {
		d.message += fmt.Sprintf("; nothing is served at %s, check BaseURL (it often ends with /v1)", req.URL.Path)
	}
	return t.classify(resp, d)
}

func (t *Transport) classify(resp *http.Response, d detail) *llm.Error {
	status := resp.StatusCode
	if status/100 == 2 && d.status >= 400 {
		status = d.status // an error object under status 200 often carries the real one
	}
	e := &llm.Error{
		Kind:    kindOf(status, d),
		Status:  status,
		Code:    d.code,
		Param:   d.param,
		Message: scrub.Text(shorten(d.message), t.Secrets),
	}
	e.RetryAfter = retryAfter(resp.Header, e.Kind, d)
	if e.Kind == llm.ErrContextLength {
		e.TokenLimit, e.TokensSent = windowIn(d.message)
	}
	return e
}

func location(resp *http.Response) string {
	u, err := resp.Location()
	if err != nil {
		return resp.Header.Get("Location")
	}
	u.RawQuery = ""
	return u.Redacted()
}

var (
	tags   = regexp.MustCompile(`(?s)<(script|style)\b.*?</(script|style)>|<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

// textOf takes the words out of a web page or leaves plain text as it is.
func textOf(body []byte) string {
	if len(body) > 4096 {
		body = body[:4096]
	}
	s := string(body)
	if strings.HasPrefix(s, "<") {
		s = tags.ReplaceAllString(s, " ")
	}
	return strings.TrimSpace(spaces.ReplaceAllString(s, " "))
}

// shorten bounds a provider's message, which may quote a whole request.
func shorten(s string) string {
	const limit = 500
	s = strings.TrimSpace(spaces.ReplaceAllString(strings.ToValidUTF8(s, "?"), " "))
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "..."
}

// StreamError reads a piece of an event stream that is an error and not part
// of an answer.
func StreamError(piece []byte) *llm.Error {
	d, ok := parseError(piece)
	if !ok {
		return nil
	}
	status := 200
	if d.status != 0 {
		status = d.status
	}
	return &llm.Error{Kind: kindOf(status, d), Status: d.status, Code: d.code, Message: scrub.Text(shorten(d.message), nil)}
}
