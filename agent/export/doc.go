// Package export turns a workflow into a program that needs nothing of webhand:
// a Go program on chromedp, or a Playwright test in TypeScript.
//
//	w, err := history.Workflow("order")
//	files, err := export.Go(w)
//	err = export.Write("order", files) // cd order && go mod tidy && go run . -h
//
// The programs find elements by the best of what was recorded and refuse to
// choose between equals, wait for elements instead of times, take inputs from
// flags and secrets from the environment, and fail with the number of the step.
package export

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// ErrUnsupported is matched by the error about steps that no program can be
// written for: those that ask a model, and actions without a counterpart.
var ErrUnsupported = errors.New("export: not supported")

// Write writes files into a folder, which it makes.
func Write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o644); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	return nil
}
