package export

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/agent"
)

//go:embed runtime/playwright.ts
var playwrightRuntime []byte

// Playwright writes a workflow as a test for Playwright's own runner, in
// TypeScript: the file name.spec.ts. Inputs and secrets come from the
// environment: the input city from CITY. What a program cannot do is an error
// that matches ErrUnsupported, as with [Go].
func Playwright(w *agent.Workflow) (map[string][]byte, error) {
	p := &tsWriter{indent: "  "}
	p.steps(w.Steps)
	if err := errors.Join(p.errs...); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Written from the workflow %s.\n", js(w.Name))
	b.WriteString("import { test, expect, type BrowserContext, type Frame, type Locator, type Page, type Request } from '@playwright/test';\n\n")
	b.WriteString("const values: Record<string, any> = {\n")
	for _, v := range w.Inputs {
		if v.Default != "" || v.Optional {
			fmt.Fprintf(&b, "  %s: process.env.%s ?? %s,\n", v.Name, envName(v.Name), js(v.Default))
		} else {
			fmt.Fprintf(&b, "  %s: required('%s'),\n", v.Name, envName(v.Name))
		}
	}
	b.WriteString("};\n")
	for _, s := range w.Secrets {
		fmt.Fprintf(&b, "required('%s');\n", envName(s))
	}
	b.WriteByte('\n')
	b.Write(playwrightRuntime)
	fmt.Fprintf(&b, "\ntest(%s, async ({ page, context }) => {\n  listen(context);\n  const tabs: Record<string, Page> = { %s: page };\n", js(w.Name), agent.FirstTab)
	b.Write(p.b.Bytes())
	if len(w.Output) > 0 {
		fmt.Fprintf(&b, "  console.log(JSON.stringify(fillAll(%s), null, 2));\n", string(w.Output))
	}
	b.WriteString("});\n")
	return map[string][]byte{moduleName(w.Name) + ".spec.ts": b.Bytes()}, nil
}

// envName is the environment variable of an input or secret.
func envName(name string) string {
	return strings.ToUpper(notWord.ReplaceAllString(strings.ToLower(name), "_"))
}

// js is a text as a JavaScript literal.
func js(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.NewReplacer("\u2028", "\\u2028", "\u2029", "\\u2029").Replace(strings.TrimSpace(b.String()))
}

// tsWriter writes steps as TypeScript statements.
type tsWriter struct {
	b      bytes.Buffer
	n      int
	indent string
	errs   []error
}

func (p *tsWriter) line(format string, args ...any) {
	fmt.Fprintf(&p.b, p.indent+format+"\n", args...)
}

func (p *tsWriter) unsupported(what string) {
	p.errs = append(p.errs, fmt.Errorf("%w: step %d: %s", ErrUnsupported, p.n, what))
}

func (p *tsWriter) block(f func()) {
	p.indent += "  "
	f()
	p.indent = p.indent[2:]
}

func (p *tsWriter) steps(steps []agent.WorkflowStep) {
	for _, s := range steps {
		p.n++
		head := js(fmt.Sprintf("%d. %s", p.n, title(s)))
		switch {
		case s.Do != nil:
			p.line("await step(page, %s, async () => {", head)
			p.block(func() { p.do(s.Do) })
			p.line("});")
		case s.Extract != nil && s.Extract.Selector != "":
			e := s.Extract
			p.line("await step(page, %s, async () => {", head)
			p.block(func() {
				p.line("values.%s = await read(page, %s, %s, %s, %t);", e.As, js(e.Selector), js(e.Attribute), js(e.Pattern), e.All)
			})
			p.line("});")
		case s.If != nil:
			p.line("if (await holds(page, %s)) { // %s", tsCondition(s.If.Condition), strings.Trim(head, `"`))
			p.block(func() { p.steps(s.If.Then) })
			if len(s.If.Else) > 0 {
				p.line("} else {")
				p.block(func() { p.steps(s.If.Else) })
			}
			p.line("}")
		case s.Repeat != nil:
			p.line("for (const [i, item] of list(%s).entries()) { // %s", tsList(s.Repeat.Over), strings.Trim(head, `"`))
			p.block(func() {
				p.line("values.%s = item; values.%s_number = String(i + 1);", s.Repeat.As, s.Repeat.As)
				p.steps(s.Repeat.Steps)
			})
			p.line("}")
		default:
			p.unsupported("it asks a model")
		}
	}
}

func tsList(over json.RawMessage) string {
	var s string
	if json.Unmarshal(over, &s) == nil {
		return "values." + strings.Trim(s, "{}")
	}
	return string(over)
}

func tsCondition(c agent.Condition) string {
	m := map[string]any{}
	for k, v := range map[string]string{"text": c.Text, "gone": c.Gone, "selector": c.Selector} {
		if v != "" {
			m[k] = v
		}
	}
	if c.URL != "" {
		m["path"] = urlPath(c.URL)
	}
	if len(c.Equals) == 2 {
		m["equals"] = c.Equals
	}
	if c.Not {
		m["not"] = true
	}
	if c.Within > 0 {
		m["within"] = int(c.Within * 1000)
	}
	return tsObject(m)
}

func tsObject(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // plain values always encode
	return strings.TrimSpace(b.String())
}

func tsElement(e *agent.Element) string {
	m := map[string]any{}
	for k, v := range map[string]string{"tag": e.Tag, "role": e.Role, "name": e.Name, "frame": e.Frame} {
		if v != "" {
			m[k] = v
		}
	}
	if e.Path != "" && !strings.Contains(e.Path, "//") {
		m["path"] = e.Path
	}
	if len(e.Unique) > 0 {
		m["unique"] = e.Unique
	}
	if e.Twins > 1 {
		m["twins"], m["twin"] = e.Twins, e.Twin
	}
	return tsObject(m)
}

func (p *tsWriter) do(d *agent.DoStep) {
	name, a, err := read(d)
	if err != nil {
		p.unsupported(fmt.Sprintf("the arguments of %s: %v", d.Action, err))
		return
	}
	if d.Element == nil && needsElement(name) {
		p.unsupported(name + " without an element")
		return
	}
	e := ""
	if d.Element != nil {
		e = "(await find(page, " + tsElement(d.Element) + "))"
	}
	switch name {
	case "navigate":
		if a.NewTab {
			p.unsupported("navigate in a new tab")
			return
		}
		p.line("await page.goto(fill(%s));", js(a.URL))
	case "search":
		p.line("await page.goto(fill(%s));", js(searchURL(a)))
	case "click":
		switch {
		case a.Count > 1 || a.Button != "" && a.Button != "left" || len(a.Modifiers) > 4:
			p.unsupported("click with another button, twice, or with keys held")
		case d.NewTab != "":
			p.line("const opened = context.waitForEvent('page');")
			p.line("await %s.click();", e)
			p.line("page = tabs[%s] = await opened;", js(d.NewTab))
		case d.LeadsTo != "":
			p.line("await leaving(page, %s, async () => %s.click());", js(d.LeadsTo), e)
		default:
			p.line("await %s.click();", e)
		}
	case "hover":
		p.line("await %s.hover();", e)
	case "input":
		switch {
		case a.Clear != nil && !*a.Clear:
			p.unsupported("input that appends")
		case strings.HasSuffix(a.Text, "\n"):
			p.line("const field = %s;", e)
			p.line("await field.fill(fill(%s));", js(strings.TrimRight(a.Text, "\n")))
			p.line("await field.press('Enter');")
		default:
			p.line("await %s.fill(fill(%s));", e, js(a.Text))
		}
	case "select_dropdown":
		options := a.Texts
		if a.Text != "" {
			options = append(options, a.Text)
		}
		p.line("await choose(%s, %s.map(fill));", e, tsObject(options))
	case "upload_file":
		p.line("await %s.setInputFiles(fill(%s));", e, js(a.Path))
	case "send_keys":
		if _, ok := goKeys(a.Keys); !ok {
			p.unsupported("send_keys " + js(a.Keys))
			return
		}
		if _, named := keyNames[strings.Fields(a.Keys)[0]]; !named {
			p.line("await page.keyboard.type(fill(%s));", js(a.Keys))
			return
		}
		for _, k := range strings.Fields(a.Keys) {
			p.line("await page.keyboard.press(%s);", js(k))
		}
	case "scroll":
		p.line("await page.evaluate(() => { %s; });", scrollJS(a))
	case "go_back":
		p.line("await page.goBack();")
	case "go_forward":
		p.line("await page.goForward();")
	case "reload":
		p.line("await page.reload();")
	case "switch":
		p.line("page = tabs[%s];", js(a.TabID))
		p.line("await page.bringToFront();")
	case "wait":
		c := agent.Condition{Text: a.Text, Gone: a.Gone, Selector: a.Selector, Within: secondsOf(a)}
		p.line("expect(await holds(page, %s), 'waited in vain').toBe(true);", tsCondition(c))
	default:
		if nothing[name] {
			p.line("// %s only looks", name)
			return
		}
		p.unsupported("the action " + name)
	}
}
