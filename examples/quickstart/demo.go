package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

// recording is a conversation with a model about the demo's task. Element
// numbers in it are looked up in the page that each request shows.
//
//go:embed recording.json
var recording []byte

// demoKey opens the local server that replays the recording, and nothing else.
const demoKey = "demo-key-for-the-local-replay"

// recordedOn is the shop's date in the demo: the recorded answers name a
// delivery date.
var recordedOn = time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)

// demo carries out a real task on the embedded shop with recorded answers.
func demo(ctx context.Context, w io.Writer, task string) error {
	fmt.Fprintln(w, "OPENAI_API_KEY is not set. This is the demo: a small shop served by this program,")
	fmt.Fprintln(w, "a real Chrome, the real OpenAI client. The model's answers are a RECORDING, replayed")
	fmt.Fprintln(w, "by a local server; no model is asked and nothing leaves this machine.")
	if task != "" {
		fmt.Fprintln(w, "A recording cannot do another task; set OPENAI_API_KEY to run yours.")
	}
	fmt.Fprintln(w)
	site, err := demosite.Start(ctx, demosite.Config{Today: recordedOn})
	if err != nil {
		return err
	}
	defer site.Close()
	exchanges, err := llmtest.ReadRecording(bytes.NewReader(recording))
	if err != nil {
		return err
	}
	model, err := llmtest.Serve(llmtest.ServerConfig{Recording: exchanges, Key: demoKey})
	if err != nil {
		return err
	}
	defer model.Close()
	task = "In the shop at " + site.URL + " find the cheapest blue mug, put two into the cart, and order them " +
		"as Ada Lovelace (ada@example.com, 12 St James's Square, 1010 Vienna, Austria) by express for 2 December 2026, " +
		"wrapped as a present with the note \"Happy birthday!\". Tell me the order number and the total."
	return work(ctx, w, task, agent.Config{
		LLM: openai.New(openai.Config{Model: "gpt-4.1-mini", BaseURL: model.OpenAI(), APIKey: demoKey}),
	})
}
