package llm_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

func hello() *llm.Request { return &llm.Request{Messages: []llm.Message{llm.User("Hello.")}} }

func limited(after time.Duration) llmtest.Answer {
	return llmtest.Fail(&llm.Error{Kind: llm.ErrRateLimit, Status: 429, RetryAfter: after})
}

func fails(kind error) llmtest.Answer {
	return llmtest.Fail(&llm.Error{Kind: kind, Charges: []llm.Charge{{Model: "script", Usage: llm.Usage{Input: 10}}}})
}

func TestRetryWaitsAsLongAsTheProviderAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &llmtest.Script{Answers: []llmtest.Answer{limited(7 * time.Second), limited(7 * time.Second), llmtest.Text("hi")}}
		var waits []time.Duration
		c := llm.Retry(s, llm.RetryConfig{OnRetry: func(_ int, w time.Duration, _ error) { waits = append(waits, w) }})
		start := time.Now()
		resp, err := c.Complete(t.Context(), hello())
		if err != nil || resp.Text != "hi" {
			t.Fatalf("%+v, %v", resp, err)
		}
		if took := time.Since(start); took < 14*time.Second || took > 18*time.Second {
			t.Errorf("took %v, want two waits of 7 s and some jitter", took)
		}
		for _, w := range waits {
			if w < 7*time.Second {
				t.Errorf("waited %v", w)
			}
		}
	})
}

func TestRetryBacksOffAndGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &llmtest.Script{Answers: []llmtest.Answer{fails(llm.ErrServer)}, Loop: true}
		start := time.Now()
		_, err := llm.Retry(s, llm.RetryConfig{Attempts: 4}).Complete(t.Context(), hello())
		if !errors.Is(err, llm.ErrServer) || s.Calls() != 4 {
			t.Errorf("%v after %d calls", err, s.Calls())
		}
		if took := time.Since(start); took < 3500*time.Millisecond || took > 7*time.Second { // halves of 1, 2, 4 and up
			t.Errorf("took %v", took)
		}
		if got := llm.Charges(nil, err); len(got) != 4 {
			t.Errorf("%d attempts are billed, want 4", len(got))
		}
	})
}

func TestRetryLeavesAloneWhatStaysTheSame(t *testing.T) {
	for _, kind := range []error{llm.ErrQuota, llm.ErrAuth, llm.ErrBadRequest, llm.ErrContextLength, llm.ErrRefusal, llm.ErrMalformed, llm.ErrTruncated, llm.ErrBudget} {
		s := &llmtest.Script{Answers: []llmtest.Answer{fails(kind)}, Loop: true}
		if _, err := llm.Retry(s, llm.RetryConfig{}).Complete(t.Context(), hello()); !errors.Is(err, kind) || s.Calls() != 1 {
			t.Errorf("%v: %v after %d calls", kind, err, s.Calls())
		}
	}
}

func TestRetryDoesNotWaitInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		for _, asked := range []time.Duration{7 * time.Second, time.Hour} {
			s := &llmtest.Script{Answers: []llmtest.Answer{limited(asked)}, Loop: true}
			start := time.Now()
			_, err := llm.Retry(s, llm.RetryConfig{}).Complete(ctx, hello())
			var e *llm.Error
			if !errors.As(err, &e) || e.RetryAfter != asked || time.Since(start) != 0 {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		}
		s := &llmtest.Script{Answers: []llmtest.Answer{llmtest.Fail(&llm.Error{Kind: llm.ErrServer, Code: "unreachable"})}, Loop: true}
		if _, err := llm.Retry(s, llm.RetryConfig{}).Complete(t.Context(), hello()); err == nil || s.Calls() != 2 {
			t.Errorf("an endpoint nobody listens at is called %d times", s.Calls())
		}
	})
}

func TestRetryEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &llmtest.Script{Answers: []llmtest.Answer{limited(30 * time.Second)}, Loop: true}
		time.AfterFunc(3*time.Second, cancel)
		start := time.Now()
		_, err := llm.Retry(s, llm.RetryConfig{}).Complete(ctx, hello())
		if !errors.Is(err, context.Canceled) || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestDeadlineIsOfTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &llmtest.Script{Answers: []llmtest.Answer{{Delay: time.Hour}, llmtest.Text("hi")}}
		c := llm.Retry(llm.Deadline(s, 20*time.Second), llm.RetryConfig{})
		if resp, err := c.Complete(t.Context(), hello()); err != nil || resp.Text != "hi" {
			t.Errorf("%+v, %v", resp, err)
		}
		s = &llmtest.Script{Answers: []llmtest.Answer{{Delay: time.Hour}}}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := llm.Deadline(s, 20*time.Second).Complete(ctx, hello()); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, llm.ErrTimeout) {
			t.Errorf("the caller's deadline came back as %v", err)
		}
	})
}

func TestFallbackByFailureClass(t *testing.T) {
	for _, tt := range []struct {
		kind  error
		moves bool
	}{
		{llm.ErrRateLimit, true}, {llm.ErrQuota, true}, {llm.ErrAuth, true}, {llm.ErrTimeout, true}, {llm.ErrServer, true},
		{llm.ErrContextLength, true}, {llm.ErrRefusal, true},
		{llm.ErrMalformed, false}, {llm.ErrEmpty, false}, {llm.ErrTruncated, false}, {llm.ErrBadRequest, false}, {llm.ErrBudget, false},
	} {
		first := &llmtest.Script{Answers: []llmtest.Answer{fails(tt.kind)}, Model: "first"}
		second := &llmtest.Script{Answers: []llmtest.Answer{llmtest.Text("hi")}, Model: "second"}
		var from, to string
		c := llm.Fallback(llm.FallbackConfig{OnSwitch: func(a, b llm.Description, _ error) { from, to = a.Model, b.Model }}, first, second)
		resp, err := c.Complete(t.Context(), hello())
		if moved := err == nil; moved != tt.moves {
			t.Errorf("%v: moved %v, %v", tt.kind, moved, err)
			continue
		}
		if tt.moves && (resp.Model != "second" || from != "first" || to != "second" || len(resp.Failed) != 1) {
			t.Errorf("%v: %+v, switched from %s to %s", tt.kind, resp, from, to)
		}
	}
}

func TestFallbackRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		first := &llmtest.Script{Model: "first", Func: func(int, *llm.Request) llmtest.Answer {
			if down {
				return fails(llm.ErrServer)
			}
			return llmtest.Text("first")
		}}
		second := &llmtest.Script{Model: "second", Answers: []llmtest.Answer{llmtest.Text("second")}, Loop: true}
		c := llm.Fallback(llm.FallbackConfig{Cooldown: time.Minute}, first, second)
		ask := func(want string, calls int) {
			t.Helper()
			resp, err := c.Complete(t.Context(), hello())
			if err != nil || resp.Text != want || first.Calls() != calls {
				t.Errorf("%+v, %v; the first was called %d times, want %d", resp, err, first.Calls(), calls)
			}
		}
		ask("second", 1)
		ask("second", 1) // passed over
		time.Sleep(61 * time.Second)
		ask("second", 2) // tried again, still down
		ask("second", 2)
		time.Sleep(61 * time.Second)
		down = false
		ask("first", 3)
		ask("first", 4)
	})
}

func TestFallbackProbesWithOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := &llmtest.Script{Model: "first", Func: func(n int, _ *llm.Request) llmtest.Answer {
			if n == 0 {
				return fails(llm.ErrServer)
			}
			return llmtest.Answer{Text: "first", Delay: 10 * time.Second}
		}}
		second := &llmtest.Script{Model: "second", Answers: []llmtest.Answer{llmtest.Text("second")}, Loop: true}
		c := llm.Fallback(llm.FallbackConfig{}, first, second)
		if _, err := c.Complete(t.Context(), hello()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := c.Complete(t.Context(), hello()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if first.Calls() != 2 {
			t.Errorf("%d calls tried the first client again, want 1", first.Calls()-1)
		}
	})
}

func TestSpareThatIsWellAgainIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := true
		first := &llmtest.Script{Func: func(int, *llm.Request) llmtest.Answer {
			if broken {
				return fails(llm.ErrServer)
			}
			return llmtest.Text("first")
		}}
		second := &llmtest.Script{Func: func(n int, _ *llm.Request) llmtest.Answer {
			if n == 0 {
				return fails(llm.ErrServer)
			}
			return llmtest.Text("second")
		}}
		third := &llmtest.Script{Answers: []llmtest.Answer{llmtest.Text("third")}, Loop: true}
		c := llm.Fallback(llm.FallbackConfig{}, first, second, third)
		ask := func(want string) {
			t.Helper()
			if resp, err := c.Complete(t.Context(), hello()); err != nil || resp.Text != want {
				t.Errorf("%+v, %v, want %s", resp, err, want)
			}
		}
		ask("third") // both before it fail
		time.Sleep(2 * time.Minute)
		broken = false
		ask("first") // the second is due for another try, and not reached
		broken = true
		ask("second")
	})
}

func TestManyMalformedAnswersInARowDoSwitch(t *testing.T) {
	first := &llmtest.Script{Answers: []llmtest.Answer{fails(llm.ErrMalformed)}, Loop: true}
	second := &llmtest.Script{Answers: []llmtest.Answer{llmtest.Text("hi")}, Loop: true}
	c := llm.Fallback(llm.FallbackConfig{}, first, second)
	for n := 1; n <= 3; n++ {
		if _, err := c.Complete(t.Context(), hello()); (err == nil) != (n == 3) {
			t.Errorf("call %d: %v", n, err)
		}
	}
}

func TestAllOfAChainFailing(t *testing.T) {
	c := llm.Fallback(llm.FallbackConfig{},
		&llmtest.Script{Answers: []llmtest.Answer{limited(time.Hour)}},
		&llmtest.Script{Answers: []llmtest.Answer{fails(llm.ErrAuth)}},
		&llmtest.Script{Answers: []llmtest.Answer{limited(time.Minute)}})
	_, err := c.Complete(t.Context(), hello())
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.ErrRateLimit || e.RetryAfter != time.Minute || !errors.Is(err, llm.ErrAuth) || !strings.Contains(err.Error(), "all 3 models failed") {
		t.Errorf("got %v", err)
	}
	if _, err := llm.Fallback(llm.FallbackConfig{}).Complete(t.Context(), hello()); err == nil {
		t.Error("a chain of nothing answers")
	}
}

func TestBudgetStopsBeforeItIsOverspent(t *testing.T) {
	table := &llm.ModelTable{Models: map[string]llm.Model{"script": {Input: 1e6, Output: 1e6}}} // a dollar a token
	use := llmtest.Answer{Text: "hi", Usage: &llm.Usage{Input: 5, Output: 5}}
	for _, tt := range []struct {
		name   string
		limits llm.Limits
		calls  int
	}{
		{"calls", llm.Limits{Calls: 2}, 2},
		{"tokens", llm.Limits{Tokens: 30}, 3},
		{"tokens, but for the estimate of the next", llm.Limits{Tokens: 25}, 2},
		{"money", llm.Limits{Cost: 30, Table: table}, 3},
		{"money without a price", llm.Limits{Cost: 30, Table: &llm.ModelTable{}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &llmtest.Script{Answers: []llmtest.Answer{use}, Loop: true}
			b := llm.NewBudget(tt.limits)
			c := b.Wrap(s)
			var err error
			for range 10 {
				if _, err = c.Complete(t.Context(), hello()); err != nil {
					break
				}
			}
			if !errors.Is(err, llm.ErrBudget) || s.Calls() != tt.calls || b.Spent().Usage().Total() != 10*tt.calls {
				t.Errorf("%v after %d calls, %+v", err, s.Calls(), b.Spent().Usage())
			}
		})
	}
}

func TestBudgetCountsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &llmtest.Script{Answers: []llmtest.Answer{{Text: "hi", Delay: time.Second, Usage: &llm.Usage{Input: 10, Output: 90}}}, Loop: true}
		b := llm.NewBudget(llm.Limits{Tokens: 350})
		c := b.Wrap(s)
		limit := 90
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				req := hello()
				req.MaxTokens = &limit
				if _, err := c.Complete(t.Context(), req); err != nil && !errors.Is(err, llm.ErrBudget) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := b.Spent().Usage().Total(); got > 350 || got == 0 {
			t.Errorf("spent %d of 350", got)
		}
	})
}

func TestBudgetOfTimeEndsTheCallUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &llmtest.Script{Answers: []llmtest.Answer{{Delay: time.Hour}}, Loop: true}
		c := llm.NewBudget(llm.Limits{Time: time.Minute}).Wrap(s)
		start := time.Now()
		_, err := c.Complete(t.Context(), hello())
		if !errors.Is(err, llm.ErrBudget) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if _, err := c.Complete(t.Context(), hello()); !errors.Is(err, llm.ErrBudget) || s.Calls() != 1 {
			t.Errorf("%v, %d calls", err, s.Calls())
		}
	})
}

func TestAgentsThatShareAClientAreNotBilledForEachOther(t *testing.T) {
	s := &llmtest.Script{Answers: []llmtest.Answer{{Text: "hi", Usage: &llm.Usage{Input: 100, Cached: 40, Output: 10}}}, Loop: true, Model: "gpt-4.1-mini"}
	shared := llm.Retry(s, llm.RetryConfig{})
	var one, two llm.Meter
	a, b := one.Wrap(shared), two.Wrap(shared)
	for range 3 {
		_, _ = a.Complete(t.Context(), hello())
	}
	_, _ = b.Complete(t.Context(), hello())
	if one.Usage().Input != 300 || two.Usage().Input != 100 {
		t.Errorf("got %+v and %+v", one.Usage(), two.Usage())
	}
	list := one.ByModel()
	if len(list) != 1 || list[0].Model != "gpt-4.1-mini" || list[0].Calls != 3 || !list[0].Priced {
		t.Fatalf("got %+v", list)
	}
	want := 3 * (60*0.4 + 40*0.1 + 10*1.6) / 1e6
	if got, known := one.Cost(); !known || got < want*0.999 || got > want*1.001 {
		t.Errorf("cost %v, want %v", got, want)
	}
}

func TestFailedAttemptsAreOnTheBill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &llmtest.Script{Answers: []llmtest.Answer{fails(llm.ErrEmpty), fails(llm.ErrEmpty), {Text: "hi", Usage: &llm.Usage{Input: 10}}}}
		var m llm.Meter
		resp, err := m.Wrap(llm.Retry(s, llm.RetryConfig{})).Complete(t.Context(), hello())
		if err != nil || m.Usage().Input != 30 || resp.Usage.Input != 10 {
			t.Errorf("%+v, %v: metered %+v", resp, err, m.Usage())
		}
		if _, known := m.Cost(); known {
			t.Error("the cost of a model without a price counts as known")
		}
	})
}

func TestRateLimitIsSharedAndFollowsTheProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &llmtest.Script{Answers: []llmtest.Answer{llmtest.Text("hi")}, Loop: true}
		c := llm.RateLimit(s, llm.RateConfig{Requests: 60})
		start := time.Now()
		var wg sync.WaitGroup
		for range 90 {
			wg.Go(func() { _, _ = c.Complete(t.Context(), hello()) })
		}
		wg.Wait()
		if took := time.Since(start); took < 29*time.Second || took > 31*time.Second {
			t.Errorf("90 calls at 60 a minute took %v", took)
		}

		s = &llmtest.Script{Answers: []llmtest.Answer{limited(20 * time.Second), llmtest.Text("hi"), llmtest.Text("hi")}}
		c = llm.RateLimit(s, llm.RateConfig{Concurrent: 1})
		if _, err := c.Complete(t.Context(), hello()); !errors.Is(err, llm.ErrRateLimit) {
			t.Fatal(err)
		}
		start = time.Now()
		if _, err := c.Complete(t.Context(), hello()); err != nil || time.Since(start) != 20*time.Second {
			t.Errorf("the next call came after %v, %v", time.Since(start), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s.Answers = []llmtest.Answer{limited(time.Minute)}
		c = llm.RateLimit(&llmtest.Script{Answers: []llmtest.Answer{limited(time.Minute)}, Loop: true}, llm.RateConfig{})
		_, _ = c.Complete(ctx, hello())
		if _, err := c.Complete(ctx, hello()); !errors.Is(err, llm.ErrRateLimit) || time.Since(start) != 20*time.Second {
			t.Errorf("a call waits past its deadline: %v", err)
		}
	})
}

func TestRateLimitOfTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &llmtest.Script{Answers: []llmtest.Answer{{Text: "hi", Usage: &llm.Usage{Input: 500, Output: 500}}}, Loop: true}
		c := llm.RateLimit(s, llm.RateConfig{Tokens: 1000})
		start := time.Now()
		for range 3 {
			if _, err := c.Complete(t.Context(), hello()); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took < time.Minute || took > 3*time.Minute {
			t.Errorf("3000 tokens at 1000 a minute took %v", took)
		}
	})
}

func TestLogHasNoKeyAndNoContentUnlessAsked(t *testing.T) {
	key := "sk-abcdefghijklmnop0123"
	for _, content := range []bool{false, true} {
		var b strings.Builder
		log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
		s := &llmtest.Script{Answers: []llmtest.Answer{
			llmtest.Text("the answer of hunter2"),
			llmtest.Fail(&llm.Error{Kind: llm.ErrMalformed, Message: "bad key " + key, Answer: strings.Repeat("hunter2 prose ", 100)}),
		}}
		c := llm.Log(s, llm.LogConfig{Logger: log, Content: content, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[x]") }})
		for range 2 {
			_, _ = c.Complete(t.Context(), &llm.Request{Messages: []llm.Message{llm.User("asked with " + key)}})
		}
		out := b.String()
		if strings.Contains(out, key) || strings.Contains(out, "hunter2") {
			t.Errorf("the log shows a secret: %s", out)
		}
		if strings.Contains(out, "asked with") != content || strings.Contains(out, "the answer of") != content {
			t.Errorf("content %v: %s", content, out)
		}
		if !strings.Contains(out, "[x] prose") || strings.Count(out, "prose") > 60 {
			t.Errorf("the beginning of the bad answer is not in the log: %s", out)
		}
	}
}

func TestWrappersDescribeWhatTheyWrap(t *testing.T) {
	s := &llmtest.Script{Model: "x"}
	var m llm.Meter
	for _, c := range []llm.Client{
		llm.Retry(s, llm.RetryConfig{}), llm.Deadline(s, time.Second), llm.Fallback(llm.FallbackConfig{}, s), m.Wrap(s),
		llm.NewBudget(llm.Limits{}).Wrap(s), llm.RateLimit(s, llm.RateConfig{}), llm.Log(s, llm.LogConfig{}), llmtest.NewRecorder(s, nil),
	} {
		if d := llm.Describe(c); d.Model != "x" {
			t.Errorf("%T says %+v", c, d)
		}
	}
}

func TestMiddlewareKeepsTheContract(t *testing.T) {
	s := &llmtest.Script{Func: func(int, *llm.Request) llmtest.Answer { return llmtest.Text(answer) }}
	var m llm.Meter
	c := llm.Client(s)
	c = llm.Deadline(c, time.Minute)
	c = llm.RateLimit(c, llm.RateConfig{Concurrent: 2})
	c = llm.Retry(c, llm.RetryConfig{})
	c = llm.Fallback(llm.FallbackConfig{}, c)
	c = llm.NewBudget(llm.Limits{Calls: 1000}).Wrap(c)
	c = llm.Log(m.Wrap(c), llm.LogConfig{Logger: slog.New(slog.DiscardHandler)})
	llmtest.TestClient(t, c)
}
