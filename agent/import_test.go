package agent

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/tools"
)

func foreign(t testing.TB, name, site string) *History {
	t.Helper()
	b, err := os.ReadFile("testdata/foreign/" + name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := LoadHistory(bytes.NewReader(bytes.ReplaceAll(b, []byte("SITE"), []byte(site))))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestABrowserUseHistoryLoads(t *testing.T) {
	h := foreign(t, "shop.json", "https://shop.test")
	if len(h.Steps) != 3 || h.Final() != "WH-1001" || !h.Succeeded() || !h.Done() {
		t.Fatalf("%d steps, final %q", len(h.Steps), h.Final())
	}
	s := h.Steps[1]
	if s.Answer.NextGoal != "Fill in the form" || s.Answer.PlanUpdate[1] != "send" || s.Page.URL != "https://shop.test/checkout" || len(s.Answer.Actions) != 3 {
		t.Errorf("step 2: %+v", s)
	}
	if len(s.Actions) != 2 || s.NotRun != 1 || s.Actions[1].Result.Error == "" {
		t.Errorf("actions %+v, not run %d", s.Actions, s.NotRun)
	}
	if got := h.Steps[0].Started; got != time.UnixMilli(1764400000250).UTC() || h.Duration() != 6250*time.Millisecond {
		t.Errorf("started %v, took %v", got, h.Duration())
	}
	e := s.Actions[0].elements()["index"]
	if e.Name != "Full name" || e.Path != "html/body/main/div/form/fieldset[1]/div[1]/input" || e.Unique["id"] != "name" || *e.Bounds != [4]int{20, 100, 300, 40} {
		t.Errorf("element %+v", e)
	}
	if strings.Contains(strings.Join(h.Screenshots(), ""), "/tmp") {
		t.Error("an absolute path was kept")
	}
	// What is unknown is kept as it was written, also through our own format.
	var buf bytes.Buffer
	if err := h.Save(&buf); err != nil {
		t.Fatal(err)
	}
	back, err := LoadHistory(&buf)
	if err != nil || string(back.Steps[1].Answer.Actions[2]) != `{"sparkle":{"color":"blue"}}` && !strings.Contains(string(back.Steps[1].Answer.Actions[2]), "sparkle") {
		t.Errorf("back: %v, %v", back, err)
	}
}

func TestOlderNamesMeanTodaysActions(t *testing.T) {
	h := foreign(t, "older.json", "")
	if got := strings.Join(h.ActionNames(), " "); got != "go_to_url input_text" {
		t.Errorf("names %s", got)
	}
	if h.Steps[0].Answer.Memory != "m" || h.Steps[0].Page.Tabs[0].ID != "0" {
		t.Errorf("step %+v", h.Steps[0])
	}
	// A secret it names has to be there before a browser is started.
	if _, err := Replay(t.Context(), h, Config{}); err == nil || !strings.Contains(err.Error(), `secret "x_name"`) {
		t.Errorf("err = %v", err)
	}
	if name, _ := tools.Canonical("go_to_url", nil); name != "navigate" {
		t.Errorf("go_to_url is %s", name)
	}
}

func TestABrowserUseHistoryReplays(t *testing.T) {
	s := newShop(t)
	b := session(t)
	s.fill(t, b)
	h := foreign(t, "shop.json", s.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, err := Replay(ctx, h, Config{Browser: b})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range out.Replay.Actions {
		got = append(got, x.Name+" "+string(x.Status)+" "+x.Level)
	}
	// Its hashes are not ours: the field is found by place and attributes.
	if want := "navigate ok |input ok path|click skipped |done skipped "; strings.Join(got, "|") != want {
		t.Errorf("%q\nwant %q", strings.Join(got, "|"), want)
	}
}

func TestWhatIsNoHistoryIsRefused(t *testing.T) {
	for _, bad := range []string{`{"history":[{"foo":1}]}`, `{"history":{}}`, `[]`, `{"history":[{"state":{"url":3}}]}`} {
		if _, err := LoadHistory(strings.NewReader(bad)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func FuzzForeignHistory(f *testing.F) {
	for _, name := range []string{"shop.json", "older.json"} {
		b, err := os.ReadFile("testdata/foreign/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"format":"webhand-history","version":1,"task":"x","steps":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := LoadHistory(bytes.NewReader(data))
		if err != nil {
			return
		}
		// What loads can be saved, loaded again, and looked at.
		var buf bytes.Buffer
		if err := h.Save(&buf); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadHistory(&buf); err != nil {
			t.Fatalf("saved and not loaded: %v", err)
		}
		FindVariables(h)
		for _, x := range h.Actions() {
			x.elements()
			effectOf(x)
		}
	})
}

func TestUniqueAttributesKeepTheValueOfAChoice(t *testing.T) {
	if got := dom.UniqueAttributes("input", map[string]string{"type": "radio", "name": "way", "value": "express"}); got["value"] != "express" {
		t.Errorf("%v", got)
	}
	if got := dom.UniqueAttributes("input", map[string]string{"type": "text", "name": "q", "value": "typed"}); got["value"] != "" {
		t.Errorf("%v", got)
	}
}
