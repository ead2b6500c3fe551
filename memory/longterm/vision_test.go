package longterm_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

const dot = "data:image/png;base64,iVBORw0KGgo="

func TestImages(t *testing.T) {
	withText := []longterm.Message{{Role: "user", Parts: []longterm.Part{{Text: "my cat"}, {ImageURL: dot, Detail: "low"}}}}
	alone := []longterm.Message{{Role: "user", Parts: []longterm.Part{{ImageURL: dot}}}, {Role: "user", Content: "hello"}}
	verbatim := longterm.AddOptions{Scope: anna, NoInfer: true}

	t.Run("without vision the text stays", func(t *testing.T) {
		m := open(t, longterm.Config{})
		res, err := m.Add(ctx, withText, verbatim)
		if err != nil || !slices.Equal(events(res.Results), []string{"ADD my cat"}) || len(res.Warnings) != 1 {
			t.Errorf("%q, %v, warnings %q", events(res.Results), err, res.Warnings)
		}
		res, err = m.Add(ctx, alone, verbatim)
		if err != nil || !slices.Equal(events(res.Results), []string{"ADD hello"}) {
			t.Errorf("%q, %v", events(res.Results), err)
		}
	})
	t.Run("with vision a description takes the place of the message", func(t *testing.T) {
		script := llmtest.NewScript("A grey cat on a sofa.")
		m := open(t, longterm.Config{LLM: script, Vision: true})
		res, err := m.Add(ctx, withText, verbatim)
		if err != nil || !slices.Equal(events(res.Results), []string{"ADD A grey cat on a sofa."}) {
			t.Errorf("%q, %v", events(res.Results), err)
		}
		parts := script.Last().Messages[0].Parts
		if len(parts) != 3 || parts[1].Text != "my cat" || parts[2].Image == nil || parts[2].Image.MIME != "image/png" || parts[2].Image.Detail != llm.DetailLow {
			t.Errorf("the model saw %+v", parts)
		}
	})
	t.Run("nothing is downloaded", func(t *testing.T) {
		m := open(t, longterm.Config{LLM: llmtest.NewScript(), Vision: true})
		_, err := m.Add(ctx, []longterm.Message{{Role: "user", Parts: []longterm.Part{{ImageURL: "http://169.254.169.254/x.png"}}}}, verbatim)
		if !errors.Is(err, longterm.ErrVision) || !strings.Contains(err.Error(), "data URL") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a describer of one's own gets the address", func(t *testing.T) {
		m := open(t, longterm.Config{Vision: true, Describe: func(_ context.Context, msg longterm.Message) (string, error) {
			return "seen " + msg.Parts[0].ImageURL, nil
		}})
		res, err := m.Add(ctx, []longterm.Message{{Role: "user", Parts: []longterm.Part{{ImageURL: "http://img.test/x.png"}}}}, verbatim)
		if err != nil || res.Results[0].Memory != "seen http://img.test/x.png" {
			t.Errorf("%+v, %v", res, err)
		}
	})
	t.Run("a model that fails", func(t *testing.T) {
		m := open(t, longterm.Config{LLM: llmtest.NewScript(" "), Vision: true})
		if _, err := m.Add(ctx, withText, verbatim); !errors.Is(err, longterm.ErrVision) {
			t.Errorf("got %v", err)
		}
	})
	for name, url := range map[string]string{
		"broken base64": "data:image/png;base64,@@@", "no comma": "data:image/png", "not an image": "data:text/html,<b>", "a file": "file:///etc/passwd",
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, longterm.Config{LLM: llmtest.NewScript("x"), Vision: true})
			if _, err := m.Add(ctx, []longterm.Message{{Role: "user", Parts: []longterm.Part{{ImageURL: url}}}}, verbatim); !errors.Is(err, longterm.ErrVision) {
				t.Errorf("got %v, want ErrVision", err)
			}
		})
	}
}

func TestParseMessages(t *testing.T) {
	for in, want := range map[string]string{
		`"hello"`:                         `[{"role":"user","content":"hello"}]`,
		`{"role":"user","content":"hi"}`:  `[{"role":"user","content":"hi"}]`,
		`[{"role":"user","content":"a"}]`: `[{"role":"user","content":"a"}]`,
		`[{"role":"user","content":{"type":"image_url","image_url":{"url":"data:,x"}}}]`:               `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,x"}}]}]`,
		`[{"role":"user","name":"bob","content":[{"type":"text","text":"t"},{"type":"input_audio"}]}]`: `[{"role":"user","name":"bob","content":[{"type":"text","text":"t"}]}]`,
		`[{"role":"assistant","content":null,"tool_calls":[]}]`:                                        `[{"role":"assistant","content":""}]`,
		`[]`: `[]`,
	} {
		ms, err := longterm.ParseMessages([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got, _ := json.Marshal(ms); string(got) != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{``, `null`, `7`, `true`, `[1]`, `["a"]`, `{"role":1}`, `{"role":"user","content":7}`,
		`{"role":"user","content":[{"type":"image_url"}]}`, `{"role":"user","content":[{"text":"no type"}]}`, `[{"role":"user"`} {
		if _, err := longterm.ParseMessages([]byte(in)); !errors.Is(err, longterm.ErrInvalidMessages) {
			t.Errorf("%s: %v, want ErrInvalidMessages", in, err)
		}
	}
}

func FuzzParseMessages(f *testing.F) {
	for _, s := range []string{`"x"`, `[{"role":"user","content":[{"type":"text","text":"a"}]}]`, `{"role":"user","content":{"type":"image_url","image_url":{"url":"x"}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		ms, err := longterm.ParseMessages(b)
		if err != nil {
			return
		}
		out, err := json.Marshal(ms)
		if err != nil {
			t.Fatal(err)
		}
		again, err := longterm.ParseMessages(out)
		if err != nil || len(again) != len(ms) {
			t.Fatalf("%s does not read back: %v", out, err)
		}
	})
}

func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":{"in":["x"]},"OR":[{"b":"*"},{"NOT":[{"c":{"gte":2,"lt":5}}]}]}`, `{"AND":[{"AND":[{"a":null}]}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var obj map[string]any
		if json.Unmarshal(b, &obj) != nil {
			return
		}
		_, rest := longterm.SplitScope(obj)
		filter, err := longterm.ParseFilter(rest)
		if err != nil {
			if !errors.Is(err, longterm.ErrInvalidFilter) {
				t.Fatalf("%s: %v", b, err)
			}
			return
		}
		filter.Match(&longterm.Record{ID: "x", Text: "text", Metadata: map[string]any{"a": 1.0}})
	})
}
