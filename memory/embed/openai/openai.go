// Package openai makes vectors with any endpoint that speaks the OpenAI
// embeddings API: OpenAI itself, Ollama, vLLM, LM Studio, TEI and others.
//
// Using it sends the texts of memories and of searches to that endpoint.
package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	api "github.com/sashabaranov/go-openai"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
)

// DefaultModel is used when Config names none.
const DefaultModel = "text-embedding-3-small"

// maxBatch is the number of inputs that the API takes at most.
const maxBatch = 2048

// Config says which endpoint and model to use. Nothing is read from the
// environment.
type Config struct {
	// APIKey authorises. Local servers need none.
	APIKey string
	// BaseURL is the address of the API with its version, such as
	// "http://localhost:11434/v1". Empty is OpenAI.
	BaseURL string
	// Model is the embedding model; empty is DefaultModel.
	Model string
	// Dims asks for vectors of this length from models that can shorten them,
	// and refuses any other. Zero takes the model's own length.
	Dims int
	// Batch is the number of texts in one request; 0 means 256, at most 2048.
	Batch int
	// Prefix, when set, is put before every text by purpose, for models that
	// want to be told: {embed.Question: "query: "}.
	Prefix map[embed.Purpose]string
	// Threshold is the similarity below which two texts have nothing to do
	// with each other; 0 means 0.1.
	Threshold float64
	// HTTPClient sends the requests; nil is a client with a timeout of one
	// minute.
	HTTPClient *http.Client
	// Retries is how often a request is repeated after a rate limit or a
	// failure of the server. Zero means two, negative none.
	Retries int
}

// Embedder is an embed.Embedder over an HTTP API.
type Embedder struct {
	cfg    Config
	client *api.Client
	pause  time.Duration // before the first repetition
}

var _ embed.Embedder = (*Embedder)(nil)

// New returns an embedder. It sends nothing yet.
func New(cfg Config) (*Embedder, error) {
	if cfg.Model == "" {
		cfg.Model = DefaultModel
	}
	if cfg.BaseURL != "" {
		u, err := url.Parse(cfg.BaseURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("openai embedder: BaseURL %q is not an http address", cfg.BaseURL)
		}
	}
	if cfg.Batch == 0 {
		cfg.Batch = 256
	}
	if cfg.Batch < 0 || cfg.Batch > maxBatch {
		return nil, fmt.Errorf("openai embedder: Batch %d, want 1 to %d", cfg.Batch, maxBatch)
	}
	if cfg.HTTPClient == nil {
		cfg.HTTPClient = &http.Client{Timeout: time.Minute}
	}
	if cfg.Retries == 0 {
		cfg.Retries = 2
	}
	c := api.DefaultConfig(cfg.APIKey)
	if cfg.BaseURL != "" {
		c.BaseURL = cfg.BaseURL
	}
	c.HTTPClient = cfg.HTTPClient
	return &Embedder{cfg: cfg, client: api.NewClientWithConfig(c), pause: 500 * time.Millisecond}, nil
}

// Info names the model. Dims is 0 until Config says otherwise: the first
// answer shows it.
func (e *Embedder) Info() embed.Info {
	return embed.Info{Provider: "openai", Model: e.cfg.Model, Dims: e.cfg.Dims, Threshold: e.cfg.Threshold}
}

// Embed asks the endpoint, in batches.
func (e *Embedder) Embed(ctx context.Context, texts []string, p embed.Purpose) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, e.cfg.Batch) {
		in := batch
		if pre := e.cfg.Prefix[p]; pre != "" {
			in = make([]string, len(batch))
			for i, t := range batch {
				in[i] = pre + t
			}
		}
		vs, err := e.retry(ctx, in)
		if err != nil {
			return nil, err
		}
		out = append(out, vs...)
	}
	return out, nil
}

func (e *Embedder) retry(ctx context.Context, texts []string) ([][]float32, error) {
	pause := e.pause
	for n := 0; ; n++ {
		vs, err := e.one(ctx, texts)
		if err == nil || n >= e.cfg.Retries || !temporary(err) || ctx.Err() != nil {
			return vs, err
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
			pause *= 2
		case <-ctx.Done():
			t.Stop()
			return nil, errors.Join(err, ctx.Err())
		}
	}
}

func (e *Embedder) one(ctx context.Context, texts []string) ([][]float32, error) {
	res, err := e.client.CreateEmbeddings(ctx, api.EmbeddingRequest{
		Input: texts, Model: api.EmbeddingModel(e.cfg.Model), EncodingFormat: api.EmbeddingEncodingFormatFloat, Dimensions: e.cfg.Dims,
	})
	if err != nil {
		return nil, fmt.Errorf("embedding %d texts with %s: %w", len(texts), e.cfg.Model, err)
	}
	// An error with status 200 decodes to no data.
	if len(res.Data) != len(texts) {
		return nil, fmt.Errorf("embedding with %s: %w: %d for %d texts; is BaseURL an embeddings API?",
			e.cfg.Model, embed.ErrVectors, len(res.Data), len(texts))
	}
	out := make([][]float32, len(texts))
	for _, d := range res.Data {
		if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil {
			return nil, fmt.Errorf("embedding with %s: %w: the index %d is wrong or comes twice", e.cfg.Model, embed.ErrVectors, d.Index)
		}
		if e.cfg.Dims != 0 && len(d.Embedding) != e.cfg.Dims {
			return nil, fmt.Errorf("embedding with %s: %w: length %d, Config.Dims says %d", e.cfg.Model, embed.ErrVectors, len(d.Embedding), e.cfg.Dims)
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

// temporary reports whether the same request may succeed later. go-openai
// gives the status on RequestError and leaves it 0 on some APIErrors.
func temporary(err error) bool {
	status := 0
	var re *api.RequestError
	var ae *api.APIError
	switch {
	case errors.As(err, &re):
		status = re.HTTPStatusCode
	case errors.As(err, &ae):
		status = ae.HTTPStatusCode
		if ae.Code == "insufficient_quota" {
			return false
		}
	}
	return status == http.StatusTooManyRequests || status >= 500
}
