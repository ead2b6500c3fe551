package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

func parse(t testing.TB, doc string) *Workflow {
	t.Helper()
	w, err := ParseWorkflow(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func quickly(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// byHand orders products, chosen by what is given, without a model.
const byHand = `{
  "format": "webhand-workflow", "version": 1, "name": "Order things",
  "description": "Order products in the shop.",
  "inputs": [
    {"name": "site", "type": "url"},
    {"name": "products", "type": "list"},
    {"name": "email", "type": "email"},
    {"name": "city", "default": "1010 Vienna"}
  ],
  "steps": [
    {"repeat": {"over": "{{products}}", "as": "product", "steps": [
      {"name": "Open the product", "do": {"action": "navigate", "args": {"url": "{{site}}/product/{{product}}"}}},
      {"if": {"text": "Sold out", "then": [{"extract": {"as": "sold_out", "selector": "h1"}}], "else": [
        {"do": {"action": "click", "element": {"role": "button", "name": "Add to cart", "unique": {"name": ""}, "within": ["form Colour"]}}}
      ]}}
    ]}},
    {"do": {"action": "navigate", "args": {"url": "{{site}}/checkout"}}},
    {"do": {"action": "input", "args": {"text": "Ada Lovelace"}, "element": {"unique": {"id": "name"}}}},
    {"do": {"action": "input", "args": {"text": "{{email}}"}, "element": {"role": "textbox", "name": "Email"}}},
    {"do": {"action": "input", "args": {"text": "12 St James's Square"}, "element": {"unique": {"name": "address"}}}},
    {"do": {"action": "input", "args": {"text": "{{city}}"}, "element": {"unique": {"name": "city"}}}},
    {"do": {"action": "select_dropdown", "args": {"text": "Austria"}, "element": {"unique": {"name": "country"}}}},
    {"do": {"action": "input", "args": {"text": "2026-12-02"}, "element": {"unique": {"name": "delivery"}}}},
    {"do": {"action": "click", "element": {"unique": {"id": "terms"}}}},
    {"name": "Place the order", "do": {"action": "click", "element": {"role": "button", "name": "Place order"}, "leads_to": "/order/WH-1001"}},
    {"extract": {"as": "number", "selector": "#order-number"}},
    {"extract": {"as": "total", "selector": "#order-total", "pattern": "([0-9.]+)"}},
    {"extract": {"as": "lines", "selector": "tbody th", "all": true}}
  ],
  "output": {"order": "{{number}}", "total": "{{total}}", "lines": "{{lines}}", "to": "{{email}} in {{city}}"}
}`

func TestAWorkflowByHandRunsWithoutAModel(t *testing.T) {
	s := newShop(t)
	w := parse(t, byHand)
	h, err := RunWorkflow(quickly(t), w, map[string]any{
		"site": s.URL, "products": []string{"fjord-enamel-mug", "two-cup-teapot", "porridge-bowl"}, "email": "ada@example.com",
	}, Config{Browser: session(t)})
	if err != nil {
		t.Fatalf("%v\n%+v", err, h.Replay.Actions)
	}
	orders := s.site.Orders()
	if len(orders) != 1 || len(orders[0].Lines) != 2 || orders[0].Email != "ada@example.com" {
		t.Fatalf("orders: %+v", orders)
	}
	var out struct {
		Order, Total, To string
		Lines            []string
	}
	if err := json.Unmarshal(h.Outcome().Data, &out); err != nil || out.Order != orders[0].Number || len(out.Lines) != 2 || out.To != "ada@example.com in 1010 Vienna" {
		t.Errorf("data %s, %v", h.Outcome().Data, err)
	}
	if !h.Succeeded() || h.Usage.Calls != 0 || h.Replay.Result != ReplayComplete {
		t.Errorf("succeeded %v, %d calls, %s", h.Succeeded(), h.Usage.Calls, h.Replay.Result)
	}
	// What was written reads back the same.
	var first, second bytes.Buffer
	if err := w.Save(&first); err != nil {
		t.Fatal(err)
	}
	if err := parse(t, first.String()).Save(&second); err != nil || first.String() != second.String() {
		t.Errorf("a round trip changes the document: %v\n%s\n%s", err, first.String(), second.String())
	}
}

func TestAHistoryBecomesAWorkflow(t *testing.T) {
	s := newShop(t)
	rec := recordCheckout(t, s)
	p, err := rec.Parameterize(Variable{Name: "email", Type: TypeEmail, Sample: "ada@example.com"}, Variable{Name: "country", Sample: "Austria"})
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Workflow("Check out")
	if err != nil {
		t.Fatal(err)
	}
	var doc bytes.Buffer
	if err := w.Save(&doc); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(doc.String(), "ada@example.com") {
		t.Error("a recorded value is in the workflow")
	}
	w = parse(t, doc.String())
	b := session(t)
	s.fill(t, b)
	h, err := RunWorkflow(quickly(t), w, map[string]any{"email": "grace@example.org", "country": "Norway"}, Config{Browser: b})
	if err != nil {
		t.Fatalf("%v\n%s", err, doc.String())
	}
	o := s.site.Orders()
	if last := o[len(o)-1]; len(o) != 2 || last.Email != "grace@example.org" || last.Country != "Norway" {
		t.Errorf("orders %+v", o)
	}
	for _, x := range h.Replay.Actions {
		if x.Element != "" && x.Level != "exact" {
			t.Errorf("%s %s by %s", x.Name, x.Element, x.Level)
		}
	}
}

func TestAModelDoesWhatAWorkflowLeavesOpen(t *testing.T) {
	s := newShop(t)
	calls := 0
	m := &llmtest.Script{Func: func(n int, req *llm.Request) llmtest.Answer {
		calls++
		if strings.Contains(allText(req), "the opening hours") {
			return llmtest.Text(`{"hours":"none"}`)
		}
		if n == 0 {
			return llmtest.Text(say(click(index(req, "Offers"))))
		}
		return llmtest.Text(finished("There are offers.", true))
	}}
	w := parse(t, `{"format":"webhand-workflow","version":1,"name":"Offers","inputs":[{"name":"site"}],"steps":[
		{"do":{"action":"navigate","args":{"url":"{{site}}/shop"}}},
		{"model":{"goal":"Go to the offers of {{site}}","max_steps":4,"as":"said"}},
		{"if":{"url":"http://127.0.0.1/offers","within":2,"then":[{"extract":{"as":"found","goal":"the opening hours","schema":{"type":"object","properties":{"hours":{"type":"string"}},"required":["hours"],"additionalProperties":false}}}]}}
	]}`)
	h, err := RunWorkflow(quickly(t), w, map[string]any{"site": s.URL}, Config{Browser: session(t), LLM: m, Vision: Vision{See: SeeNever}})
	if err != nil {
		t.Fatalf("%v: %+v", err, h.Replay)
	}
	if calls != 3 || h.Usage.Calls != 3 {
		t.Errorf("%d calls, %d counted", calls, h.Usage.Calls)
	}
	if got := string(h.Outcome().Data); !strings.Contains(got, `"said":"There are offers."`) || !strings.Contains(got, `"hours":"none"`) {
		t.Errorf("data %s", got)
	}
	for i, st := range h.Steps {
		if st.Number != i+1 {
			t.Errorf("step %d has the number %d", i+1, st.Number)
		}
	}
}

func TestAWorkflowIsAnActionOfAnotherAgent(t *testing.T) {
	s := newShop(t)
	w := parse(t, `{"format":"webhand-workflow","version":1,"name":"Price of a product","description":"Look up a price in the shop.","inputs":[{"name":"slug","description":"the product"}],"steps":[
		{"do":{"action":"navigate","args":{"url":"`+s.URL+`/product/{{slug}}"}}},{"extract":{"as":"price","selector":".big.price"}}],"output":"{{price}}"}`)
	b := session(t)
	r := tools.Only("done")
	if err := AddWorkflow(r, w, Config{Browser: b}); err != nil {
		t.Fatal(err)
	}
	m := model(func(n int, req *llm.Request) string {
		if n == 0 {
			return say(`{"price_of_a_product":{"slug":"fjord-enamel-mug"}}`)
		}
		if !strings.Contains(allText(req), "€14.50") {
			t.Errorf("the model is not told the price:\n%s", allText(req))
		}
		return finished("14.50", true)
	})
	h, err := Run(quickly(t), "What does the mug cost?", Config{LLM: m, Tools: r, Browser: b, Vision: Vision{See: SeeNever}})
	if err != nil || h.Final() != "14.50" {
		t.Fatalf("%q, %v", h.Final(), err)
	}
	if _, err := r.Call(t.Context(), "price_of_a_product", map[string]any{"sku": "x"}, registry.Deps{}); err == nil {
		t.Error("an unknown input was taken")
	}
}

func TestWhatIsWrongWithAWorkflowIsNamed(t *testing.T) {
	doc := func(steps string) string {
		return `{"format":"webhand-workflow","version":1,"name":"x","inputs":[{"name":"a"}],"steps":[` + steps + `]}`
	}
	for _, tt := range []struct{ doc, want string }{
		{`{`, "not JSON"},
		{`{"format":"other","version":1,"name":"x","steps":[{"do":{"action":"wait"}}]}`, "format"},
		{`{"format":"webhand-workflow","version":2,"name":"x","steps":[{"do":{"action":"wait"}}]}`, "version"},
		{doc(``), "steps"},
		{doc(`{"dance":{}}`), "dance"},
		{doc(`{"do":{"action":"wait"},"model":{"goal":"x"}}`), "steps[0]"},
		{doc(`{"do":{"action":"wait","pace":1}}`), "pace"},
		{doc(`{"do":{"action":"input","args":{"text":"{{b}}"}}}`), "{{b}} stands for nothing"},
		{doc(`{"extract":{"as":"x","goal":"y","selector":"z"}}`), "either goal or selector"},
		{doc(`{"extract":{"as":"x","selector":"z","pattern":"("}}`), "pattern"},
		{doc(`{"repeat":{"over":[1],"as":"i","steps":[{"do":{"action":"input","args":{"text":"{{j}}"}}}]}}`), "repeat.steps[0].do"},
		{doc(`{"do":{"action":"done"}}`), "done is for models"},
		{doc(`{"do":{"action":"switch","args":{"tab_id":"B"}}},{"do":{"action":"click","new_tab":"B"}}`), `steps[0].do: no step before opens the tab "B"`},
	} {
		_, err := ParseWorkflow(strings.NewReader(tt.doc))
		if !errors.Is(err, ErrWorkflow) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.doc, err, tt.want)
		}
	}
	noChrome := Config{BrowserConfig: browser.Config{ExecPath: "/does/not/exist"}}
	w := parse(t, doc(`{"if":{"text":"{{a}}","then":[{"model":{"goal":"x"}},{"do":{"action":"dance"}}]}}`))
	_, err := RunWorkflow(t.Context(), w, map[string]any{"b": 1}, noChrome)
	if !errors.Is(err, ErrVariable) || !strings.Contains(err.Error(), `"a" has no value`) || !strings.Contains(err.Error(), `"b" is no input`) {
		t.Errorf("inputs: %v", err)
	}
	_, err = RunWorkflow(t.Context(), w, map[string]any{"a": "x"}, noChrome)
	if !errors.Is(err, ErrNoLLM) || !errors.Is(err, registry.ErrUnknownAction) || !strings.Contains(err.Error(), "steps[0].then[1]") {
		t.Errorf("steps: %v", err)
	}
	_, err = RunWorkflow(t.Context(), parse(t, doc(`{"do":{"action":"wait","args":{"text":"{{a}}"}}}`)), map[string]any{"a": []string{"x"}}, noChrome)
	if !errors.Is(err, ErrVariable) {
		t.Errorf("a list for a text: %v", err)
	}
}

func TestReplaySignsInWithSecretsThatItIsGiven(t *testing.T) {
	s := newShop(t)
	secrets := []registry.Secret{
		registry.NewSecret("shop_user", demosite.User), registry.NewSecret("shop_password", demosite.Password), registry.NewTOTP("shop_code", demosite.OTPAuth),
	}
	rec, err := Run(quickly(t), "Sign in", Config{
		Browser: session(t), Secrets: secrets, Vision: Vision{See: SeeNever},
		Start: Start{URL: s.URL + "/login"},
		LLM: script(func(req *llm.Request) []string {
			return []string{input(index(req, "name"), "<secret>shop_user</secret>"), input(index(req, "assword"), "<secret>shop_password</secret>"), click(index(req, "button>Continue"))}
		}, func(req *llm.Request) []string {
			return []string{input(index(req, "ode"), "<secret>shop_code</secret>"), click(index(req, "button>Sign in"))}
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	var saved bytes.Buffer
	if err := rec.Save(&saved); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(saved.String(), demosite.Password) {
		t.Fatal("the password is in the history")
	}
	b := session(t)
	h, err := Replay(quickly(t), rec, Config{Browser: b, Secrets: secrets})
	if err != nil {
		t.Fatalf("%v: %v", err, rec.Errors())
	}
	if _, err := b.Navigate(t.Context(), s.URL+"/account"); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(currentURL(b), "/account") {
		t.Errorf("not signed in: %s; %+v", currentURL(b), h.Replay.Actions)
	}
}
