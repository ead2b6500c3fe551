package longterm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
)

// The bounds of the two-phase pipeline.
const (
	maxFacts      = 200
	similarPerOne = 5 // memories that a new fact is compared with
)

// fact is what the first phase extracts.
type fact struct {
	Text   string
	Forget bool
}

// addTwoPhase extracts facts, compares them with what is known, and applies
// the decision in one transaction.
func (m *Memory) addTwoPhase(ctx context.Context, a *adding) (AddResult, error) {
	talk := transcript(a.messages, spoken)
	if talk == "" {
		return AddResult{Warnings: []string{"no text of a user or an assistant"}}, nil
	}
	facts, err := m.extract(ctx, a, talk)
	if err != nil {
		return AddResult{}, err
	}
	unlock, err := m.lockScope(ctx, a.Scope)
	if err != nil {
		return AddResult{}, err
	}
	defer unlock()

	b := Batch{Scope: a.Scope, At: m.now()}
	m.turns(a, &b)
	var warnings []string
	if len(facts) > 0 {
		texts := make([]string, len(facts))
		for i, f := range facts {
			texts[i] = f.Text
		}
		vectors, fp, err := m.embed(ctx, texts, embed.Document)
		if err != nil {
			return AddResult{}, err
		}
		b.Fingerprint = fp
		known, err := m.similar(ctx, a, texts, vectors)
		if err != nil {
			return AddResult{}, err
		}
		plan, err := m.decide(ctx, facts, known)
		if err != nil {
			return AddResult{}, err
		}
		plan.dropKnown(known)
		warnings = plan.warnings
		if err := m.planWrites(ctx, a, plan, texts, vectors, &b); err != nil {
			return AddResult{}, err
		}
	}
	res, err := m.commit(ctx, a, b)
	res.Warnings = append(warnings, res.Warnings...)
	return res, err
}

// extract is the first phase.
func (m *Memory) extract(ctx context.Context, a *adding, talk string) ([]fact, error) {
	system := m.cfg.ExtractionPrompt
	if system == "" {
		system = strings.ReplaceAll(extractPrompt, "{{today}}", m.today())
	}
	if extra := m.instructionsFor(a); extra != "" {
		system += "\nFurther instructions:\n" + extra + "\n"
	}
	var facts []fact
	err := m.ask(ctx, factsFormat, system, "Input:\n"+talk, func(answer string) (err error) {
		facts, err = parseFacts(answer)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("extracting facts: %w", err)
	}
	var out []fact
	for _, f := range facts {
		f.Text = strings.TrimSpace(m.redact(f.Text))
		if f.Text != "" && !slices.Contains(out, f) && len(out) < maxFacts {
			out = append(out, f)
		}
	}
	return out, nil
}

func (m *Memory) instructionsFor(a *adding) string {
	if a.Prompt != "" {
		return a.Prompt
	}
	return m.Instructions()
}

// parseFacts reads {"facts":[...]} with texts or objects as entries.
func parseFacts(answer string) ([]fact, error) {
	var w struct {
		Facts *[]json.RawMessage `json:"facts"`
	}
	if err := readJSON(answer, &w); err != nil {
		var bare []json.RawMessage
		if readJSON(answer, &bare) != nil {
			return nil, err
		}
		w.Facts = &bare
	}
	if w.Facts == nil {
		return nil, fmt.Errorf(`the key "facts" is missing`)
	}
	facts := make([]fact, 0, len(*w.Facts))
	for _, raw := range *w.Facts {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			facts = append(facts, fact{Text: s})
			continue
		}
		var o struct {
			Text   string `json:"text"`
			Fact   string `json:"fact"`
			Forget bool   `json:"forget"`
		}
		if err := json.Unmarshal(raw, &o); err != nil || o.Text == "" && o.Fact == "" {
			return nil, fmt.Errorf(`an entry of "facts" is neither a text nor {"text":...}`)
		}
		if o.Text == "" {
			o.Text = o.Fact
		}
		facts = append(facts, fact{Text: o.Text, Forget: o.Forget})
	}
	return facts, nil
}

// similar returns the memories closest to each of the texts, without
// repeats, in an order that does not change.
func (m *Memory) similar(ctx context.Context, a *adding, texts []string, vectors [][]float32) ([]Record, error) {
	seen := make(map[string]bool)
	var out []Record
	for i, text := range texts {
		hits, err := m.candidates(ctx, StoreQuery{
			Scope: a.Scope, Vector: vectors[i], Limit: similarPerOne, Today: m.today(), Filter: a.comparable(),
		}, text, 0)
		if err != nil {
			return nil, err
		}
		for _, h := range hits[:min(similarPerOne, len(hits))] {
			if !seen[h.ID] {
				seen[h.ID] = true
				out = append(out, h.Record)
			}
		}
	}
	return out, nil
}

// decide is the second phase. With nothing known there is nothing to decide:
// all facts are new and no model is asked.
func (m *Memory) decide(ctx context.Context, facts []fact, known []Record) (*plan, error) {
	if len(known) == 0 {
		p := &plan{}
		for _, f := range facts {
			if f.Forget {
				p.warn("asked to forget something that is not known")
				continue
			}
			p.steps = append(p.steps, planStep{event: EventAdd, text: f.Text})
		}
		return p, nil
	}
	system := m.cfg.DecisionPrompt
	if system == "" {
		system = decidePrompt
	}
	var p *plan
	err := m.ask(ctx, decisionFormat, system, decisionInput(facts, known), func(answer string) (err error) {
		p, err = parseDecision(answer, facts, known)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("comparing facts: %w", err)
	}
	for i := range p.steps {
		p.steps[i].text = strings.TrimSpace(m.redact(p.steps[i].text))
	}
	return p, nil
}

// decisionInput shows the memories under small numbers, so that a model can
// neither mangle nor invent an id.
func decisionInput(facts []fact, known []Record) string {
	type numbered struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}
	list := make([]numbered, len(known))
	for i, r := range known {
		list[i] = numbered{strconv.Itoa(i), r.Text}
	}
	texts := make([]string, len(facts))
	for i, f := range facts {
		texts[i] = f.Text
		if f.Forget {
			texts[i] = "FORGET: " + f.Text
		}
	}
	a, _ := json.Marshal(list) // strings always marshal
	b, _ := json.Marshal(texts)
	return "Memories:\n" + string(a) + "\n\nNew facts:\n" + string(b)
}
