// Package prompt prepares the messages of a request for a provider: it adds
// the words that describe the wanted answer, and makes the changes that an
// endpoint's limits ask for. It never changes the caller's messages.
package prompt

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/ladder"
)

// noImage is what the model reads where an image was.
const noImage = "[An image was left out here: this model takes no images.]"

// Prepare returns the messages to send: those of req with words appended to
// the system message, and without what the plan says the endpoint does not
// take. Empty parts and messages are dropped: some endpoints refuse them.
func Prepare(req *llm.Request, p *ladder.Plan, words string) ([]llm.Message, error) {
	images, system, runs := forms(req.Messages)
	noImages := images && !p.Send(ladder.Images)
	noSystem := (system || words != "") && !p.Send(ladder.SystemRole)
	noRuns := runs && !p.Send(ladder.RoleRuns)
	out := make([]llm.Message, 0, len(req.Messages)+1)
	for _, m := range req.Messages {
		switch m.Role {
		case llm.RoleSystem, llm.RoleUser, llm.RoleAssistant:
		default:
			return nil, errors.New("a message has the role " + `"` + string(m.Role) + `"` + "; use system, user or assistant")
		}
		if m = clean(m, noImages); len(m.Parts) > 0 {
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the request has no messages")
	}
	if words != "" {
		out = addWords(out, words)
	}
	if noSystem {
		out = systemToUser(out)
	}
	if noRuns {
		out = MergeRuns(out)
	}
	return out, nil
}

// forms reports which of the forms that an endpoint may not take occur.
func forms(msgs []llm.Message) (images, system, runs bool) {
	for i, m := range msgs {
		system = system || m.Role == llm.RoleSystem
		runs = runs || i > 0 && msgs[i-1].Role == m.Role
		for _, p := range m.Parts {
			images = images || p.Image != nil
		}
	}
	return images, system, runs
}

// MIME returns the type of an image, told by its data when it is not given.
func MIME(img *llm.Image) (string, error) {
	if len(img.Data) == 0 {
		return "", fmt.Errorf("an image of type %q has no data", img.MIME)
	}
	mime := img.MIME
	if mime == "" {
		mime = http.DetectContentType(img.Data)
	}
	if !strings.HasPrefix(mime, "image/") {
		return "", fmt.Errorf("an image has the type %q, which is none of an image", mime)
	}
	return mime, nil
}

func clean(m llm.Message, noImages bool) llm.Message {
	keep := func(p llm.Part) bool { return p.Image != nil && !noImages || p.Image == nil && p.Text != "" }
	if !slices.ContainsFunc(m.Parts, func(p llm.Part) bool { return !keep(p) }) {
		return m
	}
	parts := make([]llm.Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		switch {
		case keep(p):
			parts = append(parts, p)
		case p.Image != nil:
			parts = append(parts, llm.Part{Text: noImage})
		}
	}
	m.Parts = parts
	return m
}

// addWords appends words to the last system message of the opening, so that
// the part before them stays the same for the provider's prompt cache.
func addWords(msgs []llm.Message, words string) []llm.Message {
	last := -1
	for i, m := range msgs {
		if m.Role != llm.RoleSystem {
			break
		}
		last = i
	}
	if last < 0 {
		return slices.Insert(msgs, 0, llm.System(words))
	}
	m := msgs[last]
	m.Parts = append(slices.Clone(m.Parts), llm.Part{Text: "\n" + words})
	msgs[last] = m
	return msgs
}

func systemToUser(msgs []llm.Message) []llm.Message {
	var parts []llm.Part
	var rest []llm.Message
	for _, m := range msgs {
		if m.Role == llm.RoleSystem {
			parts = append(parts, m.Parts...)
			continue
		}
		rest = append(rest, m)
	}
	if len(parts) == 0 {
		return msgs
	}
	if len(rest) > 0 && rest[0].Role == llm.RoleUser {
		rest[0].Parts = append(parts, rest[0].Parts...)
		return rest
	}
	return slices.Insert(rest, 0, llm.Message{Role: llm.RoleUser, Parts: parts})
}

// MergeRuns joins messages of one role in a row.
func MergeRuns(msgs []llm.Message) []llm.Message {
	out := msgs[:0:0]
	for _, m := range msgs {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Parts = append(slices.Clone(out[n-1].Parts), m.Parts...)
			out[n-1].CacheEnd = out[n-1].CacheEnd || m.CacheEnd
			continue
		}
		out = append(out, m)
	}
	return out
}

// Describe puts the wanted form into words, with the schema where the format
// brings no words of its own.
func Describe(f *llm.Format, schema []byte) string {
	var b strings.Builder
	b.WriteString("Answer with one JSON object and nothing else: no prose around it, no code fence.")
	if f.Text != "" {
		b.WriteString("\n\n")
		b.WriteString(f.Text)
	} else {
		b.WriteString(" It must be valid under this JSON Schema:\n")
		b.Write(schema)
	}
	return b.String()
}

// Size is about the number of bytes that the messages take, images left out.
func Size(msgs []llm.Message) int {
	n := 0
	for _, m := range msgs {
		n += 64
		for _, p := range m.Parts {
			if p.Image != nil {
				n += 128 // its data is not copied
			}
			n += len(p.Text) + len(p.Text)/8 + 32
		}
	}
	return n
}
