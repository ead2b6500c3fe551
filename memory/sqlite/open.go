// Package sqlite keeps long-term memory in one SQLite file: memories, vectors,
// words, history and recent messages, written together in one transaction.
//
// It needs no cgo and no server. One process writes at a time, several
// processes of one machine may share a file; a network file system must not
// hold it. The search over vectors is exact.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed" // the schema
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

//go:embed schema.sql
var schema string

const (
	schemaVersion = 1
	applicationID = 0x77686d31 // "whm1"
	// defaultCache holds 100,000 vectors of length 384 and some more.
	defaultCache = 256 << 20
)

// Config opens a [Store].
type Config struct {
	// Path is the file, created when it is missing with mode 0600, below
	// directories created with mode 0700. ":memory:" keeps everything in
	// memory until Close. Required.
	Path string
	// Durable waits for the disk on every commit. Without it the last commits
	// before a power failure can be lost; the file is consistent either way,
	// and the end of the process alone loses nothing.
	Durable bool
	// CacheBytes bounds the memory for vectors of scopes that are searched.
	// Zero means 256 MiB, negative none.
	CacheBytes int
}

// Store is a longterm.VectorStore in one SQLite file. Its methods are safe for
// concurrent use.
type Store struct {
	write *sql.DB // one connection; transactions take the write lock at once
	read  *sql.DB
	path  string
	cache cache
	stmts statements
	// limitPages is how many pages the file may have; tests of a full disk
	// set it.
	limitPages int
}

var (
	_ longterm.VectorStore = (*Store)(nil)
	_ longterm.Restager    = (*Store)(nil)
	_ longterm.AccessStore = (*Store)(nil)
)

// Open opens the memory in a file. It fills in cfg.Store, which must be nil.
func Open(ctx context.Context, path string, cfg longterm.Config) (*longterm.Memory, error) {
	if cfg.Store != nil {
		return nil, fmt.Errorf("sqlite: Config.Store is set; use longterm.New for a store of your own")
	}
	st, err := OpenStore(ctx, Config{Path: path})
	if err != nil {
		return nil, err
	}
	cfg.Store = st
	m, err := longterm.New(ctx, cfg)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return m, nil
}

// Reembed makes all vectors of a file anew with cfg.Embedder. See
// longterm.Reembed.
func Reembed(ctx context.Context, path string, cfg longterm.Config) (int, error) {
	st, err := OpenStore(ctx, Config{Path: path})
	if err != nil {
		return 0, err
	}
	cfg.Store = st
	n, err := longterm.Reembed(ctx, cfg)
	return n, errors.Join(err, st.Close())
}

// OpenStore opens a file, creating it and its tables when needed. A file that
// is no memory store, or one written by a newer version, is an error and is
// left as it is.
func OpenStore(ctx context.Context, cfg Config) (*Store, error) {
	s, err := openStore(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("%w: open %s: %w", longterm.ErrStore, cfg.Path, err)
	}
	return s, nil
}

func openStore(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Path == "" {
		return nil, errors.New("Config.Path is empty: name a file, or \":memory:\" for none")
	}
	memory := cfg.Path == ":memory:"
	if !memory {
		if err := createFile(cfg.Path); err != nil {
			return nil, err
		}
	}
	drv := &sqlite.Driver{}
	if err := drv.RegisterDeterministicScalarFunction("webhand_lower", 1, lower); err != nil {
		return nil, err
	}
	// What is deleted or replaced is overwritten on disk, at any time: a purge
	// could not find the remains of earlier deletes.
	common := []string{"busy_timeout(5000)", "foreign_keys(1)", "secure_delete(1)"}
	sync := "synchronous(NORMAL)"
	if cfg.Durable {
		sync = "synchronous(FULL)"
	}
	s := &Store{path: cfg.Path}
	s.cache.limit = cfg.CacheBytes
	if s.cache.limit == 0 {
		s.cache.limit = defaultCache
	}
	s.write = sql.OpenDB(connector{drv, dsn(cfg.Path, "immediate", append(common, "journal_mode(WAL)", sync))})
	s.write.SetMaxOpenConns(1)
	s.write.SetMaxIdleConns(1)
	if memory { // every connection would be a database of its own
		s.read = s.write
	} else {
		s.read = sql.OpenDB(connector{drv, dsn(cfg.Path, "deferred", append(common, sync, "query_only(1)"))})
		s.read.SetMaxOpenConns(8)
		s.read.SetMaxIdleConns(8)
	}
	err := s.migrate(ctx)
	if err == nil {
		err = s.stmts.prepare(ctx, s.write)
	}
	if err != nil {
		return nil, errors.Join(err, s.closeDBs())
	}
	return s, nil
}

// createFile makes the file with its mode before SQLite would make it with
// another.
func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func dsn(path, lock string, pragmas []string) string {
	q := url.Values{"_txlock": {lock}, "_pragma": pragmas}
	if path == ":memory:" {
		return "file::memory:?" + q.Encode()
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	return strings.Replace(u.String(), "file://", "file:", 1) + "?" + q.Encode()
}

// connector opens connections of a driver that nobody else shares, so that
// its functions are not registered for the whole process.
type connector struct {
	drv *sqlite.Driver
	dsn string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.drv.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.drv }

// lower folds case for icontains: SQLite's own function knows ASCII only.
func lower(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	if s, ok := args[0].(string); ok {
		return strings.ToLower(s), nil
	}
	return args[0], nil
}

// migrate brings a new or older file to the current schema.
func (s *Store) migrate(ctx context.Context) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	var version, app, tables int
	if err := tx.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_master)`).Scan(&version, &app, &tables); err != nil {
		return err
	}
	switch {
	case version == schemaVersion && app == applicationID:
		return nil
	case app == applicationID && version > schemaVersion:
		return fmt.Errorf("the file has version %d, this program knows version %d: use a newer program", version, schemaVersion)
	case tables > 0:
		return fmt.Errorf("the file is a database of something else (application id %#x)", app)
	}
	for _, q := range []string{schema, fmt.Sprintf("PRAGMA application_id=%d", applicationID), fmt.Sprintf("PRAGMA user_version=%d", schemaVersion)} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("create tables: %w", err)
		}
	}
	return tx.Commit()
}

// Close writes the log back into the file and closes it.
func (s *Store) Close() error {
	s.cache.clear()
	var err error
	if s.path != ":memory:" {
		// Fails while another process reads; the next Close does it then.
		_, _ = s.write.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	if err = s.closeDBs(); err != nil {
		return fmt.Errorf("%w: close %s: %w", longterm.ErrStore, s.path, err)
	}
	return nil
}

func (s *Store) closeDBs() error {
	err := s.stmts.close()
	if s.read != s.write && s.read != nil {
		err = errors.Join(err, s.read.Close())
	}
	return errors.Join(err, s.write.Close())
}

// Capabilities says that the store is atomic and exact.
func (s *Store) Capabilities() longterm.Capabilities {
	return longterm.Capabilities{Name: "sqlite", Atomic: true, Exact: true, Keyword: true, ReadOwn: true, Restage: true, Accesses: true}
}

// fail marks an error as the store's, with what was tried.
func fail(what string, err error) error {
	for _, known := range []error{longterm.ErrNotFound, longterm.ErrEmbedderMismatch, longterm.ErrInvalidFilter} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %s: %w", longterm.ErrStore, what, err)
}
