package longterm

import (
	"context"
	"fmt"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// GeneratedInstructions is what [Memory.GenerateInstructions] returns.
type GeneratedInstructions struct {
	Instructions string `json:"custom_instructions"`
	TestMessage  string `json:"test_message"`
}

// GenerateInstructions asks the language model for instructions that fit a
// use case, and a message to try them with. It changes nothing.
func (m *Memory) GenerateInstructions(ctx context.Context, useCase string) (GeneratedInstructions, error) {
	var out GeneratedInstructions
	if err := m.open(); err != nil {
		return out, err
	}
	if m.cfg.LLM == nil {
		return out, fmt.Errorf("generate instructions: %w: set Config.LLM", ErrNoLLM)
	}
	f := &llm.Format{Name: "memory_instructions", Text: "one JSON object as described above", Schema: objectSchema(map[string]any{
		"custom_instructions": textSchema, "test_message": textSchema}, "custom_instructions", "test_message")}
	err := m.ask(ctx, f, instructionsPrompt, m.redact(useCase), func(answer string) error {
		out = GeneratedInstructions{}
		if err := readJSON(answer, &out); err != nil {
			return err
		}
		if out.Instructions == "" {
			return fmt.Errorf(`the key "custom_instructions" is missing`)
		}
		return nil
	})
	if err != nil {
		return GeneratedInstructions{}, fmt.Errorf("generate instructions: %w", err)
	}
	return out, nil
}
