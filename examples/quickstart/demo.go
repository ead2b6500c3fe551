package main

import (
	"context"
	"fmt"
	"io"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/internal/demotask"
)

// demo carries out a real task on the embedded shop with recorded answers.
func demo(ctx context.Context, w io.Writer, task string) error {
	fmt.Fprintln(w, "OPENAI_API_KEY is not set.", demotask.Notice)
	if task != "" {
		fmt.Fprintln(w, "A recording cannot do another task; set OPENAI_API_KEY to run yours.")
	}
	fmt.Fprintln(w)
	d, err := demotask.Start(ctx)
	if err != nil {
		return err
	}
	defer d.Close()
	return work(ctx, w, d.Text, agent.Config{LLM: d.LLM})
}
