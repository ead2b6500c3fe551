// Package qdrant keeps long-term memory in a Qdrant server: for programs that
// run one anyway. It is a module of its own and speaks Qdrant's gRPC interface.
//
// Qdrant has no transactions, and Capabilities says so. What the store does
// instead:
//
//   - All that a batch does to memories, with its history, is one upsert to a
//     collection of one shard. The server logs an upsert whole before it
//     applies it, so a crash leaves all of it or nothing; readers may see a
//     part while it is applied. Nothing is reported before the server has
//     answered that it is applied. When its log reaches the disk, for a power
//     failure, is the server's own affair.
//   - A deleted memory is overwritten by that same upsert with a mark that no
//     reader sees, and removed afterwards. Marks that a crash left are removed
//     by the next OpenStore.
//   - An error while the server is out of reach leaves open whether the batch
//     happened; it never half happened.
//   - Recent messages are written before the memories. A batch that fails may
//     leave them.
//   - The conditions of a write (Unique, IfHash, an id that is taken) are
//     checked before it. They hold against all writers of one Store; a second
//     process that writes the same memories at the same moment may come
//     between. Where that matters take memory/pgvector.
//
// Search is exact: no approximate index is asked. Equality, lists of values,
// existence and their combinations are filtered by the server. Comparisons by
// order and parts of texts are filtered here, after the server has narrowed
// them to the scope; a search then reads as many pages as it needs.
//
// The tests run the conformance suite against a server of the tests' own,
// which follows Qdrant's documentation. They run it against a real one when
// WEBHAND_TEST_QDRANT_URL is set; that has not been done for this version.
package qdrant

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	qd "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// Config opens a [Store].
type Config struct {
	// URL is the address of the server's gRPC interface: http or https, a
	// host, and a port, 6334 if none is given. Required.
	URL string
	// APIKey is sent with every call. Over http it can be read on the way.
	APIKey string
	// TLS sets up https. Nil is the system's roots and TLS 1.3.
	TLS *tls.Config
	// Collection is the name of the collection with the memories and their
	// history, made by the first write. A second one, with "_state" after the
	// name, holds settings and recent messages. Empty means "webhand_memory".
	Collection string
}

// Store is a longterm.VectorStore in Qdrant.
type Store struct {
	client *qd.Client
	name   string        // of the collection
	state  string        // of the collection with settings and messages
	writer chan struct{} // holds a token while somebody writes
	made   atomic.Bool   // the collection is known to exist
	seq    atomic.Int64  // of the last row of history or message
}

var _ longterm.VectorStore = (*Store)(nil)

var collectionName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

// The vectors of a memory.
const (
	denseName = "text"
	wordsName = "words"
)

// OpenStore connects, and makes the collection of settings when it is
// missing.
func OpenStore(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Collection == "" {
		cfg.Collection = "webhand_memory"
	}
	if !collectionName.MatchString(cfg.Collection) {
		return nil, fmt.Errorf("qdrant: collection %q: use letters, digits, dots, dashes and underscores", cfg.Collection)
	}
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" && u.Path != "/" {
		return nil, errors.New("qdrant: Config.URL is not like http://host:6334")
	}
	port := 6334
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, errors.New("qdrant: Config.URL is not like http://host:6334")
		}
	}
	client, err := qd.NewClient(&qd.Config{
		Host: u.Hostname(), Port: port, APIKey: cfg.APIKey, UseTLS: u.Scheme == "https", TLSConfig: cfg.TLS,
		SkipCompatibilityCheck: true, // it would call the server without ctx
		PoolSize:               1,
		KeepAliveTime:          60,
		KeepAliveTimeout:       20,
		// The library's limit is 4 MiB, which a page of long memories passes.
		GrpcOptions: []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32))},
	})
	if err != nil {
		return nil, fail(ctx, "open", err)
	}
	s := &Store{client: client, name: cfg.Collection, state: cfg.Collection + "_state", writer: make(chan struct{}, 1)}
	if err := s.prepare(ctx); err != nil {
		_ = client.Close()
		return nil, fail(ctx, "open", err)
	}
	return s, nil
}

// prepare makes the collection of settings and clears away the marks that an
// interrupted delete left.
func (s *Store) prepare(ctx context.Context) error {
	ok, err := s.client.CollectionExists(ctx, s.state)
	if err != nil {
		return err
	}
	if !ok {
		if err := s.create(ctx, &qd.CreateCollection{CollectionName: s.state}, "kind", "key", "scope", "user_id", "agent_id", "run_id"); err != nil {
			return err
		}
	}
	if ok, err = s.client.CollectionExists(ctx, s.name); err != nil || !ok {
		return err
	}
	s.made.Store(true)
	return s.remove(ctx, s.name, qd.NewPointsSelectorFilter(&qd.Filter{Must: []*qd.Condition{qd.NewMatchKeyword("kind", kindGone)}}))
}

// create makes a collection of one shard with keyword indexes. Another
// process may do the same at the same time.
func (s *Store) create(ctx context.Context, c *qd.CreateCollection, keywords ...string) error {
	c.ShardNumber = qd.PtrOf(uint32(1))
	if err := s.client.CreateCollection(ctx, c); err != nil {
		if ok, _ := s.client.CollectionExists(ctx, c.CollectionName); !ok {
			return err
		}
	}
	for _, k := range keywords {
		params := qd.NewPayloadIndexParamsKeyword(&qd.KeywordIndexParams{IsTenant: qd.PtrOf(k == "user_id")})
		if err := s.index(ctx, c.CollectionName, k, qd.FieldType_FieldTypeKeyword, params); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) index(ctx context.Context, collection, field string, kind qd.FieldType, params *qd.PayloadIndexParams) error {
	return applied(s.client.CreateFieldIndex(ctx, &qd.CreateFieldIndexCollection{
		CollectionName: collection, Wait: qd.PtrOf(true), FieldName: field, FieldType: &kind, FieldIndexParams: params, Ordering: strong(),
	}))
}

// ensure makes the collection of memories for vectors of a length.
func (s *Store) ensure(ctx context.Context, dims int) error {
	if s.made.Load() {
		return nil
	}
	ok, err := s.client.CollectionExists(ctx, s.name)
	if err != nil {
		return err
	}
	if !ok {
		if dims == 0 {
			return errors.New("the collection is gone")
		}
		err := s.create(ctx, &qd.CreateCollection{
			CollectionName: s.name,
			// Vectors come with length one, so the product is the cosine, and
			// the server leaves them as they are.
			VectorsConfig:       qd.NewVectorsConfigMap(map[string]*qd.VectorParams{denseName: {Size: uint64(dims), Distance: qd.Distance_Dot}}),
			SparseVectorsConfig: qd.NewSparseVectorsConfig(map[string]*qd.SparseVectorParams{wordsName: {Modifier: qd.Modifier_Idf.Enum()}}),
		}, "kind", "user_id", "agent_id", "run_id", "terms", "memory_id")
		if err != nil {
			return err
		}
		for _, field := range []string{"created", "updated", "expires"} {
			if err := s.index(ctx, s.name, field, qd.FieldType_FieldTypeInteger, nil); err != nil {
				return err
			}
		}
	}
	s.made.Store(true)
	return nil
}

// Close closes the connection.
func (s *Store) Close() error { return s.client.Close() }

// Capabilities says that the store is exact and not atomic.
func (s *Store) Capabilities() longterm.Capabilities {
	return longterm.Capabilities{Name: "qdrant", Exact: true, Keyword: true, ReadOwn: true}
}

// lock waits for the other writers of this store.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case s.writer <- struct{}{}:
		return func() { <-s.writer }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// next numbers rows in the order in which they are written, also across
// restarts.
func (s *Store) next() int64 {
	for {
		last := s.seq.Load()
		n := max(last+1, time.Now().UnixNano())
		if s.seq.CompareAndSwap(last, n) {
			return n
		}
	}
}

// strong has writes go through one leader, in a cluster.
func strong() *qd.WriteOrdering { return &qd.WriteOrdering{Type: qd.WriteOrderingType_Strong} }

// applied turns an answer that is not "done" into an error.
func applied(r *qd.UpdateResult, err error) error {
	if err == nil && r.GetStatus() != qd.UpdateStatus_Completed {
		return fmt.Errorf("the server answered %v: the change may come later", r.GetStatus())
	}
	return err
}

func (s *Store) upsert(ctx context.Context, collection string, mode qd.UpdateMode, points ...*qd.PointStruct) error {
	req := &qd.UpsertPoints{CollectionName: collection, Wait: qd.PtrOf(true), Points: points, Ordering: strong()}
	if mode != qd.UpdateMode_Upsert {
		req.UpdateMode = &mode
	}
	return applied(s.client.Upsert(ctx, req))
}

func (s *Store) remove(ctx context.Context, collection string, which *qd.PointsSelector) error {
	return applied(s.client.Delete(ctx, &qd.DeletePoints{CollectionName: collection, Wait: qd.PtrOf(true), Points: which, Ordering: strong()}))
}

// missing reports that the collection does not exist.
func missing(err error) bool { return err != nil && status.Code(err) == codes.NotFound }

func fail(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %s: %w", longterm.ErrStore, what, ctx.Err())
	}
	for _, known := range []error{longterm.ErrNotFound, longterm.ErrEmbedderMismatch, longterm.ErrInvalidFilter, longterm.ErrInvalidDate, longterm.ErrNoScope} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %s: %w", longterm.ErrStore, what, err)
}
