package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// did is a recorded action that had worked.
func did(name, args string) Action {
	return Action{Name: name, Args: json.RawMessage(args), Result: &registry.Result{Text: "done"}}
}

func TestWhatMayHaveBeenPaidIsNotPaidTwice(t *testing.T) {
	rec := &History{Steps: []*Step{{Number: 1, Actions: []Action{did("pay", "{}"), did("look", "{}")}}}}
	m := model(func(int, *llm.Request) string {
		return `{"reason":"r","possible":true,"includes_action":true,"action":[{"pay":{}}]}`
	})
	b := session(t)
	for _, tt := range []struct {
		name string
		pay  func(ctx context.Context) error
		want error
		res  ReplayResult
	}{
		{"it hangs", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, ErrInDoubt, ReplayDoubtful},
		{"its server fails", func(context.Context) error { return errors.New("the bank answered 502") }, nil, ReplayBroken},
	} {
		for _, policy := range []OnMiss{MissStop, MissSkip, MissRetry, MissHeal} {
			n := 0
			tools := simpleTools()
			tools.MustAdd(registry.Spec{Name: "pay", Description: "Pay.", Timeout: 100 * time.Millisecond}, func(ctx context.Context) error {
				n++
				return tt.pay(ctx)
			})
			h, err := Replay(quickly(t), rec, Config{Browser: b, Tools: tools, LLM: m, Replay: ReplayConfig{OnMiss: policy, Wait: 300 * time.Millisecond}})
			if n != 1 {
				t.Errorf("%s, %s: paid %d times", tt.name, policy, n)
			}
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || h.Replay.Result != tt.res {
				t.Errorf("%s, %s: %v, result %q", tt.name, policy, err, h.Replay.Result)
			}
			if s := h.Steps[0]; s.NotRun != 1 || len(h.Replay.Actions) != 1 {
				t.Errorf("%s, %s: it went on: %+v", tt.name, policy, h.Replay.Actions)
			}
		}
	}
}

func TestAReplayThatIsStoppedSaysWhereItStood(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tools := simpleTools()
	tools.MustAdd(registry.Spec{Name: "pay", Description: "Pay."}, func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() })
	rec := &History{Steps: []*Step{{Number: 1, Actions: []Action{did("look", "{}")}}, {Number: 2, Actions: []Action{did("pay", "{}")}}}}
	h, err := Replay(ctx, rec, Config{Browser: session(t), Tools: tools})
	if !errors.Is(err, ErrInDoubt) || !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if len(h.Steps) != 2 || h.Steps[1].Status != StepInterrupted || h.Replay.Result != ReplayDoubtful || h.Done() {
		t.Errorf("steps %+v, result %q", h.Steps, h.Replay.Result)
	}
}

// What was not begun when the replay was stopped is not in doubt.
func TestAReplayStoppedBeforeAnActionBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rec := &History{Steps: []*Step{{Number: 1, Actions: []Action{did("work", "{}")}}}}
	h, err := Replay(ctx, rec, Config{Browser: session(t), Tools: simpleTools(), Approve: func(context.Context, Proposal) error {
		cancel()
		return nil
	}})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrInDoubt) || h.Replay.Result == ReplayDoubtful {
		t.Errorf("err = %v, result %q", err, h.Replay.Result)
	}
	if s := h.Steps[0]; s.Status != StepInterrupted || len(s.Actions) != 0 {
		t.Errorf("%+v", s)
	}
}

// A picture that the model asked for is no reason to stop a replay that has no
// model to look at it.
func TestAReplayTakesPicturesWithoutAModel(t *testing.T) {
	rec := &History{Steps: []*Step{{Number: 1, Actions: []Action{did("screenshot", `{}`), did("screenshot", `{"file_name":"page"}`)}}}}
	dir := t.TempDir()
	h, err := Replay(quickly(t), rec, Config{Browser: session(t), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if x := h.Steps[0].Actions; len(x) != 2 || len(x[1].Result.Attachments) != 1 {
		t.Fatalf("%+v", x)
	}
	if _, err := os.Stat(h.Steps[0].Actions[1].Result.Attachments[0]); err != nil {
		t.Error(err)
	}
}

func TestAReplayAsksForApprovalLikeARun(t *testing.T) {
	rec := &History{Steps: []*Step{{Number: 1, Actions: []Action{did("work", "{}")}}}}
	asked := 0
	_, err := Replay(t.Context(), rec, Config{Browser: session(t), Tools: simpleTools(), Approve: func(context.Context, Proposal) error {
		asked++
		return Deny("not now")
	}})
	if asked != 1 || err == nil || !strings.Contains(err.Error(), "not now") {
		t.Errorf("asked %d times, %v", asked, err)
	}
}

var freeSeat = regexp.MustCompile(`(?m)^\s*\*?\[(\d+)\]<button aria-pressed=false>Seat \w+$`)

func TestAReplayStaysInFramesAndFollowsTabs(t *testing.T) {
	s := newShop(t)
	seat := func(req *llm.Request) []string {
		m := freeSeat.FindStringSubmatch(lastText(req))
		if m == nil {
			t.Fatalf("no free seat:\n%s", lastText(req))
		}
		return []string{fmt.Sprintf(`{"click":{"index":%s}}`, m[1]), input(index(req, "Name on the list"), "Ada"), click(index(req, "Reserve seats"))}
	}
	star := func(req *llm.Request) []string { return []string{click(index(req, "4 of 5"))} }
	open := func(*llm.Request) []string { return []string{goTo(s.URL + "/new-tab")} }
	follow := func(req *llm.Request) []string { return []string{click(index(req, "Open in a new tab"))} }
	tab := regexp.MustCompile(`(?m)^  (\w+): \S+/new-tab -`)
	back := func(req *llm.Request) []string {
		m := tab.FindStringSubmatch(lastText(req))
		if m == nil {
			t.Fatalf("no first tab:\n%s", lastText(req))
		}
		return []string{fmt.Sprintf(`{"switch":{"tab_id":%q}}`, m[1])}
	}
	in := func(req *llm.Request) []string { return []string{input(index(req, "Say where from"), "replay")} }
	rec, err := Run(quickly(t), "Book a seat, rate it, look at a page", Config{
		Browser: session(t), Vision: Vision{See: SeeNever}, LLM: script(seat, star, open, follow, back, in), Start: Start{URL: s.URL + "/widget"},
	})
	if err != nil || len(rec.Errors()) > 0 {
		t.Fatal(err, rec.Errors())
	}
	b := session(t)
	h, err := Replay(quickly(t), rec, Config{Browser: b})
	if err != nil {
		t.Fatalf("%v\n%+v", err, h.Replay.Actions)
	}
	frames := 0
	for _, x := range h.Replay.Actions {
		if x.Element != "" && x.Level != "exact" {
			t.Errorf("%s %s by %q", x.Name, x.Element, x.Level)
		}
	}
	for _, x := range h.Actions("click", "input") {
		var e Element
		if json.Unmarshal(x.Element, &e) == nil && e.Frame != "" {
			frames++
		}
	}
	if frames != 4 {
		t.Errorf("%d actions in frames, want 4", frames)
	}
	if got, err := browser.Evaluate[string](t.Context(), b, `document.getElementById("from").value`); err != nil || got != "replay" {
		t.Errorf("the last action went to another tab: %q, %v", got, err)
	}
	if n := len(b.Tabs()); n != 2 {
		t.Errorf("%d tabs", n)
	}
	// As a workflow, which knows nothing of the recorded tabs, it goes the same way.
	w, err := rec.Workflow("Book a seat")
	if err != nil {
		t.Fatal(err)
	}
	again := session(t)
	if _, err := RunWorkflow(quickly(t), w, nil, Config{Browser: again}); err != nil {
		t.Errorf("as a workflow: %v", err)
	}
	if got, err := browser.Evaluate[string](t.Context(), again, `document.getElementById("from").value`); err != nil || got != "replay" {
		t.Errorf("as a workflow, the last action went to another tab: %q, %v", got, err)
	}
	// Without its frame an element is not looked for anywhere else.
	s.change(func(path, page string) string {
		if path != "/widget" {
			return page
		}
		return strings.Replace(page, `src="/widget/rating"`, `srcdoc="&lt;button id=star-4 aria-label='4 of 5'&gt;x&lt;/button&gt;"`, 1)
	})
	_, err = Replay(quickly(t), rec, Config{Browser: session(t), Replay: ReplayConfig{Wait: 500 * time.Millisecond}})
	if !errors.Is(err, ErrNoMatch) || !strings.Contains(err.Error(), "4 of 5") {
		t.Errorf("with another frame in its place: %v", err)
	}
}
