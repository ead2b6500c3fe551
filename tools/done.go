package tools

import (
	"context"
	"fmt"

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

func done(_ context.Context, p DoneParams) (*registry.Result, error) {
	text := []rune(p.Text)
	memory := fmt.Sprintf("Task completed: %t - %s", p.Success, string(text[:min(len(text), 100)]))
	if n := len(text) - 100; n > 0 {
		memory += fmt.Sprintf(" (%d more characters)", n)
	}
	return &registry.Result{Text: p.Text, Memory: memory, Done: true, Success: p.Success}, nil
}

func moreActions() []builtin {
	return []builtin{
		{registry.Spec{Name: "find_text", ReadOnly: true, Description: "Scroll to a text of the page."}, findText},
		{registry.Spec{Name: "go_forward", EndsStep: true, Description: "Go forward to the next page of this tab."}, goForward},
		{registry.Spec{Name: "reload", EndsStep: true, Description: "Load the page again."}, reload},
		{registry.Spec{Name: "hover", Description: "Move the pointer over an element or a point, to open menus and hints."}, hover},
	}
}
