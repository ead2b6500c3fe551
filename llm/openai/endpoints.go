package openai

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Endpoint is what is known of a provider that speaks chat completions.
type Endpoint struct {
	// Name is the provider's short name, as in [llm.Response].
	Name string
	// Host is the host of its API; a leading dot matches any host below it, and
	// a leading colon a port of the local machine.
	Host string
	// BaseURL is where its API starts.
	BaseURL string
	// KeyVars are the environment variables that hold its key, in order.
	KeyVars []string
	// NoKey says that it works without a key.
	NoKey bool
	// Dialect is the flavour of JSON Schema that it takes.
	Dialect llm.Dialect
	// Profile is what it accepts unless the model says otherwise.
	Profile Profile
}

// Endpoints returns the table of known endpoints. The table is a starting
// point: what it has wrong or not at all is learned from the endpoint's first
// refusal, and [Config] overrides all of it.
func Endpoints() []Endpoint {
	maxTokens := Profile{TokenParam: "max_tokens"}
	tools := Profile{TokenParam: "max_tokens", Start: llm.RungTool}
	gateway := Profile{TokenParam: "max_tokens", CacheMarkers: llm.Unknown}
	local := Profile{TokenParam: "max_tokens", SchemaBlind: llm.Yes}
	return []Endpoint{
		{Name: "openai", Host: "api.openai.com", BaseURL: "https://api.openai.com/v1", KeyVars: []string{"OPENAI_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: Profile{TokenParam: "max_completion_tokens"}},
		{Name: "azure", Host: ".openai.azure.com", KeyVars: []string{"AZURE_OPENAI_API_KEY", "AZURE_OPENAI_KEY"}, Dialect: llm.OpenAIStrict, Profile: Profile{TokenParam: "max_completion_tokens"}},
		{Name: "azure", Host: ".cognitiveservices.azure.com", KeyVars: []string{"AZURE_OPENAI_API_KEY", "AZURE_OPENAI_KEY"}, Dialect: llm.OpenAIStrict, Profile: Profile{TokenParam: "max_completion_tokens"}},
		{Name: "openrouter", Host: "openrouter.ai", BaseURL: "https://openrouter.ai/api/v1", KeyVars: []string{"OPENROUTER_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: gateway},
		{Name: "vercel", Host: "ai-gateway.vercel.sh", BaseURL: "https://ai-gateway.vercel.sh/v1", KeyVars: []string{"AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN"}, Dialect: llm.OpenAIStrict, Profile: gateway},
		{Name: "litellm", Host: ":4000", BaseURL: "http://localhost:4000/v1", KeyVars: []string{"LITELLM_API_KEY"}, NoKey: true, Dialect: llm.OpenAIStrict, Profile: gateway},
		{Name: "deepseek", Host: "api.deepseek.com", BaseURL: "https://api.deepseek.com/v1", KeyVars: []string{"DEEPSEEK_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: Profile{TokenParam: "max_tokens", Start: llm.RungTool, Vision: llm.No}},
		{Name: "groq", Host: "api.groq.com", BaseURL: "https://api.groq.com/openai/v1", KeyVars: []string{"GROQ_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: Profile{TokenParam: "max_completion_tokens"}},
		{Name: "mistral", Host: "api.mistral.ai", BaseURL: "https://api.mistral.ai/v1", KeyVars: []string{"MISTRAL_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: maxTokens},
		{Name: "xai", Host: "api.x.ai", BaseURL: "https://api.x.ai/v1", KeyVars: []string{"XAI_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: Profile{TokenParam: "max_completion_tokens"}},
		{Name: "cerebras", Host: "api.cerebras.ai", BaseURL: "https://api.cerebras.ai/v1", KeyVars: []string{"CEREBRAS_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: Profile{TokenParam: "max_completion_tokens", Vision: llm.No}},
		{Name: "moonshot", Host: "api.moonshot.ai", BaseURL: "https://api.moonshot.ai/v1", KeyVars: []string{"MOONSHOT_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: tools},
		{Name: "moonshot", Host: "api.moonshot.cn", BaseURL: "https://api.moonshot.cn/v1", KeyVars: []string{"MOONSHOT_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: tools},
		{Name: "dashscope", Host: "dashscope-intl.aliyuncs.com", BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", KeyVars: []string{"DASHSCOPE_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: tools},
		{Name: "dashscope", Host: "dashscope.aliyuncs.com", BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", KeyVars: []string{"DASHSCOPE_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: tools},
		{Name: "together", Host: "api.together.xyz", BaseURL: "https://api.together.xyz/v1", KeyVars: []string{"TOGETHER_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: maxTokens},
		{Name: "fireworks", Host: "api.fireworks.ai", BaseURL: "https://api.fireworks.ai/inference/v1", KeyVars: []string{"FIREWORKS_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: maxTokens},
		{Name: "perplexity", Host: "api.perplexity.ai", BaseURL: "https://api.perplexity.ai", KeyVars: []string{"PERPLEXITY_API_KEY"}, Dialect: llm.OpenAIStrict, Profile: maxTokens},
		{Name: "google", Host: "generativelanguage.googleapis.com", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyVars: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, Dialect: llm.Gemini, Profile: maxTokens},
		{Name: "anthropic", Host: "api.anthropic.com", BaseURL: "https://api.anthropic.com/v1", KeyVars: []string{"ANTHROPIC_API_KEY"}, Dialect: llm.Anthropic, Profile: tools},
		{Name: "ollama", Host: ":11434", BaseURL: "http://localhost:11434/v1", NoKey: true, Dialect: llm.LlamaCpp, Profile: local},
		{Name: "ollama", Host: "ollama.com", BaseURL: "https://ollama.com/v1", KeyVars: []string{"OLLAMA_API_KEY"}, Dialect: llm.LlamaCpp, Profile: local},
		{Name: "llama.cpp", Host: ":8080", BaseURL: "http://localhost:8080/v1", NoKey: true, Dialect: llm.LlamaCpp, Profile: local},
		{Name: "lmstudio", Host: ":1234", BaseURL: "http://localhost:1234/v1", NoKey: true, Dialect: llm.LlamaCpp, Profile: local},
		{Name: "vllm", Host: ":8000", BaseURL: "http://localhost:8000/v1", NoKey: true, Dialect: llm.OpenAIStrict, Profile: local},
	}
}

// modelRule is what a model accepts wherever it is served.
type modelRule struct {
	// match is tried on the name without a gateway's vendor prefix.
	match   *regexp.Regexp
	profile Profile
}

// rules returns what is known of model families. The first match wins.
func rules() []modelRule {
	r := func(pattern string, p Profile) modelRule {
		return modelRule{match: regexp.MustCompile(pattern), profile: p}
	}
	thinks := Profile{Sampling: llm.No, Effort: llm.Yes, TokenParam: "max_completion_tokens"}
	return []modelRule{
		r(`^gpt-\d+(\.\d+)?-chat`, Profile{Sampling: llm.No, Effort: llm.No, Vision: llm.Yes, TokenParam: "max_completion_tokens"}),
		r(`^(o1-mini|o1-preview|o3-mini)`, Profile{Sampling: llm.No, Vision: llm.No, TokenParam: "max_completion_tokens"}),
		r(`^(o\d|gpt-[5-9])`, thinks),
		r(`^gpt-oss`, Profile{Vision: llm.No, Effort: llm.Yes}),
		r(`^(gpt-4o-2024-05-13|chatgpt-4o|gpt-4-turbo)`, Profile{Start: llm.RungTool, Effort: llm.No}),
		r(`^(gpt-4$|gpt-4-0|gpt-4-32k|gpt-3\.5)`, Profile{Start: llm.RungTool, Vision: llm.No, Effort: llm.No}),
		r(`^(gpt-4o|gpt-4\.1)`, Profile{Vision: llm.Yes, Effort: llm.No}),
		r(`^claude`, Profile{Start: llm.RungTool, CacheMarkers: llm.Yes}),
		r(`^gemini`, Profile{Vision: llm.Yes}),
		r(`^deepseek-(reasoner|r1)`, Profile{Start: llm.RungAutoTool, Sampling: llm.No, Vision: llm.No}),
		r(`^deepseek`, Profile{Vision: llm.No}),
		r(`^kimi-k2-thinking`, Profile{Start: llm.RungAutoTool, Vision: llm.No}),
		r(`^(kimi-k2|moonshot-v1-(8k|32k|128k)$)`, Profile{Start: llm.RungTool, Vision: llm.No}),
		r(`^(qwq|qwen3?.*thinking)`, Profile{Start: llm.RungAutoTool}),
		r(`^gemma-?[12]`, Profile{Start: llm.RungPrompt, Vision: llm.No}),
	}
}

// lookup finds the endpoint of a base URL. It returns the zero Endpoint, with
// OpenAI's dialect, for a host it does not know.
func lookup(base *url.URL) Endpoint {
	host := strings.ToLower(base.Hostname())
	loop := host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
	for _, e := range Endpoints() {
		switch {
		case strings.HasPrefix(e.Host, ":"):
			if loop && base.Port() == e.Host[1:] {
				return e
			}
		case strings.HasPrefix(e.Host, "."):
			if strings.HasSuffix(host, e.Host) {
				return e
			}
		case host == e.Host:
			return e
		}
	}
	return Endpoint{Name: "openai", NoKey: true, Dialect: llm.OpenAIStrict, Profile: Profile{TokenParam: "max_tokens"}}
}

// profile joins what the caller, the model and the endpoint say.
func profile(c Config, e Endpoint) Profile {
	name := strings.ToLower(path.Base(c.Model)) // "openai/gpt-5" on a gateway
	p := c.Profile
	for _, r := range rules() {
		if r.match.MatchString(name) {
			m := r.profile
			if e.Profile.SchemaBlind == llm.Yes {
				m.Start = "" // a grammar works for any model
			}
			if e.Name != "openai" && e.Name != "azure" {
				m.TokenParam = ""
			}
			p = p.over(m)
			break
		}
	}
	return p.over(e.Profile)
}

// dialect picks the flavour of JSON Schema for a model: a gateway passes the
// schema on to the vendor's own endpoint.
func dialect(c Config, e Endpoint) llm.Dialect {
	vendor, _, gateway := strings.Cut(c.Model, "/")
	switch {
	case c.Dialect != "":
		return c.Dialect
	case gateway && (vendor == "google" || vendor == "gemini" || vendor == "vertex_ai"):
		return llm.Gemini
	case gateway && vendor == "anthropic":
		return llm.Anthropic
	}
	return e.Dialect
}
