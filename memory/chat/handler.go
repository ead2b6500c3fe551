package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
)

// Upstream is the endpoint behind the proxy.
type Upstream struct {
	// BaseURL is its address with the version, such as
	// "https://api.openai.com/v1". Required.
	BaseURL string
	// APIKey authorises there. Without one the caller's own Authorization is
	// passed on, if the proxy itself asks for no key.
	APIKey string
	// HTTPClient sends the requests; nil is one without a timeout, because
	// answers stream for as long as they take. The caller's end ends the call.
	HTTPClient *http.Client
	// Rules say who may call the proxy.
	Rules serve.Rules
}

// The headers that say whose memories a request is about, for clients that
// cannot add fields to the body.
const (
	HeaderUser  = "X-Memory-User-Id"
	HeaderAgent = "X-Memory-Agent-Id"
	HeaderRun   = "X-Memory-Run-Id"
)

// Handler serves POST /v1/chat/completions and GET /v1/models in front of an
// endpoint.
//
// Whose memories are used is said in the body by user_id, agent_id and
// run_id, which are not passed on, by the headers of this package, or by the
// body's "user". A request that says nothing is refused with 400.
func (c *Chat) Handler(up Upstream) (http.Handler, error) {
	u, err := url.Parse(up.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("chat: Upstream.BaseURL %q is not an http address", up.BaseURL)
	}
	if err := up.Rules.Check(); err != nil {
		return nil, err
	}
	up.BaseURL = strings.TrimRight(up.BaseURL, "/")
	if up.HTTPClient == nil {
		up.HTTPClient = &http.Client{}
	}
	p := &proxy{chat: c, up: up}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", p.completions)
	mux.HandleFunc("GET /v1/models", p.models)
	return up.Rules.Handler(mux), nil
}

type proxy struct {
	chat *Chat
	up   Upstream
}

// refuse writes an error in the shape that clients of the API read.
func refuse(w http.ResponseWriter, status int, kind, param, text string) {
	e := map[string]any{"message": text, "type": kind, "code": nil, "param": nil}
	if param != "" {
		e["param"] = param
	}
	serve.JSON(w, status, map[string]any{"error": e})
}

func (p *proxy) models(w http.ResponseWriter, r *http.Request) {
	res, err := p.send(r, http.MethodGet, "/models", nil)
	if err != nil {
		p.unreachable(w, err)
		return
	}
	defer res.Body.Close()
	p.passOn(w, res, nil)
}

func (p *proxy) completions(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			refuse(w, http.StatusRequestEntityTooLarge, "invalid_request_error", "", fmt.Sprintf("the body has more than %d bytes", tooLarge.Limit))
		}
		return // the caller has gone
	}
	req, err := parseRequest(raw)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "messages", err.Error())
		return
	}
	scope, err := req.scope(r)
	if err != nil {
		status := http.StatusBadRequest
		if errors.Is(err, serve.ErrForbidden) {
			status = http.StatusForbidden
		}
		refuse(w, status, "invalid_request_error", "user_id", err.Error())
		return
	}
	asking := req.lastIsUser()
	if asking {
		memories, err := p.chat.recall(r.Context(), scope, req.said)
		if err != nil {
			refuse(w, http.StatusBadGateway, "memory_error", "", "the memories could not be searched")
			p.chat.report(err)
			return
		}
		if !p.chat.cfg.StoreAnswers {
			p.chat.remember(r.Context(), scope, req.said, "")
		}
		if err := req.inject(memories, p.chat.cfg.Mode, p.chat.cfg.System); err != nil {
			refuse(w, http.StatusBadRequest, "invalid_request_error", "messages", err.Error())
			return
		}
	}
	body, err := req.encode()
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", err.Error())
		return
	}
	res, err := p.send(r, http.MethodPost, "/chat/completions", body)
	if err != nil {
		p.unreachable(w, err)
		return
	}
	defer res.Body.Close()
	var heard *listener
	if asking && p.chat.cfg.StoreAnswers && res.StatusCode == http.StatusOK {
		heard = &listener{stream: strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")}
	}
	whole := p.passOn(w, res, heard)
	if heard != nil && whole {
		p.chat.remember(context.WithoutCancel(r.Context()), scope, req.said, heard.text())
	}
}

func (p *proxy) unreachable(w http.ResponseWriter, err error) {
	if errors.Is(err, context.Canceled) {
		return // the caller has gone
	}
	p.chat.report(fmt.Errorf("chat: upstream: %w", err))
	refuse(w, http.StatusBadGateway, "upstream_error", "", "the endpoint behind this proxy cannot be reached")
}

// passed are the headers of a request that reach the endpoint.
var passed = []string{"Content-Type", "Accept", "OpenAI-Organization", "OpenAI-Project", "OpenAI-Beta", "HTTP-Referer", "X-Title"}

func (p *proxy) send(r *http.Request, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(r.Context(), method, p.up.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, h := range passed {
		if v := r.Header.Get(h); v != "" {
			req.Header.Set(h, v)
		}
	}
	switch {
	case p.up.APIKey != "":
		req.Header.Set("Authorization", "Bearer "+p.up.APIKey)
	case len(p.up.Rules.Keys) == 0 && r.Header.Get("Authorization") != "":
		req.Header.Set("Authorization", r.Header.Get("Authorization"))
	}
	return p.up.HTTPClient.Do(req)
}

// passOn copies a response as it comes, and reports whether it came to its
// end.
func (p *proxy) passOn(w http.ResponseWriter, res *http.Response, heard *listener) (whole bool) {
	for k, vs := range res.Header {
		switch http.CanonicalHeaderKey(k) {
		case "Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade", "Trailer", "Content-Length", "Set-Cookie",
			"Access-Control-Allow-Origin", "X-Request-Id":
			continue
		}
		w.Header()[k] = vs
	}
	w.WriteHeader(res.StatusCode)
	flush := http.NewResponseController(w)
	buf := make([]byte, 32<<10)
	for {
		n, err := res.Body.Read(buf)
		if n > 0 {
			if _, werr := w.Write(buf[:n]); werr != nil {
				return false
			}
			_ = flush.Flush() // a writer that cannot flush writes at its end
			if heard != nil {
				heard.write(buf[:n])
			}
		}
		if err == io.EOF {
			return true
		}
		if err != nil {
			// The head is sent: only a broken connection can tell the caller
			// that the answer is not whole.
			p.chat.report(fmt.Errorf("chat: upstream broke off: %w", err))
			panic(http.ErrAbortHandler)
		}
	}
}

// scope says whose memories a request is about.
func (q *request) scope(r *http.Request) (longterm.Scope, error) {
	s := longterm.Scope{UserID: q.take("user_id"), AgentID: q.take("agent_id"), RunID: q.take("run_id")}
	for _, h := range []struct {
		to   *string
		name string
	}{{&s.UserID, HeaderUser}, {&s.AgentID, HeaderAgent}, {&s.RunID, HeaderRun}} {
		if *h.to == "" {
			*h.to = r.Header.Get(h.name)
		}
	}
	if s.IsZero() {
		s.UserID = q.text("user")
	}
	s, err := serve.CallerOf(r.Context()).Limit(s)
	if err != nil {
		return s, err
	}
	if s.IsZero() {
		return s, fmt.Errorf("%w: put it into the body, or the user into %s", longterm.ErrNoScope, HeaderUser)
	}
	return s.Check()
}
