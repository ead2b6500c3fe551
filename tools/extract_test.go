package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// noModel is there and fails.
type noModel struct{}

func (noModel) Complete(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, errors.New("no model")
}

func (h *hand) withModel(m llm.Client) {
	h.deps = registry.Provide[ExtractionLLM](h.deps, m)
}

func TestExtract(t *testing.T) {
	h := newHand(t)
	m := llmtest.NewScript("The mug costs 12 euros.")
	h.withModel(m)
	h.show(`<h1>Shop</h1><p>A mug for <a href="/mug">12 euros</a></p><div style="height:9000px"></div><p>A plate for 20 euros</p><p hidden>never</p>`)
	r := h.do(`[{"extract":{"query":"What does the mug cost?"}}]`)[0]
	if !strings.Contains(r.Text, "<result>\nThe mug costs 12 euros.") || !strings.Contains(r.Text, h.url) || r.Memory != r.Text {
		t.Errorf("result %+v", r)
	}
	asked := m.Requests()[0].Messages[1].Text()
	for _, w := range []string{"<query>\nWhat does the mug cost?", "A plate for 20 euros", "# Shop"} {
		if !strings.Contains(asked, w) {
			t.Errorf("the model was not told %q:\n%s", w, asked)
		}
	}
	for _, w := range []string{"never", "/mug"} {
		if strings.Contains(asked, w) {
			t.Errorf("the model was told %q:\n%s", w, asked)
		}
	}
	// It is the page as it is now that is read.
	h.eval(`document.querySelector('h1').textContent='Changed'`)
	m.Answers = append(m.Answers, llmtest.Text("ok"), llmtest.Text("ok"), llmtest.Text("ok"))
	h.do(`[{"extract":{"query":"links and images","extract_links":true,"already_collected":["a mug"]}}]`)
	asked = m.Last().Messages[1].Text()
	for _, w := range []string{"# Changed", h.url + "/mug", "<already_collected>\n- a mug"} {
		if !strings.Contains(asked, w) {
			t.Errorf("the model was not told %q:\n%s", w, asked)
		}
	}
	h.fails(`{"extract":{"query":"x","start_from_char":99999}}`, "nothing from 99999")
	h.show(`<title>empty</title>`)
	h.fails(`{"extract":{"query":"x"}}`, "shows no text")
	h.withModel(noModel{})
	h.show(`<p>text</p>`)
	h.fails(`{"extract":{"query":"x"}}`, "no model")
}

func TestExtractOfALongPageSaysHowToGoOn(t *testing.T) {
	h := newHand(t)
	m := &llmtest.Script{Func: func(int, *llm.Request) llmtest.Answer { return llmtest.Text(strings.Repeat("long answer ", 1000)) }}
	h.withModel(m)
	h.show(`<div id=d></div><script>d.innerHTML=Array.from({length:2600},(_,i)=>'<p>Paragraph number '+i+' of a page that has very many of them</p>').join('')</script>`)
	r := h.do(`[{"extract":{"query":"all"}}]`)[0]
	said := effects(r)
	if !strings.Contains(said, "start_from_char=") {
		t.Fatalf("effects %q", said)
	}
	if !r.Once || !strings.Contains(r.Memory, "extracted_content_0.md") {
		t.Errorf("a long answer stays in the history: %q", r.Memory)
	}
	if _, text, err := h.files.Read("extracted_content_0.md"); err != nil || !strings.Contains(text, "long answer") {
		t.Errorf("the file holds %.40q, %v", text, err)
	}
	next := said[strings.Index(said, "start_from_char=")+len("start_from_char="):]
	r = h.do(`[{"extract":{"query":"the rest","start_from_char":` + next + `}}]`)[0]
	if asked := m.Last().Messages[1].Text(); !strings.Contains(asked, "Paragraph number 2599") || strings.Contains(asked, "Paragraph number 5 ") {
		t.Error("the second part is not the rest of the page")
	}
	if strings.Contains(effects(r), "more follows") {
		t.Errorf("effects of the last part: %q", effects(r))
	}
}

// Every keyword of the schema is enforced, with one more try.
func TestExtractWithASchema(t *testing.T) {
	h := newHand(t)
	h.show(`<p>A mug for 12 euros</p>`)
	for _, tc := range []struct {
		schema, good, bad string
		said              string // of the bad answer
	}{
		{`{"type":"object","properties":{"price":{"type":"number","minimum":10}},"required":["price"],"additionalProperties":false}`, `{"price":12}`, `{"price":2}`, "price"},
		{`{"type":"object","properties":{"name":{"type":"string","pattern":"^[A-Z]"}},"required":["name"]}`, `{"name":"Mug"}`, `{"name":"mug"}`, "name"},
		{`{"type":"object","properties":{"kind":{"enum":["cup","mug"]}},"required":["kind"]}`, `{"kind":"mug"}`, `{"kind":"jug"}`, "kind"},
		{`{"type":"object","properties":{"all":{"type":"array","items":{"type":"string"},"minItems":2,"uniqueItems":true}},"required":["all"]}`, `{"all":["a","b"]}`, `{"all":["a","a"]}`, "all"},
		{`{"type":"object","properties":{"when":{"type":"string","format":"date"}},"required":["when"]}`, `{"when":"2031-02-03"}`, `{"when":"soon"}`, "when"},
		{`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1}`, `{"a":1,"b":2}`, ""},
		{`{"type":"object","properties":{"n":{"type":"integer","multipleOf":5,"exclusiveMaximum":20}},"required":["n"]}`, `{"n":15}`, `{"n":20}`, "n"},
		{`{"type":"object","properties":{"x":{"const":7}},"required":["x"]}`, `{"x":7}`, `{"x":8}`, "x"},
		{`{"type":"array","items":{"type":"string","maxLength":3}}`, `{"result":["abc"]}`, `{"result":["abcd"]}`, "result"},
	} {
		m := llmtest.NewScript(tc.bad, tc.good)
		h.withModel(m)
		r := h.do(`[{"extract":{"query":"x","output_schema":` + quote(tc.schema) + `}}]`)[0]
		if len(m.Requests()) != 2 {
			t.Errorf("%s: asked %d times, want twice", tc.schema, len(m.Requests()))
			continue
		}
		if again := m.Last().Messages; !strings.Contains(again[len(again)-1].Text(), tc.said) {
			t.Errorf("%s: the second question does not say what is wrong: %s", tc.schema, again[len(again)-1].Text())
		}
		data, _ := r.Metadata["extraction_result"].(map[string]any)["data"].(json.RawMessage)
		want := tc.good
		if strings.HasPrefix(want, `{"result":`) {
			want = strings.TrimSuffix(strings.TrimPrefix(want, `{"result":`), "}")
		}
		if string(data) != want {
			t.Errorf("%s: data %s, want %s", tc.schema, data, want)
		}
		// Twice wrong is a failure, and says why.
		h.withModel(llmtest.NewScript(tc.bad, tc.bad))
		h.fails(`{"extract":{"query":"x","output_schema":`+quote(tc.schema)+`}}`, "does not have the form", tc.said)
	}
	h.withModel(llmtest.NewScript("{}"))
	h.fails(`{"extract":{"query":"x","output_schema":"{\"type\":"}}`, "not a JSON Schema")
	h.fails(`{"extract":{"query":"x","output_schema":"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"strin\"}}}"}}`, "output_schema")
	// The program's own schema stands in when the call names none.
	m := llmtest.NewScript(`{"price":12}`)
	h.withModel(m)
	h.deps = registry.Provide(h.deps, ExtractionSchema(`{"type":"object","properties":{"price":{"type":"number"}},"required":["price"]}`))
	r := h.do(`[{"extract":{"query":"x"}}]`)[0]
	if !strings.Contains(r.Text, `<structured_result>`) || m.Last().Format == nil {
		t.Errorf("with the program's schema: %+v", r)
	}
}
