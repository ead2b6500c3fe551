package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"
)

//go:embed indexeddb.js
var indexedDBJS string

// maxDatabase bounds what is kept of one IndexedDB database, in bytes of JSON.
const maxDatabase = 16 << 20

// readDatabases returns the IndexedDB databases of the origin that a tab shows.
// What has no form in JSON, such as keys that cannot be exported, is left out.
func (t *tab) readDatabases(ctx context.Context) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var got struct {
		Databases []json.RawMessage `json:"databases"`
		Skipped   []string          `json:"skipped"`
	}
	if err := t.callInFrame(ctx, t.main, indexedDBJS, &got, "read", maxDatabase); err != nil {
		return nil, fmt.Errorf("read IndexedDB: %w", err)
	}
	if len(got.Skipped) > 0 {
		t.owner.log.Warn("browser: storage state lacks what has no form in it", "databases", got.Skipped)
	}
	return got.Databases, nil
}

// writeDatabases puts databases in the place of those of the same names.
func (t *tab) writeDatabases(ctx context.Context, databases []json.RawMessage) error {
	if len(databases) == 0 {
		return nil
	}
	if err := t.callInFrame(ctx, t.main, indexedDBJS, nil, "write", databases); err != nil {
		return fmt.Errorf("write IndexedDB: %w", err)
	}
	return nil
}
