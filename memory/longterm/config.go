package longterm

import (
	"context"
	"log/slog"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/memory/embed"
)

// Pipeline is the way from a conversation to memories.
type Pipeline int

// The pipelines.
const (
	// TwoPhase extracts facts, compares them with the memories there are, and
	// adds, updates or deletes. Two model calls; one when nothing is known
	// yet. It keeps a small, consistent set.
	TwoPhase Pipeline = iota
	// Additive extracts and adds, and never changes or deletes. One model
	// call; nothing is lost to a wrong decision.
	Additive
)

// String returns "two_phase" or "additive".
func (p Pipeline) String() string {
	if p == Additive {
		return "additive"
	}
	return "two_phase"
}

// Config sets up a [Memory]. The zero value of every field but Store is
// useful, and sqlite.Open fills Store in.
type Config struct {
	// Store keeps everything. Required by [New].
	Store VectorStore
	// Embedder makes the vectors. Nil is embed.Lexical: offline, words only.
	// With any other one, the texts of memories and queries go wherever that
	// embedder sends them.
	Embedder embed.Embedder
	// RequireSemantic makes New fail with [ErrNotSemantic] when the embedder
	// is lexical.
	RequireSemantic bool

	// LLM extracts and decides. Without one only NoInfer adds work.
	LLM llm.Client
	// Pipeline is what Add does with a conversation.
	Pipeline Pipeline
	// Instructions are added to the extraction prompt: what to keep, what to
	// leave out. Add's Prompt takes their place for one call.
	Instructions string
	// ExtractionPrompt and DecisionPrompt replace the system prompts of the
	// two-phase pipeline.
	ExtractionPrompt string
	DecisionPrompt   string

	// Vision has images described by LLM, and the description remembered.
	// Without it images are left out.
	Vision bool
	// VisionDetail is the resolution at which images are looked at.
	VisionDetail llm.Detail
	// Describe describes a message with images instead of LLM. It is needed
	// for images given by address: this package downloads nothing.
	Describe func(ctx context.Context, m Message) (string, error)

	// Rerank reorders the results of searches that ask for it. It returns a
	// score from 0 to 1 per text, in order.
	Rerank func(ctx context.Context, query string, texts []string) ([]float64, error)

	// Redact is applied to every text before a model, an embedder or the
	// store sees it.
	Redact func(string) string

	// NoRecent keeps no messages of conversations. Otherwise the last ten of
	// a scope are kept for the next extraction of the additive pipeline.
	NoRecent bool
	// AgentID is whose memories Recall and Remember use when a call names no
	// agent. Empty means "browser_agent".
	AgentID string
	// AsyncTimeout bounds one AsyncAdd. Zero means two minutes.
	AsyncTimeout time.Duration

	// Logger hears warnings. It never gets the text of a memory. Nil is silent.
	Logger *slog.Logger
	// Now is the clock; it must be safe for concurrent use. Nil is time.Now.
	Now func() time.Time
}
