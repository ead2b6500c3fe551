package registry

import (
	"bytes"
	"encoding/json"
)

// Result is what an action did. The zero value is "done, nothing to say".
// The JSON names are the ones browser-agent histories use.
type Result struct {
	// Text is what the model should read next.
	Text string `json:"extracted_content,omitempty"`
	// Memory is what stays in the model's history; empty means Text stays.
	Memory string `json:"long_term_memory,omitempty"`
	// Once shows Text in the next prompt only; Memory stays.
	Once bool `json:"include_extracted_content_only_once,omitempty"`
	// Error is a failure the model should read. A failure is always here and
	// never hidden in Text.
	Error string `json:"error,omitempty"`
	// Attachments are paths of files the action produced.
	Attachments []string `json:"attachments,omitempty"`
	// Images are shown to the model once, in the next prompt.
	Images []Image `json:"images,omitempty"`
	// Metadata is for programs, not for the model.
	Metadata map[string]any `json:"metadata,omitempty"`
	// Done ends the run.
	Done bool `json:"is_done,omitempty"`
	// Success says, together with Done, whether the task was achieved. In JSON
	// it is there whenever Done is, and else when it is true.
	Success bool `json:"success,omitempty"`
	// Effects lists, in short sentences, what changed besides the obvious:
	// a navigation, a new tab, a dialog, a download.
	Effects []string `json:"effects,omitempty"`
	// Err is the Go error behind Error, for programs that branch on it with
	// errors.Is and errors.As. It is set by [Call.Run] and never leaves the
	// process.
	Err error `json:"-"`
}

// MarshalJSON says success also when it is false of a result that is done: a
// reader must not have to know that a missing field means failure.
func (r Result) MarshalJSON() ([]byte, error) {
	type plain Result
	var v any = plain(r)
	if r.Done {
		v = struct {
			plain
			Success bool `json:"success"`
		}{plain(r), r.Success}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // whoever wants it escaped does so around this
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Image is a picture an action hands to the model.
type Image struct {
	Name string `json:"name,omitempty"`
	MIME string `json:"mime,omitempty"`
	Data []byte `json:"data"`
}
