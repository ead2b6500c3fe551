package agent

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/memory"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// newNonce returns the signs that mark the blocks of one call.
func newNonce() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// taskEntry is the task as the prompt keeps it.
func (a *Agent) taskEntry(text string, first bool) memory.Entry {
	var b strings.Builder
	if first {
		b.WriteString("Task from the user:\n")
	} else {
		b.WriteString("The task before is over. New task from the user:\n")
	}
	b.WriteString(text)
	if first && a.cfg.Prompt.Context != "" {
		b.WriteString("\n\nBackground from the user:\n" + a.cfg.Prompt.Context)
	}
	return memory.Entry{Kind: memory.KindTask, Text: a.redact(b.String())}
}

// view is what one call of the model is about.
type view struct {
	obs   *observation
	model *registry.Model
	step  int // number of the step
	used  int // steps of this run, this one included
	final bool
	notes []string
	nonce string
}

// blocks assembles the prompt: what never changes first, then what only grows,
// then the moment. Providers cache by prefix, so the order is money.
func (a *Agent) blocks(v view) []memory.Block {
	out := []memory.Block{{Kind: memory.KindSystem, Text: a.system}}
	for i, b := range a.mind.Log.Blocks() {
		out = append(out, b)
		if i == 0 && len(a.samples.Parts) > 0 {
			out = append(out, a.sampleBlocks()...)
		}
	}
	out = append(out, memory.Block{Kind: memory.KindNote, Text: a.moment(v)})
	for _, r := range a.mind.Log.Reads() {
		b := memory.Block{Kind: memory.KindRead, Images: a.detailed(r.Images)}
		if r.Text != "" {
			b.Text = fence(fenceRead, v.nonce, a.redact(r.Text))
			text := r.Text
			b.Shrink = func(n int) string { return fence(fenceRead, v.nonce, a.redact(memory.Shorten(text, n))) }
		}
		out = append(out, b)
	}
	if v.obs != nil {
		out = append(out, a.pageBlock(v))
	}
	return out
}

func (a *Agent) sampleBlocks() []memory.Block {
	var out []memory.Block
	for _, p := range a.samples.Parts {
		b := memory.Block{Kind: memory.KindHint, Text: p.Text}
		if p.Image != nil {
			b.Images = []llm.Image{*p.Image}
		}
		out = append(out, b)
	}
	return out
}

func (a *Agent) detailed(imgs []llm.Image) []llm.Image {
	if a.cfg.Vision.Detail == "" {
		return imgs
	}
	out := make([]llm.Image, len(imgs))
	for i, img := range imgs {
		img.Detail = a.cfg.Vision.Detail
		out[i] = img
	}
	return out
}

// pageBlock is the page as it is now, with its picture.
func (a *Agent) pageBlock(v view) memory.Block {
	b := memory.Block{Kind: memory.KindPage, Text: a.redact(v.obs.text(v.nonce, 0))}
	b.Shrink = func(n int) string { return a.redact(v.obs.text(v.nonce, n)) }
	if len(v.obs.picture) > 0 {
		b.Images = a.detailed([]llm.Image{{MIME: v.obs.pictureMIME, Data: v.obs.picture}})
	}
	return b
}

// moment is everything about this step that is not the page: short, and last
// but for the page.
func (a *Agent) moment(v view) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Now: step %d", v.step)
	if v.used == v.step {
		fmt.Fprintf(&b, " of at most %d", a.cfg.Limits.Steps)
	} else {
		fmt.Fprintf(&b, " (%d of at most %d for this task)", v.used, a.cfg.Limits.Steps)
	}
	if !a.cfg.Prompt.NoDate {
		fmt.Fprintf(&b, ". Today is %s", time.Now().Format("Monday, 2 January 2006"))
	}
	b.WriteString(".\n")
	if p := a.mind.Plan.text(); p != "" && (!a.cfg.Plan.Off || a.cfg.Planner.LLM != nil) {
		fmt.Fprintf(&b, "\nYour plan:\n%s\n", p)
	}
	if s := a.filesText(v.nonce); s != "" {
		fmt.Fprintf(&b, "\n%s\n", s)
	}
	if v.obs != nil {
		if names := a.secrets.Names(v.obs.page.URL); len(names) > 0 {
			b.WriteString("\nSecrets you may use on this page:")
			for _, n := range names {
				b.WriteString(" " + registry.Placeholder(n))
			}
			b.WriteByte('\n')
		}
	}
	if s := v.model.PagePrompt(); s != "" {
		fmt.Fprintf(&b, "\nActions that this page has besides the usual ones:\n%s", s)
	}
	for _, n := range v.notes {
		fmt.Fprintf(&b, "\nNote: %s\n", n)
	}
	return a.redact(strings.TrimRight(b.String(), "\n"))
}

// messages turns blocks into messages: rules, task and each past step one of
// their own, so that they stay byte for byte what they were; the moment, what is
// read once and the page together in the last one.
func messages(blocks []memory.Block) []llm.Message {
	var out []llm.Message
	last := -1
	for _, b := range blocks {
		m := b.Message()
		switch b.Kind {
		case memory.KindNote, memory.KindRead, memory.KindPage:
			if last < 0 {
				last = len(out)
				out = append(out, m)
				continue
			}
			out[last].Parts = append(out[last].Parts, m.Parts...)
		default:
			out = append(out, m)
		}
	}
	if len(out) > 0 {
		out[0].CacheEnd = true
	}
	if last > 0 {
		out[last-1].CacheEnd = true
	}
	return out
}
