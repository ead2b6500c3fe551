package agent

import (
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory"
)

// account is the honest answer of a run that ended without one: why, and what
// is known, in the model's last words and the last results, with nothing added.
func (a *Agent) account(err error) string {
	var b strings.Builder
	b.WriteString("The task was not finished")
	if err != nil {
		fmt.Fprintf(&b, ": %s", strings.TrimPrefix(oneLine(err.Error(), 300), "agent: "))
	}
	b.WriteByte('.')
	a.mu.Lock()
	steps := a.hist.TaskSteps()
	a.mu.Unlock()
	note, url, result := "", "", ""
	for _, s := range steps {
		if s.Answer != nil && s.Answer.Memory != "" {
			note = s.Answer.Memory
		}
		url = or(s.Page.URL, url)
		for _, x := range s.Actions {
			if x.Result != nil && x.Result.Error == "" {
				result = or(or(x.Result.Text, x.Result.Memory), result)
			}
		}
	}
	if note != "" {
		fmt.Fprintf(&b, "\nThe agent's last note: %s", oneLine(note, 1000))
	}
	if result != "" {
		fmt.Fprintf(&b, "\nThe last result: %s", memory.Shorten(result, 500))
	}
	if url != "" && url != "about:blank" {
		fmt.Fprintf(&b, "\nThe last page: %s", url)
	}
	return a.redact(b.String())
}
