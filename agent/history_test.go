package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

func sampleHistory() *History {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return &History{
		AgentID: "a1", Model: "m", Started: at,
		Tasks: []TaskRun{{Task: "buy <it> & go", Started: at, Outcome: Outcome{End: EndDone, Success: true, Final: "ok", Attachments: []string{"files/a.txt"}, Ended: at}}},
		Steps: []*Step{
			{Number: 0, Status: StepOK, Started: at, Ended: at.Add(time.Second), Page: Page{URL: "about:blank"},
				Actions: []Action{{Name: "navigate", Args: json.RawMessage(`{"url":"https://a.test"}`), Result: &registry.Result{Text: "Opened"}}}},
			{Number: 1, Status: StepFailed, Started: at, Ended: at.Add(2 * time.Second),
				Page:   Page{URL: "https://a.test", Title: "A", Tabs: []Tab{{ID: "AB12", URL: "https://a.test", Current: true}}, Screenshot: "screenshots/step_1.png", Fingerprint: "f"},
				Answer: &Answer{Thinking: "t", Memory: "m", NextGoal: "g", PlanItem: ptr(1), PlanUpdate: []string{"x"}, Actions: []json.RawMessage{json.RawMessage(`{"click":{"index":7}}`)}},
				Actions: []Action{{Name: "click", Args: json.RawMessage(`{"index":7}`), Element: json.RawMessage(`{"index":7,"tag":"a"}`), ElementText: `a "Buy"`,
					Result: &registry.Result{Error: "covered", Effects: []string{"dialog"}}, Millis: 3}},
				NotRun: 2, NotRunWhy: "action 1 failed", Error: "covered", Model: "m", Usage: llm.Usage{Input: 10, Output: 2}, Timing: Timing{Observe: 1, Model: 2, Act: 3, Total: 7}},
		},
		Usage: Usage{Calls: 1, Tokens: llm.Usage{Input: 10, Output: 2}, Priced: true, ByModel: []llm.ModelUsage{{Provider: "p", Model: "m", Calls: 1}}},
	}
}

func TestHistoryRoundTrip(t *testing.T) {
	h := sampleHistory()
	var first bytes.Buffer
	if err := h.Save(&first); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"format": "webhand-history"`, `"version": 1`, `"task": "buy <it> & go"`, `"usage"`} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("the file lacks %s", want)
		}
	}
	back, err := LoadHistory(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var second bytes.Buffer
	if err := back.Save(&second); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Errorf("a round trip changes the file:\n%s\n%s", first.String(), second.String())
	}
	if back.Final() != "ok" || !back.Succeeded() || back.Task() != "buy <it> & go" {
		t.Errorf("final %q", back.Final())
	}
}

func TestJournalSurvivesACrash(t *testing.T) {
	h := sampleHistory()
	path := filepath.Join(t.TempDir(), "h.jsonl")
	j, err := openJournal(path, &History{AgentID: "a1", Started: h.Started, Tasks: h.Tasks[:1]}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range h.Steps {
		j.write(line{Step: s})
	}
	j.write(line{Outcome: &h.Tasks[0].Outcome, Usage: &h.Usage})
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Cut the file anywhere, as a crash would: what comes back is a history
	// with every step whose line is whole.
	first := bytes.IndexByte(whole, '\n') + 1
	for n := first; n <= len(whole); n++ {
		got, err := LoadHistory(bytes.NewReader(whole[:n]))
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		want := bytes.Count(whole[first:n], []byte(`"step":{`))
		if lines := bytes.Count(whole[:n], []byte("\n")); len(got.Steps) < lines-2 && lines <= 4 || len(got.Steps) > want {
			t.Fatalf("cut at %d: %d steps", n, len(got.Steps))
		}
	}
	got, _ := LoadHistory(bytes.NewReader(whole))
	if len(got.Steps) != 2 || got.Final() != "ok" || got.Usage.Calls != 1 {
		t.Errorf("whole: %+v", got)
	}

	// A run that goes on appends, behind what a crash left.
	if err := os.WriteFile(path, whole[:len(whole)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	j, err = openJournal(path, h, true)
	if err != nil {
		t.Fatal(err)
	}
	j.write(line{Step: &Step{Number: 2, Status: StepOK}})
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	got, err = LoadHistory(bytes.NewReader(data))
	if err != nil || len(got.Steps) != 3 || got.Steps[2].Number != 2 {
		t.Errorf("appended: %v, %+v", err, got)
	}
}

func TestLoadHistoryRefusesWhatItCannotRead(t *testing.T) {
	for _, text := range []string{"", "  \n", "no json", `{"a":1}`, `[]`, `{"format":"webhand-history","version":99}`, `{"format":"webhand-history"}`, `{"format":"webhand-history","version":1,"steps":5}`} {
		if _, err := LoadHistory(strings.NewReader(text)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestHistoryHelpers(t *testing.T) {
	h := sampleHistory()
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"errors", h.Errors(), []string{"covered", "click: covered"}},
		{"urls", h.URLs(), []string{"about:blank", "https://a.test"}},
		{"names", h.ActionNames(), []string{"navigate", "click"}},
		{"extracted", h.Extracted(), []string{"Opened"}},
		{"screenshots", h.Screenshots(), []string{"screenshots/step_1.png"}},
		{"clicks", len(h.Actions("click")), 1},
		{"answers", len(h.Answers()), 1},
		{"duration", h.Duration(), 3 * time.Second},
		{"overhead", h.Steps[1].Timing.Overhead(), int64(1)},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
	var empty History
	if empty.Final() != "" || empty.Succeeded() || empty.Done() || empty.Task() != "" || len(empty.TaskSteps()) != 0 {
		t.Error("an empty history says something")
	}
}
