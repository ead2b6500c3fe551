package longterm

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
)

// The bounds of the additive pipeline.
const (
	similarToAll = 10  // memories shown for comparison
	turnRunes    = 300 // where a recent message is cut
)

// addition is one entry of the model's answer.
type addition struct {
	Text         string `json:"text"`
	AttributedTo string `json:"attributed_to"`
}

// addAdditive asks once and adds what the answer holds and the scope does not.
func (m *Memory) addAdditive(ctx context.Context, a *adding) (AddResult, error) {
	talk := transcript(a.messages, spoken)
	if talk == "" {
		return AddResult{Warnings: []string{"no text of a user or an assistant"}}, nil
	}
	unlock, err := m.lockScope(ctx, a.Scope)
	if err != nil {
		return AddResult{}, err
	}
	defer unlock()

	var recent []Turn
	if !m.cfg.NoRecent && a.Among.IsZero() {
		if recent, err = m.store.Recent(ctx, a.Scope, keepTurns); err != nil {
			return AddResult{}, storeErr(err)
		}
	}
	query, _, err := m.embed(ctx, []string{talk}, embed.Question)
	if err != nil {
		return AddResult{}, err
	}
	known, err := m.candidates(ctx, StoreQuery{
		Scope: a.Scope, Vector: query[0], Limit: similarToAll, Today: m.today(), Filter: a.comparable(),
	}, talk, 0)
	if err != nil {
		return AddResult{}, err
	}
	known = known[:min(similarToAll, len(known))]

	system := additivePrompt
	if a.AgentID != "" && a.UserID == "" {
		system += additiveAgentPrompt
	}
	var warnings []string
	var adds []addition
	err = m.ask(ctx, additiveFormat, system, m.additiveInput(a, talk, recent, known), func(answer string) (err error) {
		adds, warnings, err = parseAdditions(answer)
		return err
	})
	if err != nil {
		return AddResult{}, fmt.Errorf("extracting memories: %w", err)
	}
	b := Batch{Scope: a.Scope, At: m.now()}
	m.turns(a, &b)
	if err := m.additiveWrites(ctx, a, adds, known, &b); err != nil {
		return AddResult{}, err
	}
	res, err := m.commit(ctx, a, b)
	res.Warnings = append(warnings, res.Warnings...)
	return res, err
}

func (m *Memory) additiveWrites(ctx context.Context, a *adding, adds []addition, known []scored, b *Batch) error {
	have := make(map[string]bool)
	for _, k := range known {
		have[k.Hash] = true
	}
	var texts []string
	var from []addition
	for _, ad := range adds {
		ad.Text = strings.TrimSpace(m.redact(ad.Text))
		if h := hashOf(ad.Text); ad.Text != "" && !have[h] && len(texts) < maxFacts {
			have[h] = true
			texts = append(texts, ad.Text)
			from = append(from, ad)
		}
	}
	vectors, fp, err := m.embed(ctx, texts, embed.Document)
	if err != nil {
		return err
	}
	b.Fingerprint = fp
	for i, t := range texts {
		r := m.record(a, t, vectors[i], *b)
		r.AttributedTo = from[i].AttributedTo
		b.Writes = append(b.Writes, Write{Add: r, Unique: a.unique(), HistoryID: newID()})
	}
	return nil
}

func (m *Memory) additiveInput(a *adding, talk string, recent []Turn, known []scored) string {
	var b strings.Builder
	b.WriteString("# Last messages before these\n")
	for _, t := range recent {
		r := []rune(t.Content)
		if len(r) > turnRunes {
			r = append(r[:turnRunes], '…')
		}
		fmt.Fprintf(&b, "%s: %s\n", t.Role, string(r))
	}
	b.WriteString("\n# Existing memories\n")
	type numbered struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}
	list := make([]numbered, len(known))
	for i, k := range known {
		list[i] = numbered{strconv.Itoa(i), k.Text}
	}
	j, _ := json.Marshal(list) // strings always marshal
	b.Write(j)
	fmt.Fprintf(&b, "\n\n# New messages\n%s\n# Observation date\n%s\n\n# Current date\n%s\n", talk, m.today(), m.today())
	if extra := m.instructionsFor(a); extra != "" {
		fmt.Fprintf(&b, "\n# Further instructions\n%s\n", extra)
	}
	b.WriteString("\n# Output:\n")
	return b.String()
}

func parseAdditions(answer string) (adds []addition, warnings []string, err error) {
	var w struct {
		Memory *[]json.RawMessage `json:"memory"`
	}
	if err := readJSON(answer, &w); err != nil {
		var bare []json.RawMessage
		if readJSON(answer, &bare) != nil {
			return nil, nil, err
		}
		w.Memory = &bare
	}
	if w.Memory == nil {
		return nil, nil, fmt.Errorf(`the key "memory" is missing`)
	}
	for i, raw := range *w.Memory {
		var ad addition
		var s string
		if json.Unmarshal(raw, &s) == nil {
			ad.Text = s
		} else if err := json.Unmarshal(raw, &ad); err != nil || ad.Text == "" {
			warnings = append(warnings, fmt.Sprintf("entry %d has no text and was left out", i))
			continue
		}
		if ad.AttributedTo != "assistant" {
			ad.AttributedTo = "user"
		}
		adds = append(adds, ad)
	}
	return adds, warnings, nil
}
