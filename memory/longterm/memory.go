package longterm

import (
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
	"github.com/seed-4bdb41d0/webhand/memory/internal/words"
)

// Memory is long-term memory over a store. It is safe for concurrent use.
type Memory struct {
	cfg   Config
	store VectorStore
	emb   embed.Embedder
	info  embed.Info
	log   *slog.Logger

	mu           sync.Mutex
	dims         int // of the stored vectors; 0 until the first
	instructions string
	closed       bool
	scopes       map[Scope]*scopeLock
	working      sync.WaitGroup // AsyncAdd calls under way
	slots        chan struct{}
}

// New returns a memory over cfg.Store, which it owns from then on: Close
// closes it. The error matches [ErrEmbedderMismatch] when the store holds
// vectors of another embedder; see [Reembed].
func New(ctx context.Context, cfg Config) (*Memory, error) {
	m, err := prepare(ctx, cfg)
	if err != nil {
		return nil, err
	}
	stored, err := m.store.Meta(ctx, MetaFingerprint)
	if err != nil {
		return nil, err
	}
	if stored != "" {
		want := m.info.Fingerprint(m.info.Dims)
		dims := fingerprintDims(stored)
		if m.info.Dims == 0 {
			want = m.info.Fingerprint(dims)
		}
		if want != stored {
			return nil, fmt.Errorf("%w: the store was written with %q, the configured embedder is %q; "+
				"configure the former or run Reembed", ErrEmbedderMismatch, stored, want)
		}
		m.dims = dims
	}
	if m.info.Lexical {
		m.log.Info("memory search is lexical: it finds shared words, not shared meaning; configure an embedder for meaning")
	}
	return m, nil
}

// prepare builds a Memory without comparing embedders.
func prepare(ctx context.Context, cfg Config) (*Memory, error) {
	if cfg.Store == nil {
		return nil, fmt.Errorf("longterm: Config.Store is not set: open one with sqlite.Open")
	}
	if cfg.Embedder == nil {
		cfg.Embedder = embed.Lexical{}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.AgentID == "" {
		cfg.AgentID = "browser_agent"
	}
	if cfg.AsyncTimeout == 0 {
		cfg.AsyncTimeout = 2 * time.Minute
	}
	m := &Memory{
		cfg: cfg, store: cfg.Store, emb: cfg.Embedder, info: cfg.Embedder.Info(), log: cfg.Logger,
		instructions: cfg.Instructions, scopes: make(map[Scope]*scopeLock), slots: make(chan struct{}, 8),
	}
	if cfg.RequireSemantic && m.info.Lexical {
		return nil, fmt.Errorf("%w and Config.RequireSemantic is set: configure one that knows meaning", ErrNotSemantic)
	}
	if cfg.Instructions == "" {
		kept, err := m.store.Meta(ctx, metaInstructions)
		if err != nil {
			return nil, err
		}
		m.instructions = kept
	}
	m.dims = m.info.Dims
	return m, nil
}

const metaInstructions = "instructions"

// fingerprintDims reads the dimension out of a fingerprint.
func fingerprintDims(fp string) int {
	parts := strings.Split(fp, "|")
	var n int
	if len(parts) >= 2 {
		_, _ = fmt.Sscanf(parts[len(parts)-2], "%d", &n)
	}
	return n
}

// Store returns the store the memory works on.
func (m *Memory) Store() VectorStore { return m.store }

// Mode says how this memory searches.
func (m *Memory) Mode() Mode {
	if m.info.Lexical {
		return Lexical
	}
	return Semantic
}

// Pipeline returns the pipeline in use.
func (m *Memory) Pipeline() Pipeline { return m.cfg.Pipeline }

// HasLLM reports whether a language model is configured.
func (m *Memory) HasLLM() bool { return m.cfg.LLM != nil }

// Embedder describes the embedder in use.
func (m *Memory) Embedder() embed.Info { return m.info }

// Instructions returns what is added to the extraction prompt.
func (m *Memory) Instructions() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.instructions
}

// SetInstructions changes the instructions and keeps them in the store. They
// are used by every later Memory on it whose Config has none.
func (m *Memory) SetInstructions(ctx context.Context, s string) error {
	if err := m.open(); err != nil {
		return err
	}
	if err := m.store.SetMeta(ctx, metaInstructions, s); err != nil {
		return err
	}
	m.mu.Lock()
	m.instructions = s
	m.mu.Unlock()
	return nil
}

// Close waits for the adds of AsyncAdd and closes the store. Later calls fail
// with [ErrClosed].
func (m *Memory) Close() error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	m.mu.Unlock()
	m.working.Wait()
	return m.store.Close()
}

func (m *Memory) open() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	return nil
}

func (m *Memory) now() time.Time { return m.cfg.Now().UTC().Truncate(time.Microsecond) }

// today is the date before which a memory has expired.
func (m *Memory) today() string { return m.now().Format(time.DateOnly) }

func (m *Memory) redact(s string) string {
	if m.cfg.Redact != nil {
		s = m.cfg.Redact(s)
	}
	// A zero character means nothing in a text, and not every store can keep it.
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// embed returns vectors of the store's dimension and their fingerprint.
func (m *Memory) embed(ctx context.Context, texts []string, p embed.Purpose) ([][]float32, string, error) {
	m.mu.Lock()
	dims := m.dims
	m.mu.Unlock()
	vs, err := embed.All(ctx, m.emb, texts, p, 0)
	if err != nil {
		return nil, "", fmt.Errorf("%w %s %s: %w", ErrEmbedder, m.info.Provider, m.info.Model, err)
	}
	if len(vs) == 0 {
		return nil, "", nil
	}
	got := len(vs[0])
	if dims != 0 && got != dims {
		return nil, "", fmt.Errorf("%w: %s %s returned vectors of length %d, the store holds length %d; "+
			"nothing was written", ErrEmbedderMismatch, m.info.Provider, m.info.Model, got, dims)
	}
	return vs, m.info.Fingerprint(got), nil
}

// apply runs a batch and remembers the dimension that it fixed.
func (m *Memory) apply(ctx context.Context, b Batch) ([]Outcome, error) {
	out, err := m.store.Apply(ctx, b)
	if err == nil && b.Fingerprint != "" {
		m.mu.Lock()
		if m.dims == 0 {
			m.dims = fingerprintDims(b.Fingerprint)
		}
		m.mu.Unlock()
	}
	return out, err
}

// scopeLock serialises the pipelines of one scope: reading what is known,
// deciding and writing belong together.
type scopeLock struct {
	ch   chan struct{}
	uses int
}

func (m *Memory) lockScope(ctx context.Context, s Scope) (unlock func(), err error) {
	m.mu.Lock()
	l := m.scopes[s]
	if l == nil {
		l = &scopeLock{ch: make(chan struct{}, 1)}
		m.scopes[s] = l
	}
	l.uses++
	m.mu.Unlock()
	leave := func() {
		m.mu.Lock()
		if l.uses--; l.uses == 0 {
			delete(m.scopes, s)
		}
		m.mu.Unlock()
	}
	select {
	case l.ch <- struct{}{}:
		return func() { <-l.ch; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, fmt.Errorf("waiting for another add to the same scope: %w", ctx.Err())
	}
}

// tokens returns the words of a text for keyword search.
func tokens(text string) string { return strings.Join(words.Tokens(text), " ") }

func hashOf(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// newID returns a random UUID (RFC 9562, version 4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// storeErr marks an error of the store unless it is already one of ours.
func storeErr(err error) error {
	for _, known := range []error{ErrStore, ErrNotFound, ErrEmbedderMismatch, ErrInvalidFilter, ErrUnsupported, ErrClosed} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrStore, err)
}
