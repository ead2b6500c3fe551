package mcptools

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// A call to a server that died a moment ago failed with "broken pipe", and was
// not made again: writing found out before reading did.
func TestWritingToADeadServerIsALostConnection(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	_, broken := w.Write([]byte("{}\n"))
	w.Close()
	_, closed := w.Write([]byte("{}\n"))
	for _, err := range []error{broken, closed} {
		if err == nil || !lost(fmt.Errorf("calling %q: %w", "tools/call", err)) {
			t.Errorf("%v is not the end of the connection", err)
		}
	}
	if lost(context.Canceled) {
		t.Error("a cancelled call is not the end of the connection")
	}
}
