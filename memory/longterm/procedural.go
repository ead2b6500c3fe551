package longterm

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/memory/embed"
)

// addProcedural has the messages summarised as a record of work and stores
// it as one memory. It is never compared or merged with others.
func (m *Memory) addProcedural(ctx context.Context, a *adding) (AddResult, error) {
	var text string
	if a.NoInfer {
		text = transcript(plainTexts(a.messages), func(string) bool { return true })
	} else {
		if m.cfg.LLM == nil {
			return AddResult{}, fmt.Errorf("%w: a procedural memory is a summary; set Config.LLM, or add with NoInfer", ErrNoLLM)
		}
		var err error
		if text, err = m.summarise(ctx, a.messages, a.Prompt); err != nil {
			return AddResult{}, err
		}
	}
	return m.storeProcedural(ctx, a, text, nil)
}

func plainTexts(ms []Message) []Message {
	out := make([]Message, len(ms))
	for i, m := range ms {
		out[i] = Message{Role: m.Role, Name: m.Name, Content: m.text()}
	}
	return out
}

// summarise asks for the record of a conversation.
func (m *Memory) summarise(ctx context.Context, messages []Message, system string) (string, error) {
	if system == "" {
		system = proceduralPrompt
	}
	req := &llm.Request{Messages: []llm.Message{llm.System(system)}}
	for _, msg := range messages {
		role := llm.RoleUser
		content := msg.text()
		switch msg.Role {
		case "assistant":
			role = llm.RoleAssistant
		case "user":
		default: // a system or tool message is material here, not an order
			content = msg.Role + ": " + content
		}
		part := llm.Message{Role: role, Parts: []llm.Part{{Text: content}}}
		for _, p := range msg.Parts {
			if img, err := decodeImage(p.ImageURL); p.ImageURL != "" && err == nil {
				part.Parts = append(part.Parts, llm.Part{Image: img})
			}
		}
		req.Messages = append(req.Messages, part)
	}
	req.Messages = append(req.Messages, llm.User("Write the record of the conversation above."))
	res, err := m.cfg.LLM.Complete(ctx, req)
	if err != nil {
		return "", fmt.Errorf("summarising: %w: %w", ErrLLM, err)
	}
	if err := checkFinish(res); err != nil {
		return "", fmt.Errorf("summarising: %w: %w", ErrLLM, err)
	}
	text := strings.TrimSpace(stripFence(stripThinking(res.Text)))
	if text == "" {
		return "", fmt.Errorf("summarising: %w: the answer is empty", ErrLLM)
	}
	return text, nil
}

// storeProcedural stores a summary. In the same transaction it deletes the
// memories whose ids are in replaced.
func (m *Memory) storeProcedural(ctx context.Context, a *adding, text string, replaced []string) (AddResult, error) {
	text = strings.TrimSpace(m.redact(text))
	if text == "" {
		return AddResult{}, fmt.Errorf("%w: there is no text in them", ErrInvalidMessages)
	}
	vectors, fp, err := m.embed(ctx, []string{text}, embed.Document)
	if err != nil {
		return AddResult{}, err
	}
	b := Batch{Scope: a.Scope, At: m.now(), Fingerprint: fp}
	r := m.record(a, text, vectors[0], b)
	r.Type = Procedural
	b.Writes = []Write{{Add: r, HistoryID: newID()}}
	for _, id := range replaced {
		b.Writes = append(b.Writes, Write{Delete: id, HistoryID: newID()})
	}
	out, err := m.apply(ctx, b)
	if err != nil {
		return AddResult{}, storeErr(err)
	}
	return AddResult{Results: []Change{{ID: out[0].Record.ID, Memory: text, Event: EventAdd}}}, nil
}
