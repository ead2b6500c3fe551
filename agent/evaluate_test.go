package agent

import (
	"slices"
	"testing"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

// Scripts that a model writes could send a secret away that they read from a
// field, so they are not offered where there are secrets or rules.
func TestEvaluateIsLeftOutWithSecretsAndPolicies(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg  Config
		want bool
	}{
		"by default":                {Config{}, true},
		"with secrets":              {Config{Secrets: []registry.Secret{registry.NewSecret("pass", "K7!blue-sky", "https://a.test")}}, false},
		"with a policy":             {Config{BrowserConfig: browser.Config{Policy: browser.Policy{Allow: []string{"a.test"}}}}, false},
		"with lists that are empty": {Config{BrowserConfig: browser.Config{Policy: browser.Policy{Allow: []string{}, Block: []string{}, Schemes: []string{}}}}, true},
		"with access refused":       {Config{BrowserConfig: browser.Config{Policy: browser.Policy{Private: browser.AccessRefuse}}}, false},
		"with tools and secrets":    {Config{Tools: tools.New(), Secrets: []registry.Secret{registry.NewSecret("pass", "K7!blue-sky", "https://a.test")}}, false},
		"with tools alone":          {Config{Tools: tools.New()}, true},
	} {
		t.Run(name, func(t *testing.T) {
			tc.cfg.LLM = model(func(int, *llm.Request) string { return "" })
			a, err := New("a task", tc.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = a.Close() }()
			if got := slices.Contains(a.reg.Compile(registry.Page{}).Names(), "evaluate"); got != tc.want {
				t.Errorf("evaluate is offered: %t, want %t", got, tc.want)
			}
			if tc.cfg.Tools != nil {
				if _, ok := tc.cfg.Tools.Lookup("evaluate"); !ok {
					t.Error("the caller's own registry was changed")
				}
			}
		})
	}
}
