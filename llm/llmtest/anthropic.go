package llmtest

import "net/http"

type anthropicAPI struct{}

func (anthropicAPI) key(r *http.Request) string { return r.Header.Get("X-Api-Key") }
func (anthropicAPI) parse(*http.Request, []byte) (*Request, error) {
	return nil, refuse("", "not spoken")
}
func (anthropicAPI) reply(*Request, Answer) []byte           { return nil }
func (anthropicAPI) events(*Request, Answer) []string        { return nil }
func (anthropicAPI) failure(_ int, code, message string) any { return nil }

type geminiAPI struct{ anthropicAPI }
