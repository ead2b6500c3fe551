package longterm

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
	"github.com/seed-4bdb41d0/webhand/memory/internal/words"
)

// plan is what the second phase decided.
type plan struct {
	steps    []planStep
	warnings []string
}

type planStep struct {
	event  Event
	text   string
	target *Record // of an UPDATE or DELETE
}

func (p *plan) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// decision is one entry of the model's answer.
type decision struct {
	ID    looseText `json:"id"`
	Text  string    `json:"text"`
	Event string    `json:"event"`
}

// parseDecision reads the answer of the second phase and makes it safe: an
// id that was not shown never deletes anything, a memory is touched once, and
// a fact whose old version goes does not go with it.
func parseDecision(answer string, facts []fact, known []Record) (*plan, error) {
	var w struct {
		Memory *[]json.RawMessage `json:"memory"`
	}
	if err := readJSON(answer, &w); err != nil {
		var bare []json.RawMessage
		if readJSON(answer, &bare) != nil {
			return nil, err
		}
		w.Memory = &bare
	}
	if w.Memory == nil {
		return nil, fmt.Errorf(`the key "memory" is missing`)
	}
	if len(*w.Memory) == 0 {
		return nil, fmt.Errorf("it decides nothing, and every new fact needs a decision")
	}
	p := &plan{}
	touched := make(map[string]bool)
	var said []string // texts that account for a fact
	deleted := 0
	for i, raw := range *w.Memory {
		var d decision
		if err := json.Unmarshal(raw, &d); err != nil {
			p.warn("decision %d is not an object and was left out", i)
			continue
		}
		event := Event(strings.ToUpper(strings.TrimSpace(d.Event)))
		text := strings.TrimSpace(d.Text)
		target := lookup(known, string(d.ID))
		switch event {
		case EventAdd, EventUpdate:
			if text == "" {
				p.warn("decision %d (%s) has no text and was left out", i, event)
				continue
			}
			said = append(said, text)
			if event == EventUpdate && target == nil {
				p.warn("decision %d updates an unknown id; its text is added", i)
				event = EventAdd
			}
			if event == EventAdd {
				p.steps = append(p.steps, planStep{event: EventAdd, text: text})
				continue
			}
			if touched[target.ID] {
				p.warn("decision %d touches a memory a second time; its text is added", i)
				p.steps = append(p.steps, planStep{event: EventAdd, text: text})
				continue
			}
			touched[target.ID] = true
			if text != target.Text {
				p.steps = append(p.steps, planStep{event: EventUpdate, text: text, target: target})
			}
		case EventDelete:
			if target == nil || touched[target.ID] {
				p.warn("decision %d deletes an unknown id, or one decided on already, and was left out", i)
				continue
			}
			touched[target.ID] = true
			deleted++
			p.steps = append(p.steps, planStep{event: EventDelete, target: target})
		case EventNone:
			said = append(said, text)
			if target != nil {
				said = append(said, target.Text)
			}
		default:
			p.warn("decision %d has the event %.20q and was left out", i, d.Event)
		}
	}
	if deleted > 0 {
		p.keepReplacements(facts, said)
	}
	p.dropSelfDeletes(facts)
	return p, nil
}

// keepReplacements adds the facts that a decision with deletions left
// unmentioned: a contradiction replaces, it does not just remove.
func (p *plan) keepReplacements(facts []fact, said []string) {
	for _, f := range facts {
		if f.Forget {
			continue
		}
		accounted := false
		for _, s := range said {
			accounted = accounted || overlap(f.Text, s) >= 0.5
		}
		if !accounted {
			p.warn("a fact without a decision beside a deletion was added")
			p.steps = append(p.steps, planStep{event: EventAdd, text: f.Text})
		}
	}
}

// dropSelfDeletes keeps a memory that a fact merely repeats.
func (p *plan) dropSelfDeletes(facts []fact) {
	kept := p.steps[:0]
	for _, s := range p.steps {
		repeated := false
		for _, f := range facts {
			repeated = repeated || s.event == EventDelete && !f.Forget && f.Text == s.target.Text
		}
		if repeated {
			p.warn("a memory that was only repeated was not deleted")
			continue
		}
		kept = append(kept, s)
	}
	p.steps = kept
}

// dropKnown leaves out what is known word for word, unless the memory that
// says it goes.
func (p *plan) dropKnown(known []Record) {
	stays := make(map[string]bool)
	for _, k := range known {
		stays[k.Text] = true
	}
	for _, s := range p.steps {
		if s.target != nil {
			delete(stays, s.target.Text)
		}
	}
	kept := p.steps[:0]
	for _, s := range p.steps {
		if s.event != EventAdd || !stays[s.text] {
			kept = append(kept, s)
		}
	}
	p.steps = kept
}

// overlap is the share of the words of a that b has too.
func overlap(a, b string) float64 {
	if strings.EqualFold(a, b) {
		return 1
	}
	have := make(map[string]bool)
	for _, t := range words.Tokens(b) {
		have[t] = true
	}
	ta := words.Unique(a, 1<<10)
	n := 0
	for _, t := range ta {
		if have[t] {
			n++
		}
	}
	if len(ta) == 0 {
		return 0
	}
	return float64(n) / float64(len(ta))
}

// lookup finds the record that was shown under a number.
func lookup(known []Record, id string) *Record {
	n, err := strconv.Atoi(strings.TrimSpace(id))
	if err != nil || n < 0 || n >= len(known) {
		return nil
	}
	return &known[n]
}

// planWrites turns decisions into writes. Texts that the first phase did not
// embed are embedded now, in one call.
func (m *Memory) planWrites(ctx context.Context, a *adding, p *plan, texts []string, vectors [][]float32, b *Batch) error {
	byText := make(map[string][]float32, len(texts))
	for i, t := range texts {
		byText[t] = vectors[i]
	}
	var missing []string
	for _, s := range p.steps {
		if _, ok := byText[s.text]; !ok && s.event != EventDelete {
			byText[s.text] = nil
			missing = append(missing, s.text)
		}
	}
	if len(missing) > 0 {
		vs, fp, err := m.embed(ctx, missing, embed.Document)
		if err != nil {
			return err
		}
		if fp != b.Fingerprint {
			return fmt.Errorf("%w: the length of its vectors changed between two calls", ErrEmbedderMismatch)
		}
		for i, t := range missing {
			byText[t] = vs[i]
		}
	}
	for _, s := range p.steps {
		w := Write{HistoryID: newID()}
		switch s.event {
		case EventAdd:
			w.Add, w.Unique = m.record(a, s.text, byText[s.text], *b), a.unique()
		case EventUpdate:
			text := s.text
			w.Update = &Update{ID: s.target.ID, Text: &text, Hash: hashOf(text), Vector: byText[text],
				Tokens: tokens(text), Merge: a.Metadata}
			if a.ExpiresOn != "" {
				w.Update.ExpiresOn = &a.ExpiresOn
			}
			w.IfHash = s.target.Hash
		case EventDelete:
			w.Delete, w.IfHash = s.target.ID, s.target.Hash
		}
		b.Writes = append(b.Writes, w)
	}
	return nil
}

// commit applies a batch and reports what it did. An update whose memory
// changed or went meanwhile, by another process, is added instead.
func (m *Memory) commit(ctx context.Context, a *adding, b Batch) (AddResult, error) {
	var res AddResult
	if len(b.Writes) == 0 && len(b.Turns) == 0 {
		return res, nil
	}
	out, err := m.apply(ctx, b)
	if err != nil {
		return res, storeErr(err)
	}
	again := Batch{Scope: b.Scope, At: b.At, Fingerprint: b.Fingerprint}
	for i, o := range out {
		w := b.Writes[i]
		switch {
		case o.Applied && w.Add != nil:
			res.Results = append(res.Results, Change{ID: o.Record.ID, Memory: o.Record.Text, Event: EventAdd})
		case o.Applied && w.Update != nil:
			res.Results = append(res.Results, Change{ID: o.Record.ID, Memory: o.Record.Text, Event: EventUpdate, Previous: o.Previous})
		case o.Applied:
			res.Results = append(res.Results, Change{ID: o.Record.ID, Memory: o.Record.Text, Event: EventDelete})
		case w.Update != nil:
			r := m.record(a, *w.Update.Text, w.Update.Vector, b)
			again.Writes = append(again.Writes, Write{Add: r, Unique: a.unique(), HistoryID: newID()})
			res.Warnings = append(res.Warnings, "a memory changed while it was compared; the new text was added beside it")
		}
	}
	if len(again.Writes) == 0 {
		return res, nil
	}
	more, err := m.commit(ctx, a, again)
	res.Results = append(res.Results, more.Results...)
	return res, err
}
