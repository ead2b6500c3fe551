package longterm

import (
	"encoding/json"
	"fmt"
	"time"
)

// Type is the kind of a memory.
type Type string

// Procedural marks the record of how something was done. The zero Type is a
// fact.
const Procedural Type = "procedural_memory"

// Event says what happened to a memory.
type Event string

// The events. NONE is a decision of the two-phase pipeline and is never
// reported.
const (
	EventAdd    Event = "ADD"
	EventUpdate Event = "UPDATE"
	EventDelete Event = "DELETE"
	EventNone   Event = "NONE"
)

// Timestamp is a time that is written in UTC as 2026-01-01T00:00:00.000000+00:00.
type Timestamp struct{ time.Time }

const timestampLayout = "2006-01-02T15:04:05.000000-07:00"

// String returns the time as it is written in JSON.
func (t Timestamp) String() string { return t.UTC().Format(timestampLayout) }

// MarshalJSON writes the time, or null when it is zero.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(t.String())
}

// UnmarshalJSON reads any RFC 3339 time, or null.
func (t *Timestamp) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = Timestamp{}
		return nil
	}
	return t.Time.UnmarshalJSON(b)
}

// Item is a memory as it is read.
type Item struct {
	ID     string `json:"id"`
	Memory string `json:"memory"`
	Hash   string `json:"hash"` // MD5 of Memory in hexadecimal
	// Metadata is what the caller added; null in JSON when there is none.
	Metadata  map[string]any `json:"metadata"`
	Score     *float64       `json:"score,omitempty"` // 0 to 1; only from a search
	CreatedAt Timestamp      `json:"created_at"`
	UpdatedAt Timestamp      `json:"updated_at"`
	Scope
	ActorID      string        `json:"actor_id,omitempty"`
	Role         string        `json:"role,omitempty"`
	AttributedTo string        `json:"attributed_to,omitempty"` // "user" or "assistant"
	ExpiresOn    string        `json:"expiration_date,omitempty"`
	Type         Type          `json:"memory_type,omitempty"`
	Details      *ScoreDetails `json:"score_details,omitempty"`
}

// ScoreDetails shows how a score came about; only with SearchOptions.Explain.
type ScoreDetails struct {
	Semantic float64 `json:"semantic_score"` // cosine of the vectors, at least 0
	// Keyword is the share of the query's words in the memory, rare words
	// counting more.
	Keyword   float64 `json:"bm25_score"`
	Entity    float64 `json:"entity_boost"` // always 0: there are no entity links
	Raw       float64 `json:"raw_score"`    // before a reranker
	Max       float64 `json:"max_possible_score"`
	Final     float64 `json:"final_score"`
	Threshold float64 `json:"threshold"`
	// BM25 is the store's own keyword rank, higher is better; 0 when the
	// keyword search did not find the memory.
	BM25 float64 `json:"bm25_rank"`
}

// Change is one thing that [Memory.Add] did.
type Change struct {
	ID       string
	Memory   string
	Event    Event
	Previous string // the text before an update
	ActorID  string // with NoInfer: the message's name
	Role     string // with NoInfer: the message's role
	verbatim bool
}

// MarshalJSON writes previous_memory for updates only, and actor_id and role
// for messages stored as they are.
func (c Change) MarshalJSON() ([]byte, error) {
	type base struct {
		ID     string `json:"id"`
		Memory string `json:"memory"`
		Event  Event  `json:"event"`
	}
	b := base{c.ID, c.Memory, c.Event}
	switch {
	case c.Event == EventUpdate:
		return json.Marshal(struct {
			base
			Previous string `json:"previous_memory"`
		}{b, c.Previous})
	case c.verbatim:
		return json.Marshal(struct {
			base
			ActorID *string `json:"actor_id"`
			Role    string  `json:"role"`
		}{b, nullable(c.ActorID), c.Role})
	}
	return json.Marshal(b)
}

// AddResult is what [Memory.Add] committed.
type AddResult struct {
	Results []Change `json:"results"`
	// Warnings names what a model answered and the pipeline had to leave out.
	Warnings []string `json:"-"`
}

// Mode says how a search compares texts.
type Mode string

// The modes.
const (
	Lexical  Mode = "lexical"  // shared words, stems and spellings
	Semantic Mode = "semantic" // meaning, as the embedder's model sees it
)

// SearchResult is the answer of [Memory.Search], best first.
type SearchResult struct {
	Results []Item `json:"results"`
	Mode    Mode   `json:"-"`
}

// ListResult is a page of [Memory.List].
type ListResult struct {
	Results []Item `json:"results"`
	// Next continues the list in ListOptions.Cursor; empty at the end.
	Next string `json:"-"`
}

// HistoryRow is one change in the life of a memory.
type HistoryRow struct {
	ID        string    `json:"id"`
	MemoryID  string    `json:"memory_id"`
	Old       *string   `json:"old_memory"`
	New       *string   `json:"new_memory"`
	Event     Event     `json:"event"`
	CreatedAt Timestamp `json:"created_at"`
	UpdatedAt Timestamp `json:"updated_at"` // null for an ADD
	IsDeleted bool      `json:"is_deleted"`
	ActorID   *string   `json:"actor_id"`
	Role      *string   `json:"role"`
}

// CheckDate reports whether s is a date as YYYY-MM-DD.
func CheckDate(s string) error {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return fmt.Errorf("%w %q: want YYYY-MM-DD", ErrInvalidDate, s)
	}
	return nil
}

func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
