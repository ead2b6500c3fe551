package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
)

func logOf(steps int) *Log {
	l := &Log{}
	l.Add(Entry{Kind: KindTask, Text: "Task: buy a lamp under 50 euros"})
	for i := 1; i <= steps; i++ {
		l.Add(Entry{Kind: KindStep, Step: i, Text: fmt.Sprintf("Step %d: clicked item %d. %s", i, i, strings.Repeat("word ", 100))})
	}
	return l
}

// summariser answers with text and keeps the prompt it was given.
func summariser(text string, err error, prompt *string) llm.Client {
	return llm.ClientFunc(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
		if prompt != nil {
			*prompt = req.Messages[0].Text() + "\n" + req.Messages[1].Text()
		}
		if err != nil {
			return nil, err
		}
		return &llm.Response{Text: text}, nil
	})
}

func joined(blocks []Block) string {
	var out []string
	for _, b := range blocks {
		out = append(out, b.Text)
	}
	return strings.Join(out, "\n")
}

func TestCompactFoldsTheMiddleOnly(t *testing.T) {
	l := logOf(20)
	before := l.Tokens()
	var prompt string
	done, err := l.Compact(t.Context(), Compaction{Tokens: 1000}, summariser("12 items clicked.", nil, &prompt), 21)
	if err != nil || !done {
		t.Fatalf("Compact = %v, %v", done, err)
	}
	text := joined(l.Blocks())
	for _, want := range []string{"Task: buy a lamp", "Step 1:", "12 items clicked.", "not verified", "Step 15:", "Step 20:", "Summary of steps 2 to 14"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lost %q", want)
		}
	}
	for i := 2; i <= 14; i++ {
		if strings.Contains(text, fmt.Sprintf("Step %d:", i)) {
			t.Errorf("step %d is still there", i)
		}
		if !strings.Contains(prompt, fmt.Sprintf("Step %d:", i)) {
			t.Errorf("step %d was dropped without being summarised", i)
		}
	}
	if strings.Contains(prompt, "Step 15:") || strings.Contains(prompt, "Step 1:") {
		t.Error("a step that stays was summarised too")
	}
	if !strings.Contains(prompt, "buy a lamp") {
		t.Error("the summariser does not know the task")
	}
	if l.Tokens() >= before {
		t.Errorf("the log did not shrink: %d, before %d", l.Tokens(), before)
	}
}

func TestCompactAgainReplacesTheSummary(t *testing.T) {
	l := logOf(12)
	if _, err := l.Compact(t.Context(), Compaction{EverySteps: 1}, summariser("first summary", nil, nil), 13); err != nil {
		t.Fatal(err)
	}
	for i := 13; i <= 22; i++ {
		l.Add(Entry{Kind: KindStep, Step: i, Text: fmt.Sprintf("Step %d: more", i)})
	}
	var prompt string
	if _, err := l.Compact(t.Context(), Compaction{EverySteps: 1}, summariser("second summary", nil, &prompt), 23); err != nil {
		t.Fatal(err)
	}
	text := joined(l.Blocks())
	if strings.Contains(text, "first summary") || !strings.Contains(text, "second summary") {
		t.Errorf("want one summary, the second:\n%s", text)
	}
	if !strings.Contains(prompt, "first summary") {
		t.Error("the first summary was not given to the summariser")
	}
	if s := l.Summary(); s.From != 2 || s.To != 16 || s.Folds != 2 {
		t.Errorf("summary covers %+v", s)
	}
}

func TestFailedCompactionChangesNothing(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    llm.Client
	}{
		{"error", summariser("", errors.New("no model"), nil)},
		{"empty answer", summariser("  \n", nil, nil)},
	} {
		l := logOf(20)
		before := joined(l.Blocks())
		done, err := l.Compact(t.Context(), Compaction{Tokens: 1000}, tt.c, 21)
		if done || err == nil {
			t.Errorf("%s: Compact = %v, %v", tt.name, done, err)
		}
		after := joined(l.Blocks())
		if before != after {
			t.Errorf("%s: the log changed", tt.name)
		}
		if l.Due(Compaction{Tokens: 1000}, 22) {
			t.Errorf("%s: tried again on the next step", tt.name)
		}
		if !l.Due(Compaction{Tokens: 1000}, 27) {
			t.Errorf("%s: never tried again", tt.name)
		}
	}
}

func TestCompactionIsNotRepeatedWhenTheKeptStepsAreLarge(t *testing.T) {
	l := &Log{}
	l.Add(Entry{Kind: KindTask, Text: "Task"})
	for i := 1; i <= 9; i++ {
		text := "small"
		if i > 3 {
			text = strings.Repeat("large ", 2000)
		}
		l.Add(Entry{Kind: KindStep, Step: i, Text: text})
	}
	if l.Due(Compaction{Tokens: 1000}, 10) {
		t.Error("folding two tiny steps would change the prompt and win nothing")
	}
}

func TestLimitKeepsTheFirstAndTheLastSteps(t *testing.T) {
	l := logOf(10)
	l.Limit(10)
	if l.Steps() != 10 {
		t.Fatalf("%d steps; the limit was not passed", l.Steps())
	}
	l.Add(Entry{Kind: KindStep, Step: 11, Text: "Step 11:"})
	l.Limit(10)
	text := joined(l.Blocks())
	if l.Steps() != 6 || !strings.Contains(text, "Step 1:") || !strings.Contains(text, "Step 11:") || !strings.Contains(text, "[5 earlier steps are not shown]") {
		t.Errorf("%d steps:\n%.300s", l.Steps(), text)
	}
	if !strings.Contains(text, "Task: buy a lamp") {
		t.Error("the task is lost")
	}
}

func TestFitGivesUpTheLeastImportantFirst(t *testing.T) {
	img := llm.Image{MIME: "image/png", Data: []byte("x")}
	blocks := func() []Block {
		b := []Block{
			{Kind: KindSystem, Text: "rules"},
			{Kind: KindTask, Text: "the task"},
		}
		for i := 1; i <= 10; i++ {
			b = append(b, Block{Kind: KindStep, Text: fmt.Sprintf("step %d: ", i) + strings.Repeat("w ", 1000)})
		}
		return append(b,
			Block{Kind: KindRead, Text: strings.Repeat("read\n", 2000)},
			Block{Kind: KindPage, Text: strings.Repeat("[1]<a>page line\n", 4000), Images: []llm.Image{img}})
	}
	all := Total(blocks())
	if kept, cut := Fit(blocks(), all); len(cut) != 0 || len(kept) != len(blocks()) {
		t.Fatalf("cut %v although it fits", cut)
	}
	kept, cut := Fit(blocks(), all-500)
	if len(cut) != 1 || cut[0] != "pictures" || len(kept[len(kept)-1].Images) != 0 {
		t.Errorf("a little over: cut %v, want pictures only", cut)
	}
	for _, limit := range []int{all - 5000, all / 2, all / 4, 3000} {
		kept, cut := Fit(blocks(), limit)
		if got := Total(kept); got > limit {
			t.Errorf("limit %d: %d tokens after cutting %v", limit, got, cut)
		}
		text := joined(kept)
		for _, want := range []string{"rules", "the task", "step 1:", "step 10:"} {
			if !strings.Contains(text, want) {
				t.Errorf("limit %d: lost %q", limit, want)
			}
		}
	}
}

func TestShortenSaysWhatIsMissing(t *testing.T) {
	lines := make([]string, 500)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d of the page", i)
	}
	s := strings.Join(lines, "\n")
	got := Shorten(s, 200)
	if n := llm.EstimateText(got); n > 200 {
		t.Errorf("%d tokens, want at most 200", n)
	}
	for _, want := range []string{"line 0 ", "line 499 ", "lines left out"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	one := strings.Repeat("京都", 5000)
	if got := Shorten(one, 100); llm.EstimateText(got) > 100 || !strings.Contains(got, "characters left out") {
		t.Errorf("one line: %d tokens: %.60s", llm.EstimateText(got), got)
	}
}

func TestLogRoundTrip(t *testing.T) {
	l := logOf(30)
	l.Limit(12)
	if _, err := l.Compact(t.Context(), Compaction{EverySteps: 1, KeepLast: 2}, summariser("folded", nil, nil), 31); err != nil {
		t.Fatal(err)
	}
	l.AddRead(Read{Text: "once", Images: []llm.Image{{MIME: "image/png", Data: []byte{1, 2}}}})
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var back Log
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(&back)
	if string(again) != string(data) {
		t.Errorf("round trip changed the log:\n%s\n%s", data, again)
	}
	if joined(back.Blocks()) != joined(l.Blocks()) {
		t.Error("the restored log renders differently")
	}
}

func TestLogGrowsAtItsEndOnly(t *testing.T) {
	l := logOf(0)
	prev := ""
	for i := 1; i <= 40; i++ {
		l.Add(Entry{Kind: KindStep, Step: i, Text: fmt.Sprintf("Step %d", i)})
		now := joined(l.Blocks())
		if !strings.HasPrefix(now, prev) {
			t.Fatalf("step %d changed what was there before", i)
		}
		prev = now
	}
}

func TestMeter(t *testing.T) {
	var m Meter
	if m.Correct(1000) != 1000 {
		t.Error("a fresh meter corrects")
	}
	m.Observe(1000, 1500)
	if got := m.Correct(1000); got != 1500 {
		t.Errorf("Correct(1000) = %d", got)
	}
	if got := m.Raw(1500); got != 1000 {
		t.Errorf("Raw(1500) = %d", got)
	}
	m.Observe(1000, 0)
	m.Observe(10, 90)
	if got := m.Correct(1000); got != 1500 {
		t.Errorf("nonsense was believed: %d", got)
	}
}
