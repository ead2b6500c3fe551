package llm_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestProvidersStayLeaves holds what package comments promise: an agent that
// uses one provider does not carry the others' SDKs.
func TestProvidersStayLeaves(t *testing.T) {
	const module = "github.com/seed-4bdb41d0/webhand/"
	sdks := []string{"go-openai", "anthropic-sdk", "genai", "tiktoken"}
	allowed := map[string]string{
		module + "llm": "", module + "llm/llmtest": "", module + "llm/openai": "go-openai",
		module + "llm/anthropic": "anthropic-sdk", module + "llm/gemini": "genai",
	}
	args := []string{"list", "-f", `{{.ImportPath}} {{join .Deps " "}}`}
	for pkg := range allowed {
		args = append(args, pkg)
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(allowed) {
		t.Fatalf("%d packages listed, want %d", len(lines), len(allowed))
	}
	for _, line := range lines {
		pkg, deps, _ := strings.Cut(line, " ")
		for _, dep := range strings.Fields(deps) {
			for _, sdk := range sdks {
				if sdk != allowed[pkg] && strings.Contains(dep, sdk) {
					t.Errorf("%s brings in %s", pkg, dep)
				}
			}
			if strings.HasPrefix(dep, module) && !strings.HasPrefix(dep, module+"llm") {
				t.Errorf("%s imports %s", pkg, dep)
			}
		}
	}
}
