package agent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
)

func TestWhereARunStarts(t *testing.T) {
	s := session(t)
	run := func(t *testing.T, task string, start Start) (*History, *llm.Request) {
		t.Helper()
		if _, err := s.Navigate(t.Context(), "about:blank"); err != nil {
			t.Fatal(err)
		}
		m := model(answersThenDone())
		h, err := Run(t.Context(), task, Config{LLM: m, Browser: s, Tools: simpleTools(), Vision: Vision{See: SeeNever}, Start: start})
		if err != nil {
			t.Fatal(err)
		}
		return h, m.Requests()[0]
	}
	help := site.URL + "/help"
	h, req := run(t, "What does "+help+" say?", Start{})
	if len(h.Steps) != 2 || h.Steps[0].Number != 0 || h.Steps[0].Actions[0].Name != "navigate" || h.Steps[1].Page.URL != help {
		t.Errorf("an address in the task: %+v", h.Steps[0])
	}
	if !strings.Contains(allText(req), "Step 0 (done before you began)") {
		t.Error("the model is not told how it got there")
	}
	if h, _ = run(t, "What does "+help+" say?", Start{NoURLFromTask: true}); len(h.Steps) != 1 {
		t.Error("the address in the task was opened although that is off")
	}
	if h, _ = run(t, "What is there?", Start{URL: help}); h.Steps[1].Page.URL != help {
		t.Errorf("a start address: %+v", h.Steps[0])
	}
	actions := []json.RawMessage{json.RawMessage(`{"look":{}}`), json.RawMessage(goTo(help))}
	if h, _ = run(t, "What is there?", Start{Actions: actions}); len(h.Steps[0].Actions) != 2 || h.Steps[1].Page.URL != help {
		t.Errorf("first actions: %+v", h.Steps[0])
	}
	// A start that fails is told to the model, who may know better.
	h, req = run(t, "What is there?", Start{URL: "http://127.0.0.1:1/nothing"})
	if h.Steps[0].Status != StepFailed || !strings.Contains(allText(req), "FAILED") || !h.Done() {
		t.Errorf("a start that fails: %+v", h.Steps[0])
	}
	m := model(answersThenDone())
	for _, bad := range []Start{
		{Actions: []json.RawMessage{json.RawMessage(`{"fly":{}}`)}},
		{Actions: []json.RawMessage{json.RawMessage(`{"click":{"index":"x"}}`)}},
		{Actions: actions, URL: help},
	} {
		if _, err := New("task", Config{LLM: m, Tools: simpleTools(), Start: bad}); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

func TestWhatThePromptCarries(t *testing.T) {
	s := session(t)
	m := model(func(n int, _ *llm.Request) string {
		if n < 9 {
			return say(`{"work":{}}`)
		}
		return finished("ok", true)
	})
	_, err := Run(t.Context(), "task", Config{
		LLM: m, Browser: s, Tools: simpleTools(), Vision: Vision{See: SeeNever},
		Start:          Start{URL: site.URL + "/shop"},
		AvailableFiles: []string{"/data/invoice.pdf"},
		Limits:         Limits{PageTokens: 600, HistoryItems: 4},
		Prompt: Prompt{
			Context: "We are in Vienna.", Extend: "Be brief.", Attributes: []string{}, Events: true, NoDate: true,
			SampleImages: []llm.Part{{Text: "This is how a mug looks:"}, {Image: &llm.Image{MIME: "image/png", Data: []byte("x")}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	first, last := m.Requests()[0], m.Last()
	text := allText(first)
	for _, want := range []string{"Background from the user:\nWe are in Vienna.", "Be brief.", "This is how a mug looks:", "/data/invoice.pdf", "<left-out"} {
		if !strings.Contains(text, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	if strings.Contains(text, "Today is") || strings.Contains(lastText(first), "placeholder=") {
		t.Error("the date or an attribute is shown although it is off")
	}
	if n := llm.EstimateText(lastText(first)); n > 1000 {
		t.Errorf("the page takes %d tokens, the budget is 600", n)
	}
	steps := strings.Count(allText(last), "\nStep ")
	if steps > 5 || !strings.Contains(allText(last), "earlier steps are not shown") {
		t.Errorf("%d past steps are shown, the limit is 4", steps)
	}
	images := 0
	for _, msg := range last.Messages {
		for _, p := range msg.Parts {
			if p.Image != nil {
				images++
			}
		}
	}
	if images != 1 {
		t.Errorf("%d pictures; the sample has one", images)
	}
}

// A captcha is told to the model for as long as the page shows it: nothing here
// tries to answer one, and a model that does not know tries for ever.
func TestCaptchaIsToldToTheModel(t *testing.T) {
	startChrome(t)
	// A proxy that is every site there is.
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.Host == "geo.captcha-delivery.com":
			fmt.Fprint(w, `<p>Slide right to complete the puzzle.</p>`)
		case r.URL.Path == "/free":
			fmt.Fprint(w, `<p>welcome</p>`)
		default:
			fmt.Fprint(w, `<p>Please wait</p><iframe src="http://geo.captcha-delivery.com/captcha/?initialCid=x"></iframe>`)
		}
	}))
	defer web.Close()
	s, err := chrome.NewSession(t.Context(), browser.Config{Proxy: browser.Proxy{Server: web.URL}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := model(answersThenDone(say(goTo("http://shop.test/")), say(`{"work":{}}`), say(goTo("http://shop.test/free"))))
	if _, err := Run(t.Context(), "Buy a mug", Config{LLM: m, Browser: s, Tools: simpleTools(), Vision: Vision{See: SeeNever}}); err != nil {
		t.Fatal(err)
	}
	var got []bool
	for _, req := range m.Requests() {
		got = append(got, strings.Contains(lastText(req), "captcha (DataDome)"))
	}
	if want := []bool{false, true, true, false}; !slices.Equal(got, want) {
		t.Errorf("the captcha is told in calls %v, want %v", got, want)
	}
}
