package llm

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
)

//go:embed models.json
var modelsJSON []byte

// Model is what the table knows of a model. Prices are US dollars for a
// million tokens; a zero price means free.
type Model struct {
	Input      float64 `json:"input"`
	Cached     float64 `json:"cached,omitempty"`      // input read from the prompt cache; 0 means Input
	CacheWrite float64 `json:"cache_write,omitempty"` // input written to it; 0 means Input
	Output     float64 `json:"output"`
	Context    int     `json:"context,omitempty"` // window in tokens
	MaxOutput  int     `json:"max_output,omitempty"`
	Vision     Tri     `json:"vision,omitempty"`

	// Long holds the prices of requests with more than LongOver input tokens.
	LongOver int    `json:"long_over,omitempty"`
	Long     *Model `json:"long,omitempty"`
}

// Cost is the price of u in US dollars.
func (m Model) Cost(u Usage) float64 {
	if m.Long != nil && u.Input > m.LongOver {
		return m.Long.Cost(u)
	}
	cached, write := m.Cached, m.CacheWrite
	if cached == 0 {
		cached = m.Input
	}
	if write == 0 {
		write = m.Input
	}
	plain := max(0, u.Input-u.Cached-u.CacheWrite)
	return (float64(plain)*m.Input + float64(u.Cached)*cached + float64(u.CacheWrite)*write + float64(u.Output)*m.Output) / 1e6
}

// ModelTable holds prices and windows by model name.
type ModelTable struct {
	// Date is when the figures were gathered, as YYYY-MM-DD.
	Date   string           `json:"date"`
	Models map[string]Model `json:"models"`
}

var embedded = sync.OnceValue(func() *ModelTable {
	var t ModelTable
	if err := json.Unmarshal(modelsJSON, &t); err != nil {
		panic("llm: models.json: " + err.Error()) // embedded: a build error in effect
	}
	return &t
})

// Models returns the embedded table. It is shared: do not change it, but make
// a copy by [ModelTable.With].
func Models() *ModelTable { return embedded() }

// ReadModels reads a table in the form of the embedded one.
func ReadModels(r io.Reader) (*ModelTable, error) {
	var t ModelTable
	if err := json.NewDecoder(r).Decode(&t); err != nil {
		return nil, fmt.Errorf("llm: table of models: %w", err)
	}
	return &t, nil
}

// With returns a copy of t in which the given models are added or replaced.
func (t *ModelTable) With(models map[string]Model) *ModelTable {
	out := &ModelTable{Date: t.Date, Models: make(map[string]Model, len(t.Models)+len(models))}
	for _, m := range []map[string]Model{t.Models, models} {
		for k, v := range m {
			out.Models[k] = v
		}
	}
	return out
}

// local are the providers that run on the user's own machine.
var local = map[string]bool{"ollama": true, "llama.cpp": true, "lmstudio": true, "vllm": true}

var dated = regexp.MustCompile(`[-@](20\d\d-?\d\d-?\d\d|\d{4}|latest|preview(-\d\d-(\d\d|\d{4}))?|v\d+:\d+|v\d+|\d{3})$`)

// Lookup finds a model by its name as an endpoint gives it: with a vendor in
// front ("openai/gpt-4.1"), with a date behind, or in Bedrock's spelling. It
// tries "provider/model" first. Models of local servers cost nothing.
func (t *ModelTable) Lookup(provider, model string) (Model, bool) {
	name := strings.ToLower(strings.TrimPrefix(model, "models/"))
	for _, n := range []string{strings.ToLower(provider) + "/" + name, name} {
		if m, ok := t.Models[n]; ok {
			return m, true
		}
	}
	if local[provider] {
		return Model{}, true
	}
	base := name[strings.LastIndex(name, "/")+1:]
	for _, vendor := range []string{"us.", "eu.", "apac.", "global.", "anthropic."} {
		base = strings.TrimPrefix(base, vendor)
	}
	base, _, _ = strings.Cut(base, ":") // OpenRouter's ":free" has its own entry or none
	if strings.Contains(name, ":free") {
		return Model{}, true
	}
	for range 4 {
		if m, ok := t.Models[base]; ok {
			return m, true
		}
		cut := dated.ReplaceAllString(base, "")
		if cut == base {
			break
		}
		base = cut
	}
	return Model{}, false
}
