package llmtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// ServerConfig says how a [Server] answers. Exactly one of Answer, Answers and
// Recording is used, in that order of preference.
type ServerConfig struct {
	// Answer is a scripted model. It may be called concurrently.
	Answer func(*Request) Answer
	// Answers are given in their order; a request beyond their end is refused.
	Answers []Answer
	// Recording is a conversation to replay, see [ReadRecording].
	Recording []Exchange

	// Key is the API key that requests must carry; empty takes any that is not
	// empty.
	Key string
	// Models are the models that exist; empty means all.
	Models []string
	// Check, when set, refuses further requests: a reason other than "" is
	// answered with status 400.
	Check func(*Request) string
	// Refuse lists methods for structured answers that this endpoint does not
	// have, such as [llm.RungSchema].
	Refuse []string
	// Address is where to listen; empty means a free port of the local host.
	Address string
}

// Request is a request as the server understood it.
type Request struct {
	Protocol string // "openai", "azure", "anthropic" or "gemini"
	Model    string
	Messages []llm.Message
	Rung     string // the method asked for, see [llm.RungSchema]; empty for plain text
	Name     string // of the format or the tool
	Schema   []byte // of the answer, if there is one
	Stream   bool
	Header   http.Header
	Path     string // with the query
	Body     []byte
	N        int // counts from 0

	answered bool // took an answer of the list
}

// Text returns the text of all messages.
func (r *Request) Text() string {
	var out []string
	for _, m := range r.Messages {
		out = append(out, m.Text())
	}
	return strings.Join(out, "\n")
}

// LastUser returns the text of the last message of the user.
func (r *Request) LastUser() string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == llm.RoleUser {
			return m.Text()
		}
	}
	return ""
}

func (r *Request) llm() *llm.Request { return &llm.Request{Messages: r.Messages} }

// Server speaks the chat APIs of OpenAI and Azure, Anthropic and Google on a
// local port. Each request is checked by the provider's published rules, and
// answered with status 400 and the reason when it breaks one.
type Server struct {
	// URL is the server's root, without a path.
	URL string

	cfg     ServerConfig
	http    *http.Server
	ctx     context.Context //nolint:containedctx // ends the handlers that stall, at Close
	cancel  context.CancelFunc
	done    chan struct{}
	mu      sync.Mutex
	reqs    []*Request
	refused []string
	replay  *replay
}

// Serve starts a server. The caller closes it.
func Serve(cfg ServerConfig) (*Server, error) {
	lc := net.ListenConfig{}
	ctx, cancel := context.WithCancel(context.Background())
	l, err := lc.Listen(ctx, "tcp", cmp.Or(cfg.Address, "127.0.0.1:0"))
	if err != nil {
		cancel()
		return nil, fmt.Errorf("llmtest: %w", err)
	}
	s := &Server{URL: "http://" + l.Addr().String(), cfg: cfg, ctx: ctx, cancel: cancel, done: make(chan struct{})}
	if cfg.Recording != nil {
		if s.replay, err = newReplay(cfg.Recording); err != nil {
			cancel()
			_ = l.Close()
			return nil, err
		}
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // returns ErrServerClosed at Close
	}()
	return s, nil
}

// TB is the part of [testing.TB] that [NewServer] needs.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// NewServer starts a server that is closed when the test ends. The test fails
// when the server had to refuse a request for breaking a rule that cfg does
// not name: a client's ladder would otherwise step over the refusal in silence.
func NewServer(tb TB, cfg ServerConfig) *Server {
	tb.Helper()
	s, err := Serve(cfg)
	if err != nil {
		tb.Fatalf("%v", err)
		return nil
	}
	tb.Cleanup(func() {
		s.Close()
		for _, r := range s.Refused() {
			tb.Errorf("llmtest: the server refused a request: %s", r)
		}
	})
	return s
}

// Close stops the server and everything that it still holds open.
func (s *Server) Close() {
	s.cancel()
	_ = s.http.Close()
	<-s.done
}

// OpenAI is the base URL for an OpenAI client.
func (s *Server) OpenAI() string { return s.URL + "/v1" }

// Azure is the base URL for an OpenAI client that talks to Azure. Set
// openai.Config.Azure as well: the host does not show it.
func (s *Server) Azure() string { return s.URL }

// Anthropic is the base URL for an Anthropic client.
func (s *Server) Anthropic() string { return s.URL }

// Gemini is the base URL for a Gemini client.
func (s *Server) Gemini() string { return s.URL }

// Requests returns the requests so far, refused ones included.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.reqs)
}

// Refused returns the reasons for which requests were refused, other than
// those of the configuration's Refuse, Check and Key.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refused)
}

// Unused returns how many exchanges of a recording have not been replayed.
func (s *Server) Unused() int {
	if s.replay == nil {
		return 0
	}
	return s.replay.unused()
}

// protocol is one provider's API.
type protocol interface {
	// parse reads a request; the error is a broken rule.
	parse(r *http.Request, body []byte) (*Request, error)
	// key returns the key that a request carries.
	key(r *http.Request) string
	// reply renders an answer.
	reply(req *Request, a Answer) []byte
	// events renders an answer as the pieces of an event stream.
	events(req *Request, a Answer) []string
	// failure renders an error body.
	failure(status int, code, message string) any
}

func protocolOf(path string) protocol {
	switch {
	case path == "/v1/chat/completions":
		return openAI{}
	case strings.HasPrefix(path, "/openai/") && strings.HasSuffix(path, "/chat/completions"):
		return openAI{azure: true}
	case path == "/v1/messages":
		return anthropicAPI{}
	case strings.HasPrefix(path, "/v1beta/models/"):
		return geminiAPI{}
	}
	return nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := protocolOf(r.URL.Path)
	if p == nil {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	// Ending with the client or with the server, whichever is first.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	if key := p.key(r); key == "" || (s.cfg.Key != "" && key != s.cfg.Key) {
		writeJSON(w, http.StatusUnauthorized, p.failure(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+key+"."))
		return
	}
	req, err := p.parse(r, body)
	if req == nil {
		req = &Request{}
	}
	req.Header, req.Body, req.Path = r.Header.Clone(), body, r.URL.RequestURI()
	s.mu.Lock()
	req.N = len(s.reqs)
	s.reqs = append(s.reqs, req)
	s.mu.Unlock()
	if err != nil {
		s.mu.Lock()
		s.refused = append(s.refused, err.Error())
		s.mu.Unlock()
		var ref *refusal
		code, param := "invalid_request_error", ""
		if errors.As(err, &ref) {
			param = ref.param
		}
		writeJSON(w, http.StatusBadRequest, withParam(p.failure(http.StatusBadRequest, code, err.Error()), param))
		return
	}
	if why := s.policy(req); why != "" {
		writeJSON(w, http.StatusBadRequest, p.failure(http.StatusBadRequest, "invalid_request_error", why))
		return
	}
	if len(s.cfg.Models) > 0 && !slices.Contains(s.cfg.Models, req.Model) {
		writeJSON(w, http.StatusNotFound, p.failure(http.StatusNotFound, "model_not_found", fmt.Sprintf("The model `%s` does not exist", req.Model)))
		return
	}
	s.respond(ctx, w, p, req)
}

// policy applies the rules of the configuration.
func (s *Server) policy(req *Request) string {
	if slices.Contains(s.cfg.Refuse, req.Rung) {
		return refuseWords(req.Rung)
	}
	if s.cfg.Check != nil {
		return s.cfg.Check(req)
	}
	return ""
}

// refuseWords are what endpoints say that lack a method.
func refuseWords(rung string) string {
	switch rung {
	case llm.RungSchema:
		return "This response_format type is unavailable now"
	case llm.RungTool:
		return "This model does not support being forced by tool_choice"
	case llm.RungAutoTool:
		return "This model does not support tools"
	case llm.RungObject:
		return "response_format json_object is not supported"
	}
	return "not supported"
}

func (s *Server) respond(ctx context.Context, w http.ResponseWriter, p protocol, req *Request) {
	a, why := s.answer(req)
	if why != "" {
		s.mu.Lock()
		s.refused = append(s.refused, why)
		s.mu.Unlock()
		writeJSON(w, http.StatusBadRequest, p.failure(http.StatusBadRequest, "no_answer", why))
		return
	}
	if wait(ctx, a.Delay) != nil {
		panic(http.ErrAbortHandler)
	}
	if req.Stream && a.Body == nil && (a.Fault == nil || a.Fault.Stall || a.Fault.Cut) {
		s.stream(ctx, w, p, req, a)
		return
	}
	whole := p.reply(req, a)
	if a.Body != nil {
		whole = a.Body
	}
	if a.Fault != nil {
		w.Header().Set("Content-Type", "application/json")
		a.Fault.act(ctx, w, p, whole)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(whole) // the client may be gone
}

// stream sends the answer as events. A fault stops it half way.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, p protocol, req *Request, a Answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	events := p.events(req, a)
	if a.Fault != nil {
		events = events[:len(events)/2]
	}
	rc := http.NewResponseController(w)
	var buf bytes.Buffer
	for _, e := range events {
		buf.Reset()
		buf.WriteString(e)
		buf.WriteString("\n\n")
		if _, err := w.Write(buf.Bytes()); err != nil || rc.Flush() != nil {
			return
		}
	}
	if a.Fault != nil {
		if a.Fault.Stall {
			<-ctx.Done()
			panic(http.ErrAbortHandler)
		}
		// A clean end in the middle: what a proxy makes of a lost upstream.
	}
}

func (s *Server) answer(req *Request) (Answer, string) {
	switch {
	case s.cfg.Answer != nil:
		return s.cfg.Answer(req), ""
	case s.cfg.Answers != nil:
		s.mu.Lock()
		defer s.mu.Unlock()
		// Requests that a rule refused have taken no answer.
		n := 0
		for _, r := range s.reqs[:req.N] {
			if r.answered {
				n++
			}
		}
		req.answered = true
		if n < len(s.cfg.Answers) {
			return s.cfg.Answers[n], ""
		}
		return Answer{}, fmt.Sprintf("the server has %d answers and this is request %d", len(s.cfg.Answers), n+1)
	case s.replay != nil:
		return s.replay.next(req)
	}
	return Answer{}, "the server has no answers"
}
