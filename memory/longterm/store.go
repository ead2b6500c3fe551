package longterm

import (
	"context"
	"maps"
	"time"
)

// Record is a memory as a [VectorStore] keeps it.
type Record struct {
	ID string
	Scope
	ActorID      string
	Role         string
	Type         Type
	AttributedTo string
	Text         string
	Hash         string
	Metadata     map[string]any // plain JSON values; nil when empty
	ExpiresOn    string         // YYYY-MM-DD, the last day it is seen; empty is never
	CreatedAt    time.Time
	UpdatedAt    time.Time
	// Vector has length one and the store's dimension. Reads leave it nil.
	Vector []float32
	// Tokens are the words for keyword search, joined by spaces. Reads leave
	// them empty.
	Tokens string
}

// Item returns the record as callers read it.
func (r *Record) Item() Item {
	return Item{
		ID: r.ID, Memory: r.Text, Hash: r.Hash, Metadata: r.Metadata,
		CreatedAt: Timestamp{r.CreatedAt}, UpdatedAt: Timestamp{r.UpdatedAt},
		Scope: r.Scope, ActorID: r.ActorID, Role: r.Role, AttributedTo: r.AttributedTo,
		ExpiresOn: r.ExpiresOn, Type: r.Type,
	}
}

// Write is one change of a [Batch]. Exactly one of Add, Update and Delete is
// set.
type Write struct {
	Add *Record
	// Unique skips the Add when a record of the very same scope has the same
	// hash.
	Unique bool

	Update *Update
	Delete string // an id

	// IfHash skips an Update or Delete when the record's hash is another by
	// now; empty accepts any.
	IfHash string
	// HistoryID is the id of the history row this write leaves.
	HistoryID string
}

// Update changes parts of a record. Nil and empty fields stay as they are.
type Update struct {
	ID string
	// Text comes with its Hash, Vector and Tokens.
	Text   *string
	Hash   string
	Vector []float32
	Tokens string
	// Merge is laid over the metadata: a nil value removes a key.
	Merge     map[string]any
	ExpiresOn *string // "" clears it
}

// On returns the record as it is after the update.
func (u *Update) On(r Record, at time.Time) Record {
	if u.Text != nil {
		r.Text, r.Hash = *u.Text, u.Hash
	}
	md := make(map[string]any, len(r.Metadata)+len(u.Merge))
	maps.Copy(md, r.Metadata)
	for k, v := range u.Merge {
		if v == nil {
			delete(md, k)
			continue
		}
		md[k] = v
	}
	if r.Metadata = md; len(md) == 0 {
		r.Metadata = nil
	}
	if u.ExpiresOn != nil {
		r.ExpiresOn = *u.ExpiresOn
	}
	r.UpdatedAt = at
	return r
}

// Turn is a message of a conversation as it is kept for the next extraction.
type Turn struct {
	Role    string    `json:"role"`
	Name    string    `json:"name,omitempty"`
	Content string    `json:"content"`
	At      time.Time `json:"created_at"`
}

// Batch is a set of changes that happen together or not at all.
type Batch struct {
	Writes []Write
	// Turns are appended to the recent messages of exactly Scope, of which
	// the newest KeepTurns stay.
	Scope     Scope
	Turns     []Turn
	KeepTurns int
	At        time.Time // the time of the changes
	// Fingerprint is that of the vectors in Writes. The store takes it over
	// when it has none, and otherwise refuses the batch with
	// [ErrEmbedderMismatch] when it differs, inside the same transaction. Empty
	// when no write has a vector.
	Fingerprint string
}

// Outcome says what became of a [Write].
type Outcome struct {
	// Applied is false for a write that was skipped: a duplicate Add, or an
	// Update or Delete whose record is gone or changed.
	Applied bool
	// Record is the record after an Add or Update and before a Delete; for a
	// duplicate Add it is the one that was there.
	Record Record
	// Previous is the text before an Update.
	Previous string
}

// StoreQuery asks a store for the candidates of a search.
type StoreQuery struct {
	Scope  Scope  // required
	Filter Filter // checked by the caller
	Vector []float32
	// Tokens are the words of the query; a store without keyword search
	// ignores them and says so in Capabilities.
	Tokens []string
	Limit  int // of either kind of candidates
	// Today hides records that expired before this date; empty shows all.
	Today string
}

// Hit is a candidate of a search.
type Hit struct {
	Record
	Semantic float64 // cosine similarity, 0 to 1, exact when Capabilities.Exact
	BM25     float64 // keyword rank, higher is better; 0 when not found by words
}

// StoreList asks a store for records, newest first.
type StoreList struct {
	Scope  Scope // zero: everybody's
	Filter Filter
	Limit  int
	Cursor string
	Today  string
	// Vectors and Tokens are not filled in.
}

// Capabilities says what a store promises.
type Capabilities struct {
	Name     string // "sqlite", "pgvector", ...
	Atomic   bool   // a Batch happens whole or not at all, also across a crash
	Exact    bool   // Search misses nothing
	Keyword  bool   // Search looks for Tokens
	ReadOwn  bool   // a read after a write sees it
	Restage  bool   // the store implements Restager
	Accesses bool   // the store implements AccessStore
}

// VectorStore keeps memories, their history and the recent messages.
// Implementations are in memory/sqlite and in modules of their own; package
// storetest holds what they must do.
//
// All methods are safe for concurrent use. A filter with an operator that the
// store does not know is an error, never ignored. Ids that nobody has are
// [ErrNotFound] where one is asked for.
type VectorStore interface {
	// Apply carries out a batch in order, and reports per write.
	Apply(ctx context.Context, b Batch) ([]Outcome, error)
	Search(ctx context.Context, q StoreQuery) ([]Hit, error)
	Get(ctx context.Context, id string) (Record, error)
	// List returns records and the cursor of the next page, empty at the end.
	List(ctx context.Context, l StoreList) ([]Record, string, error)
	Count(ctx context.Context, s Scope, f Filter) (int, error)
	// DeleteWhere deletes the records of a scope that pass the filter, with a
	// history row each, and returns how many. newID makes the rows' ids.
	DeleteWhere(ctx context.Context, s Scope, f Filter, at time.Time, newID func() string) (int, error)
	// Purge removes every trace of a scope, history and messages included,
	// and returns the number of memories that went.
	Purge(ctx context.Context, s Scope) (int, error)
	// History returns the rows of a memory, oldest first, also of a deleted one.
	History(ctx context.Context, id string) ([]HistoryRow, error)
	// Recent returns the newest n turns of exactly this scope, oldest first.
	Recent(ctx context.Context, s Scope, n int) ([]Turn, error)
	// Entities returns who has memories.
	Entities(ctx context.Context, limit int) ([]Entity, error)
	// Meta reads a setting of the store; a key never set is "".
	Meta(ctx context.Context, key string) (string, error)
	SetMeta(ctx context.Context, key, value string) error
	// Import puts records and history in as they are. Ids that exist are
	// skipped; the result is the number of records that were new.
	Import(ctx context.Context, fingerprint string, rs []Record, hs []HistoryRow) (int, error)
	// Reset removes everything but the settings.
	Reset(ctx context.Context) error
	Capabilities() Capabilities
	Close() error
}

// MetaFingerprint is the Meta key under which a store keeps the fingerprint of
// its vectors.
const MetaFingerprint = "embedder"

// Restager is a store that can change all its vectors at once.
type Restager interface {
	// Unstaged returns up to n records whose current text has no staged
	// vector of this fingerprint yet.
	Unstaged(ctx context.Context, fingerprint string, n int) ([]Record, error)
	// Stage keeps new vectors beside the ones in use. Each Update holds ID,
	// Hash and Vector; one whose text changed meanwhile is dropped.
	Stage(ctx context.Context, fingerprint string, us []Update) error
	// Promote puts the staged vectors in use, if every record has one, and
	// reports whether it did.
	Promote(ctx context.Context, fingerprint string) (bool, error)
}

// Entity is a user, an agent or a run that has memories.
type Entity struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"` // "user", "agent", "run"
	Total     int       `json:"total_memories"`
	CreatedAt Timestamp `json:"created_at"`
	UpdatedAt Timestamp `json:"updated_at"`
}
