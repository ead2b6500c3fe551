package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// Limits of what stays in the prompt of one step for good.
const (
	maxArgs      = 300  // characters of an action's arguments
	maxErrorText = 400  // characters of an error
	maxKept      = 1200 // tokens of a result's text; more is shown once
	maxRead      = 15000
)

// entry renders a finished step as the model will read it from now on, and
// what it reads once. The step has been redacted.
func entry(s *Step, nonce string) (memory.Entry, []memory.Read) {
	var b strings.Builder
	fmt.Fprintf(&b, "Step %d", s.Number)
	if s.Number == 0 {
		b.WriteString(" (done before you began)")
	}
	if s.Page.URL != "" {
		fmt.Fprintf(&b, " at %s", oneLine(s.Page.URL, 150))
	}
	b.WriteByte('\n')
	if a := s.Answer; a != nil {
		labelled(&b, "Judged", a.Evaluation)
		labelled(&b, "Memory", a.Memory)
		labelled(&b, "Goal", a.NextGoal)
	}
	var reads []memory.Read
	var detail strings.Builder
	if len(s.Actions) > 0 {
		var r strings.Builder
		for i, a := range s.Actions {
			text, once := actionText(i+1, a)
			r.WriteString(text)
			if once != "" {
				reads = append(reads, memory.Read{Text: fmt.Sprintf("Result of action %d of step %d (%s):\n%s", i+1, s.Number, a.Name, once)})
				fmt.Fprintf(&detail, "Result of action %d: %s\n", i+1, once)
			}
		}
		b.WriteString(fence(fenceResult, nonce, r.String()))
		b.WriteByte('\n')
	}
	if a := s.Answer; a != nil && len(s.Actions) == 0 && len(a.Actions) > 0 {
		fmt.Fprintf(&b, "You wrote: %s\n", oneLine(string(a.Actions[0]), maxArgs))
	}
	if s.NotRun > 0 {
		fmt.Fprintf(&b, "Not run: %s, because %s.\n", count(s.NotRun, "further action"), strings.TrimRight(s.NotRunWhy, ". "))
	}
	if s.Error != "" {
		fmt.Fprintf(&b, "FAILED: %s\n", oneLine(s.Error, maxErrorText))
	}
	for _, a := range s.Actions {
		if a.Result == nil {
			continue
		}
		for _, img := range a.Result.Images {
			reads = append(reads, imageRead(img))
		}
	}
	return memory.Entry{Kind: memory.KindStep, Step: s.Number, Text: strings.TrimRight(b.String(), "\n"), Detail: detail.String()}, reads
}

func labelled(b *strings.Builder, label, text string) {
	if text != "" {
		fmt.Fprintf(b, "%s: %s\n", label, oneLine(text, 1000))
	}
}

// actionText renders an action and its result in a line or a few, and returns
// apart what is too long to stay.
func actionText(n int, a Action) (text, once string) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d. %s", n, a.Name)
	if args := argsText(a.Args); args != "" {
		b.WriteByte(' ')
		b.WriteString(args)
	}
	r := a.Result
	if r == nil {
		b.WriteString(": no result\n")
		return b.String(), ""
	}
	said, once := resultText(r)
	if r.Error != "" {
		b.WriteString(": FAILED: ")
		b.WriteString(oneLine(r.Error, maxErrorText))
		if said != "" {
			b.WriteString(" (before that: " + said + ")")
		}
	} else {
		b.WriteString(": ")
		b.WriteString(or(said, "done"))
	}
	if len(r.Effects) > 0 {
		b.WriteString(" [" + strings.Join(r.Effects, "; ") + "]")
	}
	b.WriteByte('\n')
	return b.String(), once
}

// resultText splits a result into what stays and what is shown once.
func resultText(r *registry.Result) (stays, once string) {
	switch {
	case r.Once:
		stays, once = r.Memory, r.Text
	case r.Memory != "":
		stays = r.Memory
		if r.Text != "" && r.Text != r.Memory {
			once = r.Text // nothing that an action said is lost on the model
		}
	default:
		stays = r.Text
	}
	if short := memory.Shorten(stays, maxKept); short != stays {
		if once == "" {
			once = stays
		}
		stays = short
	}
	if r.Once && stays == "" && once != "" {
		stays = fmt.Sprintf("%d characters, shown once in the next step", len([]rune(once)))
	}
	return strings.TrimSpace(stays), memory.Shorten(once, maxRead)
}

func argsText(raw json.RawMessage) string {
	s := strings.TrimSpace(string(raw))
	if s == "" || s == "{}" || s == "null" {
		return ""
	}
	return oneLine(s, maxArgs)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
