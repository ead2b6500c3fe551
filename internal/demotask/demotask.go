// Package demotask is the task that example programs do when there is no model:
// a real order in the embedded shop, in a real Chrome, through the real OpenAI
// client, with answers of a model that were recorded.
package demotask

import (
	"bytes"
	"context"
	_ "embed"
	"time"

	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

// recording is a conversation with a model about the task. Element numbers in
// it are looked up in the page that each request shows.
//
//go:embed recording.json
var recording []byte

// key opens the local server that replays the recording, and nothing else.
const key = "demo-key-for-the-local-replay"

// today is the shop's date: the recorded answers name a delivery date.
var today = time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)

// Notice says what a program that runs the demo is doing. Print it.
const Notice = `This is the demo: a small shop served by this program, a real Chrome, the real
OpenAI client. The model's answers are a RECORDING, replayed by a local server;
no model is asked and nothing leaves this machine.`

// Task is the demo, ready to run. Close it.
type Task struct {
	// Text is the task in plain words.
	Text string
	// Site is the shop.
	Site *demosite.Server
	// LLM answers from the recording, once.
	LLM llm.Client

	model *llmtest.Server
}

// Start serves shop and model.
func Start(ctx context.Context) (*Task, error) {
	exchanges, err := llmtest.ReadRecording(bytes.NewReader(recording))
	if err != nil {
		return nil, err
	}
	site, err := demosite.Start(ctx, demosite.Config{Today: today})
	if err != nil {
		return nil, err
	}
	model, err := llmtest.Serve(llmtest.ServerConfig{Recording: exchanges, Key: key})
	if err != nil {
		_ = site.Close()
		return nil, err
	}
	return &Task{
		Site: site, model: model,
		LLM: openai.New(openai.Config{Model: "gpt-4.1-mini", BaseURL: model.OpenAI(), APIKey: key}),
		Text: "In the shop at " + site.URL + " find the cheapest blue mug, put two into the cart, and order them " +
			"as Ada Lovelace (ada@example.com, 12 St James's Square, 1010 Vienna, Austria) by express for 2 December 2026, " +
			"wrapped as a present with the note \"Happy birthday!\". Tell me the order number and the total.",
	}, nil
}

// Close ends both servers.
func (t *Task) Close() error {
	t.model.Close()
	return t.Site.Close()
}
