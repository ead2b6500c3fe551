package longterm

import (
	_ "embed" // the prompts
	"encoding/json"

	"github.com/seed-4bdb41d0/webhand/llm"
)

var (
	//go:embed prompts/extract.txt
	extractPrompt string
	//go:embed prompts/decide.txt
	decidePrompt string
	//go:embed prompts/additive.txt
	additivePrompt string
	//go:embed prompts/additive_agent.txt
	additiveAgentPrompt string
	//go:embed prompts/procedural.txt
	proceduralPrompt string
	//go:embed prompts/vision.txt
	visionPrompt string
	//go:embed prompts/instructions.txt
	instructionsPrompt string
)

// The shapes of the answers, in the form that strict dialects want: every
// property required, nothing else allowed.
var (
	factsFormat = format("memory_facts", "facts", map[string]any{
		"text": textSchema, "forget": map[string]any{"type": "boolean"},
	}, "text", "forget")
	decisionFormat = format("memory_decision", "memory", map[string]any{
		"id": textSchema, "text": textSchema, "old_memory": textSchema,
		"event": map[string]any{"type": "string", "enum": []string{"ADD", "UPDATE", "DELETE", "NONE"}},
	}, "id", "text", "event", "old_memory")
	additiveFormat = format("memory_additions", "memory", map[string]any{
		"id": textSchema, "text": textSchema,
		"attributed_to":     map[string]any{"type": "string", "enum": []string{"user", "assistant"}},
		"linked_memory_ids": map[string]any{"type": "array", "items": textSchema},
	}, "id", "text", "attributed_to", "linked_memory_ids")
)

var textSchema = map[string]any{"type": "string"}

// format describes an object with one list of objects.
func format(name, list string, props map[string]any, required ...string) *llm.Format {
	return &llm.Format{Name: name, Text: "one JSON object as described above", Schema: func(d llm.Dialect) (json.RawMessage, error) {
		items := object(d, props, required...)
		return json.Marshal(object(d, map[string]any{list: map[string]any{"type": "array", "items": items}}, list))
	}}
}

func objectSchema(props map[string]any, required ...string) func(llm.Dialect) (json.RawMessage, error) {
	return func(d llm.Dialect) (json.RawMessage, error) { return json.Marshal(object(d, props, required...)) }
}

func object(d llm.Dialect, props map[string]any, required ...string) map[string]any {
	o := map[string]any{"type": "object", "properties": props, "required": required}
	if d != llm.Gemini { // which has no such keyword
		o["additionalProperties"] = false
	}
	return o
}
