package agent

import (
	"encoding/json"
	"strings"
	"testing"
)

func key(name, args string) string { return actionKey(name, json.RawMessage(args), "", "page1") }

func TestActionKeys(t *testing.T) {
	same := [][2][2]string{
		{{"search", `{"query":"Go language, stars!"}`}, {"search", `{"query":"stars go LANGUAGE"}`}},
		{{"input", `{"index":3,"text":" Hello "}`}, {"input", `{"text":"hello","index":3}`}},
		{{"scroll", `{"down":true,"index":null}`}, {"scroll", `{"down":true}`}},
	}
	for _, p := range same {
		if key(p[0][0], p[0][1]) != key(p[1][0], p[1][1]) {
			t.Errorf("%v and %v should count as the same", p[0], p[1])
		}
	}
	other := [][2][2]string{
		{{"search", `{"query":"a","engine":"google"}`}, {"search", `{"query":"a"}`}},
		{{"click", `{"index":3}`}, {"click", `{"index":4}`}},
		{{"click", `{"coordinate_x":1,"coordinate_y":2}`}, {"click", `{"coordinate_x":90,"coordinate_y":2}`}},
		{{"navigate", `{"url":"https://a.test/1"}`}, {"navigate", `{"url":"https://a.test/2"}`}},
		{{"scroll", `{"down":true}`}, {"scroll", `{"down":false}`}},
		{{"input", `{"index":3,"text":"a"}`}, {"click", `{"index":3}`}},
	}
	for _, p := range other {
		if key(p[0][0], p[0][1]) == key(p[1][0], p[1][1]) {
			t.Errorf("%v and %v should differ", p[0], p[1])
		}
	}
	for _, name := range []string{"wait", "done", "go_back"} {
		if key(name, `{}`) != "" {
			t.Errorf("%s counts as repetition", name)
		}
	}
	c := json.RawMessage(`{"index":3}`)
	if actionKey("click", c, "button Save", "page1") == actionKey("click", c, "button Save", "page2") {
		t.Error("the same index on another page is another action")
	}
	if actionKey("click", c, "button Save", "p") != actionKey("click", json.RawMessage(`{"index":9}`), "button Save", "p") {
		t.Error("the same element under another number is the same action")
	}
	if actionKey("navigate", json.RawMessage(`{"url":"https://a.test"}`), "", "p") != actionKey("navigate", json.RawMessage(`{"url":"https://a.test"}`), "", "q") {
		t.Error("going to the same address again is the same from every page")
	}
}

func TestRepetitionThresholds(t *testing.T) {
	s := &stuck{Window: 20}
	words := map[int]string{5: "5 times", 8: "8 times", 12: "It seems not to work"}
	for i := 1; i <= 12; i++ {
		s.did("k")
		s.saw(string(rune('a' + i))) // the page moves: only repetition counts
		got := s.nudge(i)
		if w := words[i]; w != "" && !strings.Contains(got, w) {
			t.Errorf("after %d repeats: %q, want %q in it", i, got, w)
		}
		if i < 5 && got != "" {
			t.Errorf("after %d repeats: %q", i, got)
		}
		if strings.Contains(got, "call done") {
			t.Errorf("a nudge orders to finish: %q", got)
		}
	}
}

func TestNudgesCoolDown(t *testing.T) {
	s := &stuck{Window: 20}
	for range 5 {
		s.did("k")
	}
	var at []int
	for step := 6; step < 16; step++ {
		if s.nudge(step) != "" {
			at = append(at, step)
		}
	}
	if len(at) != 4 || at[0] != 6 || at[1] != 9 {
		t.Errorf("nudged at %v, want every third step from 6", at)
	}
}

func TestWindowSlides(t *testing.T) {
	s := &stuck{Window: 20}
	for range 6 {
		s.did("k")
	}
	for i := range 20 {
		s.did(string(rune('A' + i)))
	}
	if s.repeats() != 1 {
		t.Errorf("%d repeats after 20 other actions", s.repeats())
	}
}

func TestStagnation(t *testing.T) {
	s := &stuck{Window: 20}
	s.saw("p")
	for i := 1; i <= 4; i++ {
		s.did("")
		s.saw("p")
		if got := s.nudge(i); got != "" {
			t.Errorf("after %d unchanged pages: %q", i, got)
		}
	}
	s.did("")
	s.saw("p")
	if got := s.nudge(5); !strings.Contains(got, "has not changed over the last 5 steps") {
		t.Errorf("after 5 unchanged pages: %q", got)
	}
	s.did("")
	s.saw("q")
	if got := s.nudge(6); got != "" {
		t.Errorf("the page moved: %q", got)
	}
}

func TestStagnationNeedsActions(t *testing.T) {
	s := &stuck{Window: 20}
	for range 10 {
		s.saw("p") // a model that fails to answer does not make a page stagnant
	}
	if got := s.nudge(10); got != "" {
		t.Errorf("nudged: %q", got)
	}
}
