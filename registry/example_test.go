package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

type SaveParams struct {
	Title string `json:"title" jsonschema:"minLength=1" jsonschema_description:"Title of the page, as shown"`
	Likes int    `json:"likes" jsonschema:"minimum=0,default=0" jsonschema_description:"Number of likes, 0 if unknown"`
}

// Cart is a user's own state.
type Cart struct{ titles []string }

// Save is a handler that is a method.
func (c *Cart) Save(_ context.Context, p SaveParams) (string, error) {
	c.titles = append(c.titles, p.Title)
	return fmt.Sprintf("saved %q, %d in all", p.Title, len(c.titles)), nil
}

// show prints what an action did.
func show(res *registry.Result, err error) {
	switch {
	case err != nil:
		fmt.Println("error:", err)
	case res.Error != "":
		fmt.Println("failed:", res.Error)
	default:
		fmt.Println(res.Text)
	}
}

// From a func to a model's choice of it, and its run.
func Example() {
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "save", Description: "Save a page to the list."},
		func(ctx context.Context, p SaveParams, c *Cart) (string, error) { return c.Save(ctx, p) })

	deps := registry.Provide(registry.Deps{}, &Cart{})
	if err := r.Check(deps); err != nil { // before the first token
		fmt.Println(err)
		return
	}
	m := r.Compile(registry.Page{URL: "https://blog.test/"})
	fmt.Print(m.Prompt())

	for _, answer := range []string{
		`{"save":{"title":"Hello","likes":"7"}}`,
		`{"save":{"titel":"Hello","likes":-1}}`,
	} {
		call, err := m.Decode(json.RawMessage(answer))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(call.Name, string(call.Args))
		show(call.Run(context.Background(), deps))
	}
	// Output:
	// save: Save a page to the list.
	//   title: string, not empty. Title of the page, as shown
	//   likes: integer, minimum 0, default 0. Number of likes, 0 if unknown
	// save {"title":"Hello","likes":7}
	// saved "Hello", 1 in all
	// invalid parameters for save: likes must be at least 0, got -1; titel unknown field (did you mean title?); title is required
}

// A handler without params or result.
func ExampleRegistry_Add_noParams() {
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "beep", Description: "Make a sound."},
		func(ctx context.Context) error {
			fmt.Println("beep")
			return nil
		})
	res, err := r.Call(context.Background(), "beep", nil, registry.Deps{})
	fmt.Println(res.Text == "", err)
	// Output:
	// beep
	// true <nil>
}

// Params may be anonymous, and a closure brings its own state.
func ExampleRegistry_Add_closure() {
	saved := 0
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "count", Description: "Count saved pages."},
		func(ctx context.Context, p struct {
			By int `json:"by" jsonschema:"minimum=1,default=1"`
		}) (string, error) {
			saved += p.By
			return fmt.Sprint(saved), nil
		})
	show(r.Call(context.Background(), "count", nil, registry.Deps{}))
	show(r.Call(context.Background(), "count", map[string]int{"by": 4}, registry.Deps{}))
	show(r.Call(context.Background(), "count", map[string]int{"by": 0}, registry.Deps{}))
	// Output:
	// 1
	// 5
	// error: invalid parameters for count: by must be at least 1, got 0
}

// A method is a handler like any func.
func ExampleRegistry_Add_method() {
	c := &Cart{}
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "save", Description: "Save a page to the list."}, c.Save)
	show(r.Call(context.Background(), "save", SaveParams{Title: "a"}, registry.Deps{}))
	// Output: saved "a", 1 in all
}

// Dependencies follow the params in any order, and are injected by type.
func ExampleRegistry_Add_dependencies() {
	type Greeting string
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "greet", Description: "Greet somebody."},
		func(ctx context.Context, p *struct {
			Name string `json:"name"`
		}, w fmt.Stringer, g Greeting) (*registry.Result, error) {
			return &registry.Result{Text: string(g) + " " + p.Name + w.String(), Memory: "greeted"}, nil
		})
	fmt.Println(r.Check(registry.Deps{}))

	deps := registry.Provide(registry.Deps{}, Greeting("Hello"))
	var end strings.Builder
	end.WriteString("!")
	deps = registry.Provide(deps, &end) // a fmt.Stringer
	show(r.Call(context.Background(), "greet", map[string]string{"name": "Ada"}, deps))
	// Output:
	// registry: action "greet" requires fmt.Stringer: dependency not provided, and nothing provided implements it
	// registry: action "greet" requires registry_test.Greeting: dependency not provided
	// Hello Ada!
}

// Small actions need no params struct.
func ExampleArgs() {
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "wait", Description: "Wait some seconds."},
		func(ctx context.Context, seconds int, reason *string) (string, error) {
			return fmt.Sprint("waited ", seconds, ", reason given: ", reason != nil), nil
		},
		registry.Args("seconds", "reason"),
		registry.Default("seconds", 3), registry.Rule("seconds", "minimum=0,maximum=30"),
		registry.Doc("reason", "Why, for the log"))
	show(r.Call(context.Background(), "wait", nil, registry.Deps{}))
	show(r.Call(context.Background(), "wait", map[string]any{"seconds": 5, "reason": "slow page"}, registry.Deps{}))
	a, _ := r.Lookup("wait")
	fmt.Println(string(a.ParamsSchema()))
	// Output:
	// waited 3, reason given: false
	// waited 5, reason given: true
	// {"type":"object","properties":{"seconds":{"type":"integer","minimum":0,"maximum":30,"default":3},"reason":{"type":["string","null"],"description":"Why, for the log"}},"additionalProperties":false}
}

// Func lets the compiler check the handler.
func ExampleFunc() {
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "save", Description: "Save a page to the list."},
		registry.Func(func(ctx context.Context, p SaveParams) (string, error) { return "saved " + p.Title, nil }))
	show(r.Call(context.Background(), "save", SaveParams{Title: "a"}, registry.Deps{}))
	// Output: saved a
}

// Func1 does the same with a dependency.
func ExampleFunc1() {
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "save", Description: "Save a page to the list."},
		registry.Func1(func(ctx context.Context, p SaveParams, c *Cart) (*registry.Result, error) {
			text, err := c.Save(ctx, p)
			return &registry.Result{Text: text}, err
		}))
	show(r.Call(context.Background(), "save", SaveParams{Title: "a"}, registry.Provide(registry.Deps{}, &Cart{})))
	// Output: saved "a", 1 in all
}

// A schema that comes from elsewhere, such as a tool of an MCP server.
func ExampleRegistry_AddRaw() {
	r := registry.New()
	err := r.AddRaw(registry.Spec{Name: "move", Description: "Move a piece."},
		json.RawMessage(`{
			"type": "object",
			"$defs": {"square": {"type": "string", "pattern": "^[a-h][1-8]$"}},
			"properties": {"from": {"$ref": "#/$defs/square"}, "to": {"$ref": "#/$defs/square"}},
			"required": ["from", "to"]
		}`),
		func(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
			return &registry.Result{Text: "sent " + string(args)}, nil
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(r.Call(context.Background(), "move", json.RawMessage(`{"to":"e4","from":"e2"}`), registry.Deps{}))
	show(r.Call(context.Background(), "move", json.RawMessage(`{"to":"e9","from":"e2"}`), registry.Deps{}))
	// Output:
	// sent {"from":"e2","to":"e4"}
	// error: invalid parameters for move: to must match ^[a-h][1-8]$, got "e9"
}

// An action for one site is neither shown nor run elsewhere.
func ExampleSpec_domains() {
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "refund", Description: "Refund an order.", Domains: []string{"https://*.shop.test/admin/*"}},
		func(ctx context.Context) (string, error) { return "refunded", nil })

	fmt.Println(r.Compile(registry.Page{URL: "https://shop.test/admin/orders"}).Names())
	fmt.Println(r.Compile(registry.Page{URL: "https://shop.test/cart"}).Names())

	deps := registry.Provide(registry.Deps{}, registry.Page{URL: "https://shop.test.evil.test/admin/"})
	_, err := r.Call(context.Background(), "refund", nil, deps)
	fmt.Println(errors.Is(err, registry.ErrNotAvailable))
	// Output:
	// [refund]
	// []
	// true
}

// The envelope's fields come first, so that the model thinks before it acts.
func ExampleModel_Schema() {
	r := registry.New()
	r.MaxActions = 3
	r.MustAdd(registry.Spec{Name: "done", Description: "Finish."}, func(ctx context.Context) error { return nil })
	b, err := r.Compile(registry.Page{}).Schema(llm.OpenAIStrict, struct {
		Thinking string `json:"thinking"`
	}{})
	fmt.Println(string(b), err)
	// Output:
	// {"type":"object","properties":{"thinking":{"type":"string"},"action":{"type":"array","description":"What to do next, in this order.","minItems":1,"maxItems":3,"items":{"type":"object","description":"Finish.","properties":{"done":{"type":"object","properties":{},"required":[],"additionalProperties":false}},"required":["done"],"additionalProperties":false}}},"required":["thinking","action"],"additionalProperties":false} <nil>
}

// The value goes into the page and nowhere else.
func ExampleNewSecret() {
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "input", Description: "Type text.", SecretFields: []string{"text"}},
		func(ctx context.Context, p struct {
			Text string `json:"text"`
		}, ph registry.Placeholders) (string, error) {
			return "typed " + ph.Text("text", p.Text), nil
		})
	secrets, err := registry.NewSecrets(registry.NewSecret("password", "correct horse", "https://bank.test"))
	if err != nil {
		fmt.Println(err)
		return
	}
	deps := registry.Provide(registry.Deps{}, secrets)
	args := map[string]string{"text": registry.Placeholder("password")}
	show(r.Call(context.Background(), "input", args, registry.Provide(deps, registry.Page{URL: "https://bank.test/login"})))
	show(r.Call(context.Background(), "input", args, registry.Provide(deps, registry.Page{URL: "https://evil.test/login"})))
	fmt.Println(secrets.Redact("The page shows: correct horse"))
	// Output:
	// typed <secret>password</secret>
	// failed: secret refused: secret "password" may not be used on https://evil.test
	// The page shows: <secret>password</secret>
}
