package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

func TestValidationSendsTheResultBack(t *testing.T) {
	m := model(func(n int, req *llm.Request) string {
		if n == 1 && !strings.Contains(lastText(req), "does not count yet: the price is missing.") {
			t.Errorf("the model is not told why:\n%s", lastText(req))
		}
		return finished([]string{"a lamp", "a lamp for 20"}[min(n, 1)], true)
	})
	v := model(func(n int, req *llm.Request) string {
		text := allText(req)
		if !strings.Contains(text, "find a lamp") || !strings.Contains(text, "a lamp") || !strings.Contains(text, "<page-") {
			t.Errorf("the validator does not see task, result and page:\n%s", text)
		}
		return []string{`{"reason":"the price is missing.","is_valid":false}`, `{"reason":"fine","is_valid":true}`}[min(n, 1)]
	})
	cfg := quick(t, m)
	cfg.Check = Check{Validate: true, LLM: v}
	h, err := Run(t.Context(), "find a lamp and its price", cfg)
	if err != nil || h.Final() != "a lamp for 20" || !h.Succeeded() || len(h.Steps) != 2 || v.Calls() != 2 {
		t.Errorf("error %v, final %q, %d steps, %d validations", err, h.Final(), len(h.Steps), v.Calls())
	}
	if h.Steps[0].Status != StepOK {
		t.Errorf("a result that is sent back counts as a failure: %+v", h.Steps[0])
	}
}

func TestValidationHasAnEnd(t *testing.T) {
	no := `{"reason":"never good enough","is_valid":false}`
	m := model(func(int, *llm.Request) string { return finished("x", true) })
	v := model(func(int, *llm.Request) string { return no })
	cfg := quick(t, m)
	cfg.Check = Check{Validate: true, LLM: v, Loops: 2}
	h, err := Run(t.Context(), "task", cfg)
	if err != nil || len(h.Steps) != 3 || v.Calls() != 2 {
		t.Errorf("error %v, %d steps, %d validations; want the third result to count", err, len(h.Steps), v.Calls())
	}

	// Not on the last step, not when the model itself reports failure, and a
	// validator that cannot be asked costs nothing.
	for _, tt := range []struct {
		name    string
		steps   int
		success bool
		v       llm.Client
	}{
		{"last step", 1, true, v},
		{"reported failure", 9, false, v},
		{"broken validator", 9, true, &llmtest.Script{Answers: []llmtest.Answer{llmtest.Fail(&llm.Error{Kind: llm.ErrServer})}, Loop: true}},
	} {
		m := model(func(int, *llm.Request) string { return finished("x", tt.success) })
		cfg := quick(t, m)
		cfg.Limits.Steps = tt.steps
		cfg.Check = Check{Validate: true, LLM: tt.v}
		h, err := Run(t.Context(), "task", cfg)
		if err != nil || len(h.Steps) != 1 {
			t.Errorf("%s: error %v, %d steps", tt.name, err, len(h.Steps))
		}
	}
}

func TestCheckInCode(t *testing.T) {
	m := model(func(n int, req *llm.Request) string {
		if n == 1 && !strings.Contains(lastText(req), "the answer has to be a number") {
			t.Error("the model is not told")
		}
		return finished([]string{"many", "7"}[min(n, 1)], true)
	})
	cfg := quick(t, m)
	cfg.Check.Func = func(_ context.Context, o Outcome) error {
		if o.Final != "7" {
			return errors.New("the answer has to be a number")
		}
		panic("after the check")
	}
	h, err := Run(t.Context(), "how many", cfg)
	if err != nil || h.Final() != "7" || len(h.Steps) != 2 {
		t.Errorf("error %v, final %q", err, h.Final())
	}
}

func TestJudge(t *testing.T) {
	no := `{"reasoning":"r","verdict":false,"failure_reason":"the colour is wrong","impossible_task":false,"reached_captcha":false}`
	yes := `{"reasoning":"r","verdict":true,"failure_reason":"","impossible_task":false,"reached_captcha":false}`
	j := model(func(n int, req *llm.Request) string {
		text := allText(req)
		for _, want := range []string{"buy the blue lamp", "The right answer", "lamp no. 7", "work: worked", "Final result"} {
			if !strings.Contains(text, want) {
				t.Errorf("the judge does not see %q", want)
			}
		}
		images := 0
		for _, p := range req.Messages[1].Parts {
			if p.Image != nil {
				images++
			}
		}
		if images != 2+n {
			t.Errorf("the judge sees %d screenshots in round %d", images, n)
		}
		return []string{no, yes}[min(n, 1)]
	})
	m := model(func(n int, req *llm.Request) string {
		if n == 0 {
			return say(`{"work":{}}`)
		}
		if n == 2 && !strings.Contains(lastText(req), "the colour is wrong") {
			t.Error("the judge's reason does not reach the model")
		}
		return finished("bought", true)
	})
	cfg := quick(t, m)
	cfg.Vision.See = SeeAlways
	cfg.Check = Check{Judge: j, JudgeLoops: true, GroundTruth: "lamp no. 7"}
	h, err := Run(t.Context(), "buy the blue lamp", cfg)
	if err != nil || len(h.Steps) != 3 || !h.Succeeded() || h.Outcome().Judgement == nil {
		t.Errorf("error %v, %d steps, %+v", err, len(h.Steps), h.Outcome())
	}

	// Without loops the verdict is reported and counts in Succeeded.
	j = model(func(int, *llm.Request) string { return no })
	m = model(func(int, *llm.Request) string { return finished("bought", true) })
	cfg = quick(t, m)
	cfg.Check.Judge = j
	h, err = Run(t.Context(), "buy", cfg)
	if err != nil || h.Succeeded() || !h.Outcome().Success || h.Outcome().Judgement.FailureReason != "the colour is wrong" {
		t.Errorf("error %v, %+v", err, h.Outcome())
	}
	// And a judge that fails is no judgement.
	cfg = quick(t, m)
	cfg.Check.Judge = &llmtest.Script{Answers: []llmtest.Answer{llmtest.Text("no idea")}, Loop: true}
	h, err = Run(t.Context(), "buy", cfg)
	if err != nil || !h.Succeeded() || h.Outcome().Judgement != nil {
		t.Errorf("error %v, %+v", err, h.Outcome())
	}
}

func TestPlanner(t *testing.T) {
	plan := `{"state_analysis":"s","progress_evaluation":"10%","challenges":[],"next_steps":["open the shop","search it"],"reasoning":"r"}`
	var roles []llm.Role
	p := model(func(n int, req *llm.Request) string {
		roles = append(roles, req.Messages[0].Role)
		if n == 0 && !strings.Contains(allText(req), "be brief") {
			t.Error("the extra instructions are missing")
		}
		for _, m := range req.Messages {
			for _, part := range m.Parts {
				if part.Image != nil {
					t.Error("a planner without vision got a picture")
				}
			}
		}
		return plan
	})
	m := model(func(n int, req *llm.Request) string {
		has := strings.Contains(lastText(req), "[>] 1. open the shop")
		if want := n >= 1; has != want {
			t.Errorf("call %d: the plan is shown: %v", n, has)
		}
		if n == 4 {
			return finished("ok", true)
		}
		return say(`{"work":{}}`)
	})
	cfg := quick(t, m)
	cfg.Vision.See = SeeAlways
	cfg.Planner = Planner{LLM: p, Every: 2, Reasoning: true, Extend: "be brief"}
	if _, err := Run(t.Context(), "task", cfg); err != nil {
		t.Fatal(err)
	}
	if p.Calls() != 2 || roles[0] != llm.RoleUser {
		t.Errorf("%d plans, role %s", p.Calls(), roles[0])
	}

	// The flash style has no plan of its own and shows the planner's.
	m = model(func(_ int, req *llm.Request) string {
		if !strings.Contains(lastText(req), "[>] 1. open the shop") {
			t.Error("the planner's steps are not shown in the flash style")
		}
		return finished("ok", true)
	})
	cfg = quick(t, m)
	cfg.Prompt.Style = StyleFlash
	cfg.Planner.LLM = model(func(int, *llm.Request) string { return plan })
	if _, err := Run(t.Context(), "task", cfg); err != nil {
		t.Fatal(err)
	}

	broken := &llmtest.Script{Answers: []llmtest.Answer{llmtest.Text("?")}, Loop: true}
	m = model(answersThenDone())
	cfg = quick(t, m)
	cfg.Planner = Planner{LLM: broken}
	if _, err := Run(t.Context(), "task", cfg); err != nil {
		t.Errorf("a planner that fails cost the step: %v", err)
	}
}

func TestStuckRunIsNudgedAndStopped(t *testing.T) {
	m := model(func(n int, req *llm.Request) string {
		nudged := strings.Contains(lastText(req), "the same thing")
		if n == 5 && !nudged {
			t.Error("five times the same and no nudge")
		}
		if n < 5 && nudged {
			t.Errorf("nudged at call %d", n)
		}
		return say(`{"work":{}}`)
	})
	cfg := quick(t, m)
	cfg.Stuck.StopAt = 9
	h, err := Run(t.Context(), "task", cfg)
	if !errors.Is(err, ErrStuck) || len(h.Steps) != 9 || h.Outcome().End != EndStuck {
		t.Errorf("error %v after %d steps", err, len(h.Steps))
	}
	m = model(func(n int, req *llm.Request) string {
		if strings.Contains(lastText(req), "the same thing") {
			t.Error("nudged although it is off")
		}
		return say(`{"work":{}}`)
	})
	cfg = quick(t, m)
	cfg.Stuck.Off, cfg.Limits.Steps = true, 10
	_, _ = Run(t.Context(), "task", cfg)
}
