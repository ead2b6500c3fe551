package agent

import (
	"bytes"
	"encoding/json"

	"github.com/seed-4bdb41d0/webhand/internal/mask"
)

// redact replaces secrets in every string that v holds, in place: fields,
// slices, maps and JSON texts, whatever is exported. v must be a pointer. It is
// the one place that everything passes before it is sent, kept or written.
//
// Bytes of pictures are left alone: a picture that shows a secret cannot be
// mended here.
func redact(replace func(string) string, v any) { mask.Strings(replace, v) }

func encodePlain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
