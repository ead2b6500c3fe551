package tools

import (
	"context"
	"errors"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// noModel is there and fails.
type noModel struct{}

func (noModel) Complete(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, errors.New("no model")
}
