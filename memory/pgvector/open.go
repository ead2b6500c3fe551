// Package pgvector keeps long-term memory in PostgreSQL with the pgvector
// extension: for more than one machine. Memories, vectors, words, history and
// messages are written in one transaction.
//
// It is a module of its own. Its search is exact; no approximate index is made.
package pgvector

import (
	"context"
	_ "embed" // the schema
	"errors"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

//go:embed schema.sql
var schema string

// Config opens a [Store].
type Config struct {
	// DSN is the address of the database, as a URL or as key=value pairs.
	// Required.
	DSN string
	// Schema is the PostgreSQL schema that holds the tables, made when it is
	// missing. Empty means "webhand_memory".
	Schema string
}

// Store is a longterm.VectorStore in PostgreSQL.
type Store struct {
	pool *pgxpool.Pool
}

var _ longterm.VectorStore = (*Store)(nil)

var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// OpenStore connects and makes the tables when they are missing. The role
// needs the right to create the vector extension, or an administrator has
// done it before.
func OpenStore(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Schema == "" {
		cfg.Schema = "webhand_memory"
	}
	if !schemaName.MatchString(cfg.Schema) {
		return nil, fmt.Errorf("pgvector: schema %q is not a plain name", cfg.Schema)
	}
	pc, err := pgxpool.ParseConfig(cfg.DSN)
	if err != nil {
		// The error of the parser may quote the password.
		return nil, errors.New("pgvector: Config.DSN cannot be read")
	}
	pc.ConnConfig.RuntimeParams["search_path"] = cfg.Schema + ",public"
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fail("open", err)
	}
	s := &Store{pool: pool}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		// Two programs that start at once must not both make the tables.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext($1))`, "webhand memory "+cfg.Schema); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+cfg.Schema); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, schema)
		return err
	})
	if err != nil {
		pool.Close()
		return nil, fail("open", err)
	}
	return s, nil
}

// transact runs f in one transaction.
func (s *Store) transact(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, f)
}

// Close closes the connections.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// Capabilities says that the store is atomic and exact.
func (s *Store) Capabilities() longterm.Capabilities {
	return longterm.Capabilities{Name: "pgvector", Atomic: true, Exact: true, Keyword: true, ReadOwn: true}
}

func fail(what string, err error) error {
	for _, known := range []error{longterm.ErrNotFound, longterm.ErrEmbedderMismatch, longterm.ErrInvalidFilter} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %s: %w", longterm.ErrStore, what, err)
}
