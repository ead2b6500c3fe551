package llm_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestProvidersStayLeaves holds what package comments promise: an agent that
// uses one provider does not carry the others' SDKs.
func TestProvidersStayLeaves(t *testing.T) {
	const sdk = "go-openai|anthropic-sdk|genai|tokenizer"
	for pkg, allowed := range map[string]string{
		".": "", "./llmtest": "", "./openai": "go-openai", "./anthropic": "anthropic-sdk", "./gemini": "genai",
	} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pkg).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", pkg, err)
		}
		for _, dep := range strings.Fields(string(out)) {
			for _, s := range strings.Split(sdk, "|") {
				if s != allowed && strings.Contains(dep, s) {
					t.Errorf("%s brings in %s", pkg, dep)
				}
			}
			if pkg == "." && strings.HasPrefix(dep, "github.com/seed-4bdb41d0/webhand/") && !strings.HasPrefix(dep, "github.com/seed-4bdb41d0/webhand/llm") {
				t.Errorf("llm imports %s", dep)
			}
		}
	}
}
