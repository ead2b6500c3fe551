package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/registry"
)

// DoneParams are the parameters of done.
type DoneParams struct {
	Text    string   `json:"text" jsonschema_description:"the answer: only what was seen on the pages, complete, and what is missing"`
	Success bool     `json:"success" jsonschema:"default=true" jsonschema_description:"false when any part of the task was not done"`
	Files   []string `json:"files_to_display,omitempty" jsonschema_description:"names of written files to hand over"`
}

func doneActions() []builtin {
	return []builtin{{
		registry.Spec{
			Name: "done", ReadOnly: true,
			Description: "Finish: the task is done, or cannot be done. Give the result to the user.",
		},
		done,
	}}
}

func done(_ context.Context, p DoneParams, f *Files) (*registry.Result, error) {
	res := &registry.Result{Text: p.Text, Memory: doneMemory(p.Text, p.Success), Done: true, Success: p.Success}
	if len(p.Files) == 0 {
		return res, nil
	}
	paths, err := attachments(f, p.Files)
	if err != nil {
		return nil, failedTo("done", err)
	}
	res.Attachments = paths
	res.Text += shownAttachments(f, p.Files)
	return res, nil
}

func doneMemory(said string, success bool) string {
	text := []rune(said)
	memory := fmt.Sprintf("Task completed: %t - %s", success, string(text[:min(len(text), 100)]))
	if n := len(text) - 100; n > 0 {
		memory += fmt.Sprintf(" (%d more characters)", n)
	}
	return memory
}

// shownAttachments are the texts of files that are handed over.
func shownAttachments(f *Files, names []string) string {
	var b strings.Builder
	for _, n := range names {
		if _, text, err := f.Read(n); err == nil && strings.TrimSpace(text) != "" {
			fmt.Fprintf(&b, "\n\n%s:\n%s", n, text)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n\nAttachments:" + b.String()
}
