package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/storetest"
)

func TestConformance(t *testing.T) {
	for name, cfg := range map[string]Config{
		"file":                {Path: "memory.db"},
		"memory and no cache": {Path: ":memory:", CacheBytes: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T) longterm.VectorStore {
				cfg := cfg
				if cfg.Path != ":memory:" {
					cfg.Path = filepath.Join(t.TempDir(), cfg.Path)
				}
				return openTest(t, cfg)
			})
		})
	}
}

// openTest opens a store that the caller closes.
func openTest(t testing.TB, cfg Config) *Store {
	t.Helper()
	s, err := OpenStore(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
