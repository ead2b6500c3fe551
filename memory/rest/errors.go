package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
)

// bodyError is a request body that cannot be read, answered with 422 in the
// shape that the clients of Mem0's server know.
type bodyError struct {
	loc []string
	msg string
}

func (e *bodyError) Error() string { return strings.Join(e.loc, ".") + ": " + e.msg }

// badRequest is a fault of the request with a text for its sender.
type badRequest string

func (e badRequest) Error() string { return string(e) }

// fail writes an error. Faults of the caller are told in full; those of
// providers and the store by their kind only, because their texts can hold
// what the caller should not see.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	var body *bodyError
	var tooLarge *http.MaxBytesError
	var bad badRequest
	switch {
	case errors.As(err, &body):
		serve.JSON(w, http.StatusUnprocessableEntity, map[string]any{"detail": []any{
			map[string]any{"type": "value_error", "loc": body.loc, "msg": body.msg},
		}})
		return
	case errors.As(err, &tooLarge):
		serve.Error(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", tooLarge.Limit))
		return
	case errors.As(err, &bad):
		serve.Error(w, http.StatusBadRequest, bad.Error())
		return
	case errors.Is(err, serve.ErrForbidden):
		serve.Error(w, http.StatusForbidden, err.Error())
		return
	case errors.Is(err, longterm.ErrNoScope):
		serve.Error(w, http.StatusBadRequest, "At least one identifier (user_id, agent_id, run_id) is required.")
		return
	case errors.Is(err, longterm.ErrNotFound):
		serve.Error(w, http.StatusNotFound, "Memory not found")
		return
	}
	if errors.Is(err, longterm.ErrNoLLM) {
		serve.Error(w, http.StatusBadRequest, "no language model is configured on this server; set \"infer\" to false to store the messages as they are")
		return
	}
	for _, caller := range []error{longterm.ErrInvalidID, longterm.ErrInvalidMessages, longterm.ErrInvalidMemoryType, longterm.ErrInvalidDate,
		longterm.ErrInvalidMetadata, longterm.ErrInvalidFilter, longterm.ErrInvalidLimit, longterm.ErrEmptyQuery, longterm.ErrNothingToUpdate,
		longterm.ErrVision} {
		if errors.Is(err, caller) {
			serve.Error(w, http.StatusBadRequest, err.Error())
			return
		}
	}
	code, detail := upstream(err)
	id := w.Header().Get("X-Request-ID")
	h.log.Error("memory request failed", "method", r.Method, "path", r.URL.Path, "request_id", id, "code", code, "err", err)
	serve.JSON(w, http.StatusBadGateway, map[string]any{"detail": detail, "code": code, "request_id": id})
}

// upstream names the kind of a failure that is not the caller's.
func upstream(err error) (code, detail string) {
	for _, k := range []struct {
		err          error
		code, detail string
	}{
		{llm.ErrAuth, "provider_auth_failed", "The model provider refused the credentials."},
		{llm.ErrQuota, "provider_rate_limited", "The model provider's quota is used up."},
		{llm.ErrRateLimit, "provider_rate_limited", "The model provider limits the rate."},
		{llm.ErrTimeout, "provider_timeout", "The model provider took too long."},
		{context.DeadlineExceeded, "provider_timeout", "The request took too long."},
		{llm.ErrBadRequest, "provider_bad_request", "The model provider refused the request."},
		{llm.ErrContextLength, "provider_bad_request", "The conversation is too long for the model."},
		{longterm.ErrLLM, "provider_unavailable", "The language model failed or gave no usable answer."},
		{longterm.ErrEmbedderMismatch, "vector_store_unavailable", "The embedder does not match the stored vectors."},
		{longterm.ErrEmbedder, "provider_unavailable", "The embedder failed."},
		{longterm.ErrStore, "datastore_unavailable", "The memory store failed."},
		{longterm.ErrClosed, "datastore_unavailable", "The memory is closed."},
	} {
		if errors.Is(err, k.err) {
			return k.code, k.detail
		}
	}
	return "unknown", "The request failed."
}

// kindName names a Go type as JSON has it.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Map, reflect.Struct:
		return "object"
	case reflect.Slice:
		return "list"
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "integer"
	case reflect.Float64:
		return "number"
	}
	return "string"
}

// readBody decodes the body of a request.
func readBody(r *http.Request, v any) error {
	dec := json.NewDecoder(r.Body)
	if err := dec.Decode(v); err != nil {
		var tooLarge *http.MaxBytesError
		var wrongType *json.UnmarshalTypeError
		switch {
		case errors.As(err, &tooLarge):
			return err
		case errors.As(err, &wrongType) && wrongType.Field != "":
			return &bodyError{[]string{"body", wrongType.Field}, "Input should be a valid " + kindName(wrongType.Type)}
		}
		return &bodyError{[]string{"body"}, "JSON decode error: " + err.Error()}
	}
	if dec.More() {
		return &bodyError{[]string{"body"}, "JSON decode error: more than one value"}
	}
	return nil
}
