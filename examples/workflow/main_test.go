package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheDocumentOrdersWithoutAModel(t *testing.T) {
	for _, k := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"} {
		t.Setenv(k, "")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var out, diag bytes.Buffer
	if err := run(ctx, nil, &out, &diag); err != nil {
		t.Fatalf("%v\n%s", err, diag.String())
	}
	var got struct {
		Order string
		Lines []string
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Order != "WH-1001" || len(got.Lines) != 2 {
		t.Errorf("%v\n%s\n%s", err, out.String(), diag.String())
	}
}

func TestAWrongDocumentIsExplained(t *testing.T) {
	f := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(f, []byte(`{"format":"webhand-workflow","version":1,"name":"x","steps":[{"do":{"action":"click","element":{"nam":"Go"}}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), []string{"-f", f}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "nam") {
		t.Errorf("err = %v", err)
	}
}
