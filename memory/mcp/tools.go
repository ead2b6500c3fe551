package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// who is on the other end.
type who struct{ client, user string }

func (w who) scope() longterm.Scope { return longterm.Scope{UserID: w.user} }

// The bounds of the tools.
const (
	searchLimit = 10
	listLimit   = 1000
)

type addArgs struct {
	Text  string `json:"text"`
	Infer *bool  `json:"infer"`
}

type searchArgs struct {
	Query string `json:"query" jsonschema:"what to look for"`
}

type deleteArgs struct {
	MemoryIDs []string `json:"memory_ids"`
}

// Written out, because the reflected ones would offer null.
const (
	addSchema = `{"type":"object","properties":{"text":{"type":"string","description":"what to remember, in the words in which it was said"},
		"infer":{"type":"boolean","description":"true, the default, keeps the facts in the text; false keeps the text as it is"}},
		"required":["text"],"additionalProperties":false}`
	deleteSchema = `{"type":"object","properties":{"memory_ids":{"type":"array","items":{"type":"string"},
		"description":"ids of memories as the other tools show them"}},"required":["memory_ids"],"additionalProperties":false}`
)

type noArgs struct{}

// addTools registers the tools. Their names and arguments are those that
// clients of OpenMemory are set up with.
func (s *Server) addTools(srv *sdk.Server, w who) {
	add(s, srv, w, &sdk.Tool{
		Name: "add_memories",
		Description: "Remember something. Use it whenever the user tells something about himself, his preferences, plans or people, " +
			"or anything that will matter in a later conversation, and whenever he asks you to remember something.",
		InputSchema: json.RawMessage(addSchema),
	}, s.addMemories)
	add(s, srv, w, &sdk.Tool{
		Name:        "search_memory",
		Description: "Search what is remembered about the user. Use it for every question of the user before you answer.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
	}, s.searchMemory)
	add(s, srv, w, &sdk.Tool{
		Name:        "list_memories",
		Description: "List everything that is remembered about the user.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
	}, s.listMemories)
	add(s, srv, w, &sdk.Tool{
		Name:        "delete_memories",
		Description: "Forget certain memories, given by their ids.",
		InputSchema: json.RawMessage(deleteSchema),
	}, s.deleteMemories)
	add(s, srv, w, &sdk.Tool{
		Name:        "delete_all_memories",
		Description: "Forget everything about the user. Use it only when the user asks for that.",
	}, s.deleteAllMemories)
}

// answer is what a tool says: text for the model, and the same as an object.
type answer struct {
	text   string
	object any
}

// add registers one tool. A failure is a result that starts with "Error: ":
// the model reads it, and the protocol goes on.
func add[A any](s *Server, srv *sdk.Server, w who, t *sdk.Tool, do func(context.Context, who, A) (answer, error)) {
	sdk.AddTool(srv, t, func(ctx context.Context, _ *sdk.CallToolRequest, args A) (*sdk.CallToolResult, any, error) {
		a, err := do(ctx, w, args)
		if err != nil {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "Error: " + s.explain(t.Name, err)}}}, nil, nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.text}}, StructuredContent: a.object}, nil, nil
	})
}

// refusal is a failure whose text the client may read.
type refusal string

func (r refusal) Error() string { return string(r) }

// explain is the text of a failure. What is not the caller's doing is told
// by its kind only.
func (s *Server) explain(tool string, err error) string {
	var r refusal
	if errors.As(err, &r) {
		return r.Error()
	}
	if errors.Is(err, longterm.ErrNoLLM) {
		return "No language model is configured here to find the facts in a text. Call again with infer set to false."
	}
	for _, own := range []error{longterm.ErrEmptyQuery, longterm.ErrInvalidMessages, longterm.ErrInvalidID} {
		if errors.Is(err, own) {
			return err.Error()
		}
	}
	s.log.Error("memory tool failed", "tool", tool, "err", err)
	if errors.Is(err, longterm.ErrLLM) || errors.Is(err, longterm.ErrEmbedder) {
		return "The model that the memory uses failed. Please try again later."
	}
	return "Memory system is currently unavailable. Please try again later."
}

// allowed returns what the client may see, as a condition on memories.
func (s *Server) allowed(ctx context.Context, w who) (longterm.App, longterm.Filter, error) {
	nothing := longterm.AppFilter(longterm.App{}, nil)
	switch {
	case w.user == "":
		return longterm.App{}, nothing, refusal("user_id not provided")
	case w.client == "":
		return longterm.App{}, nothing, refusal("client_name not provided")
	case len(w.client) > 256 || strings.ContainsFunc(w.client, func(r rune) bool { return r < 0x20 }):
		return longterm.App{}, nothing, refusal("client_name is not a name")
	}
	app, err := s.access.App(ctx, w.user, w.client, !s.cfg.KnownOnly)
	if errors.Is(err, longterm.ErrNotFound) {
		return app, nothing, refusal(fmt.Sprintf("App %s is not known here. It must be registered before it can use the memory.", w.client))
	}
	if err != nil {
		return app, nothing, err
	}
	rules, err := s.access.Rules(ctx, w.user, w.client)
	if err != nil {
		return app, nothing, err
	}
	return app, longterm.AppFilter(app, rules), nil
}

// record writes the access log. Access that cannot be logged is refused.
func (s *Server) record(ctx context.Context, w who, kind string, ids ...string) error {
	at := longterm.Timestamp{Time: time.Now()}
	rows := make([]longterm.Access, 0, max(1, len(ids)))
	for _, id := range ids {
		rows = append(rows, longterm.Access{User: w.user, App: w.client, Kind: kind, MemoryID: id, At: at})
	}
	if len(ids) == 0 {
		rows = append(rows, longterm.Access{User: w.user, App: w.client, Kind: kind, At: at})
	}
	return s.access.LogAccess(ctx, rows)
}

func (s *Server) addMemories(ctx context.Context, w who, a addArgs) (answer, error) {
	app, visible, err := s.allowed(ctx, w)
	if err != nil {
		return answer{}, err
	}
	if !app.Active {
		return answer{}, refusal(fmt.Sprintf("App %s is currently paused on OpenMemory. Cannot create new memories.", w.client))
	}
	if strings.TrimSpace(a.Text) == "" {
		return answer{}, refusal("text is empty; nothing was remembered")
	}
	o := longterm.AddOptions{Scope: w.scope(), NoInfer: s.cfg.Verbatim, Among: visible,
		Metadata: map[string]any{"source_app": "openmemory", "mcp_client": w.client}}
	if a.Infer != nil {
		o.NoInfer = !*a.Infer
	}
	res, err := s.mem.Add(ctx, longterm.Text(a.Text), o)
	if err != nil {
		return answer{}, err
	}
	ids := make([]string, len(res.Results))
	for i, c := range res.Results {
		ids[i] = c.ID
	}
	if err := s.record(ctx, w, "add", ids...); err != nil {
		return answer{}, err
	}
	return asJSON(res, res)
}

// found is a memory as search_memory shows it.
type found struct {
	ID        string             `json:"id"`
	Memory    string             `json:"memory"`
	Hash      string             `json:"hash"`
	CreatedAt longterm.Timestamp `json:"created_at"`
	UpdatedAt longterm.Timestamp `json:"updated_at"`
	Score     *float64           `json:"score"`
}

func (s *Server) searchMemory(ctx context.Context, w who, a searchArgs) (answer, error) {
	_, visible, err := s.allowed(ctx, w)
	if err != nil {
		return answer{}, err
	}
	res, err := s.mem.Search(ctx, a.Query, longterm.SearchOptions{Scope: w.scope(), Filter: visible, Limit: searchLimit})
	if err != nil {
		return answer{}, err
	}
	out := struct {
		Results []found `json:"results"`
	}{[]found{}}
	ids := make([]string, len(res.Results))
	for i, it := range res.Results {
		ids[i] = it.ID
		out.Results = append(out.Results, found{it.ID, it.Memory, it.Hash, it.CreatedAt, it.UpdatedAt, it.Score})
	}
	if err := s.record(ctx, w, "search", ids...); err != nil {
		return answer{}, err
	}
	return asJSON(out, out)
}

func (s *Server) listMemories(ctx context.Context, w who, _ noArgs) (answer, error) {
	_, visible, err := s.allowed(ctx, w)
	if err != nil {
		return answer{}, err
	}
	res, err := s.mem.List(ctx, longterm.ListOptions{Scope: w.scope(), Filter: visible, Limit: listLimit})
	if err != nil {
		return answer{}, err
	}
	ids := make([]string, len(res.Results))
	for i, it := range res.Results {
		ids[i] = it.ID
	}
	if err := s.record(ctx, w, "list", ids...); err != nil {
		return answer{}, err
	}
	// The text is a list, as clients know it; an object cannot be one.
	return asJSON(res.Results, res)
}

func (s *Server) deleteMemories(ctx context.Context, w who, a deleteArgs) (answer, error) {
	if len(a.MemoryIDs) == 0 {
		return answer{}, refusal("memory_ids is empty: name the memories to forget")
	}
	n, err := s.delete(ctx, w, "delete", longterm.Where("id", longterm.OpIn, a.MemoryIDs), a.MemoryIDs)
	if err != nil {
		return answer{}, err
	}
	if n == 0 {
		return answer{}, refusal("none of these memories exists for this app; nothing was deleted")
	}
	return said(fmt.Sprintf("Successfully deleted %d memories", n))
}

func (s *Server) deleteAllMemories(ctx context.Context, w who, _ noArgs) (answer, error) {
	if _, err := s.delete(ctx, w, "delete_all", longterm.Filter{}, nil); err != nil {
		return answer{}, err
	}
	return said("Successfully deleted all memories")
}

// delete deletes what passes the filter and the client may see.
func (s *Server) delete(ctx context.Context, w who, kind string, f longterm.Filter, ids []string) (int, error) {
	app, visible, err := s.allowed(ctx, w)
	if err != nil {
		return 0, err
	}
	if !app.Active {
		return 0, refusal(fmt.Sprintf("App %s is currently paused on OpenMemory. Cannot delete memories.", w.client))
	}
	if err := s.record(ctx, w, kind, ids...); err != nil {
		return 0, err
	}
	return s.mem.DeleteWhere(ctx, w.scope(), longterm.And(f, visible))
}

func asJSON(text, object any) (answer, error) {
	b, err := json.Marshal(text)
	if err != nil {
		return answer{}, err
	}
	return answer{string(b), object}, nil
}

func said(s string) (answer, error) {
	return answer{s, map[string]string{"message": s}}, nil
}
