package longterm

import "errors"

// The failures callers branch on. Errors of this package wrap one of them
// and, where there is one, the cause.
var (
	// ErrNoScope reports a call without any of user, agent and run id.
	ErrNoScope = errors.New("at least one of user_id, agent_id and run_id is required")
	// ErrInvalidID reports a scope or memory id that cannot be one.
	ErrInvalidID = errors.New("invalid id")
	// ErrInvalidMessages reports messages that cannot be read or are none.
	ErrInvalidMessages = errors.New("invalid messages")
	// ErrInvalidMemoryType reports a memory type that cannot be added.
	ErrInvalidMemoryType = errors.New("invalid memory type")
	// ErrInvalidDate reports an expiry that is not a date as YYYY-MM-DD.
	ErrInvalidDate = errors.New("invalid expiration date")
	// ErrInvalidMetadata reports metadata that is not plain JSON, or too large.
	ErrInvalidMetadata = errors.New("invalid metadata")
	// ErrInvalidFilter reports a filter with an unknown operator or shape.
	ErrInvalidFilter = errors.New("invalid filter")
	// ErrInvalidLimit reports a limit or threshold out of range.
	ErrInvalidLimit = errors.New("invalid limit")
	// ErrEmptyQuery reports a search without words.
	ErrEmptyQuery = errors.New("empty query")
	// ErrNothingToUpdate reports an update that changes nothing.
	ErrNothingToUpdate = errors.New("nothing to update")
	// ErrNotFound reports an id that no memory has.
	ErrNotFound = errors.New("memory not found")
	// ErrNoLLM reports a call that needs a language model where none is
	// configured.
	ErrNoLLM = errors.New("no language model configured")
	// ErrLLM reports a language model that failed or twice gave an answer
	// that cannot be used.
	ErrLLM = errors.New("language model")
	// ErrVision reports an image that could not be described.
	ErrVision = errors.New("image not described")
	// ErrEmbedder reports an embedder that failed.
	ErrEmbedder = errors.New("embedder")
	// ErrEmbedderMismatch reports vectors of another space than the stored
	// ones. See [Reembed].
	ErrEmbedderMismatch = errors.New("embedder does not match the stored vectors")
	// ErrNotSemantic reports a lexical embedder where Config.RequireSemantic
	// asks for another.
	ErrNotSemantic = errors.New("the embedder is lexical")
	// ErrStore reports a store that failed.
	ErrStore = errors.New("memory store")
	// ErrUnsupported reports something the store cannot do.
	ErrUnsupported = errors.New("not supported by this store")
	// ErrClosed reports a call after Close.
	ErrClosed = errors.New("memory is closed")
)
