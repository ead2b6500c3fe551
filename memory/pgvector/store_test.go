package pgvector

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/storetest"
)

// dsnEnv names a database that the tests may make schemas in.
const dsnEnv = "WEBHAND_TEST_PGVECTOR_DSN"

func TestConformance(t *testing.T) {
	dsn := os.Getenv(dsnEnv)
	if dsn == "" {
		t.Skip(dsnEnv + " is not set")
	}
	ctx := context.Background()
	var n atomic.Int32
	storetest.Run(t, func(t *testing.T) longterm.VectorStore {
		name := fmt.Sprintf("webhand_test_%d_%d", os.Getpid(), n.Add(1))
		s, err := OpenStore(ctx, Config{DSN: dsn, Schema: name})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { // the suite has closed it by then
			s, err := OpenStore(ctx, Config{DSN: dsn, Schema: name})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.pool.Exec(ctx, `DROP SCHEMA `+name+` CASCADE`); err != nil {
				t.Error(err)
			}
		})
		return s
	})
}

func TestOpenRefusesNonsense(t *testing.T) {
	for _, cfg := range []Config{{DSN: "postgres://user:secret@/%zz"}, {DSN: "postgres://localhost/x", Schema: `x"; DROP TABLE y`}} {
		if _, err := OpenStore(context.Background(), cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}
