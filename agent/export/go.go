package export

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4bdb41d0/webhand/agent"
)

// Versions that the Go program is written for.
const (
	goVersion       = "1.26"
	chromedpVersion = "v0.23.1"
	cdprotoVersion  = "v0.160.1"
)

//go:embed runtime/runtime.go.txt
var goRuntime []byte

//go:embed runtime/find.js
var findJS []byte

// Go writes a workflow as a Go program on chromedp: the files main.go (the
// steps), browser.go and find.js (what they do), and go.mod. Its inputs are
// flags, a list as JSON; a secret called shop-pw is read from SHOP_PW. It prints
// what the workflow gives as JSON, and ends with status 1 and the number of the
// step when one fails.
//
// Steps that ask a model, and actions that have no counterpart, are an error
// that matches ErrUnsupported and names them all. Frames of another site cannot
// be entered by the program; it says so when it runs.
func Go(w *agent.Workflow) (map[string][]byte, error) {
	g := &goWriter{}
	g.steps(w.Steps)
	if err := errors.Join(g.errs...); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	goHead(&b, w)
	b.Write(g.b.Bytes())
	fmt.Fprintf(&b, "\treturn s.err\n}\n")
	src, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("export: the program does not parse: %w\n%s", err, b.String())
	}
	mod := fmt.Sprintf("module %s\n\ngo %s\n\nrequire (\n\tgithub.com/chromedp/cdproto %s\n\tgithub.com/chromedp/chromedp %s\n)\n",
		moduleName(w.Name), goVersion, cdprotoVersion, chromedpVersion)
	return map[string][]byte{"main.go": src, "browser.go": goRuntime, "find.js": findJS, "go.mod": []byte(mod)}, nil
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

func moduleName(name string) string {
	s := strings.Trim(notWord.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return "workflow" + s
	}
	return s
}

// goHead writes everything before the steps.
func goHead(b *bytes.Buffer, w *agent.Workflow) {
	fmt.Fprintf(b, "// Command %s was written from the workflow %s.\n", moduleName(w.Name), strconv.Quote(w.Name))
	for _, l := range strings.Split(w.Description, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			fmt.Fprintf(b, "//\n// %s\n", l)
		}
	}
	b.WriteString("package main\n\nimport (\n\t\"encoding/json\"\n\t\"flag\"\n\t\"fmt\"\n\t\"os\"\n\t\"time\"\n)\n\nfunc main() {\n")
	fmt.Fprintf(b, "\theadful := flag.Bool(\"headful\", false, \"show the browser\")\n")
	fmt.Fprintf(b, "\tchrome := flag.String(\"chrome\", \"\", \"path of Chrome\")\n")
	fmt.Fprintf(b, "\twait := flag.Duration(\"wait\", 10*time.Second, \"how long to wait for an element\")\n\tin := map[string]*string{}\n")
	for _, v := range w.Inputs {
		about := v.Description
		if v.Type != "" {
			about = strings.TrimSpace(about + " (" + string(v.Type) + ")")
		}
		fmt.Fprintf(b, "\tin[%q] = flag.String(%q, %q, %q)\n", v.Name, v.Name, v.Default, about)
	}
	b.WriteString("\tflag.Parse()\n")
	var required []string
	for _, v := range w.Inputs {
		if v.Default == "" && !v.Optional {
			required = append(required, v.Name)
		}
	}
	if len(required) > 0 {
		fmt.Fprintf(b, "\tfor _, name := range %#v {\n\t\tif *in[name] == \"\" {\n\t\t\tfmt.Fprintf(os.Stderr, \"the flag -%%s is required\\n\", name)\n\t\t\tos.Exit(2)\n\t\t}\n\t}\n", required)
	}
	if len(w.Secrets) > 0 {
		fmt.Fprintf(b, "\tfor _, name := range %#v {\n\t\tif os.Getenv(secretVariable(name)) == \"\" {\n\t\t\tfmt.Fprintf(os.Stderr, \"the environment variable %%s is required\\n\", secretVariable(name))\n\t\t\tos.Exit(2)\n\t\t}\n\t}\n", w.Secrets)
	}
	b.WriteString(`	s, end, err := start(*headful, *chrome, *wait)
	if err == nil {
		for name, v := range in {
			s.values[name] = *v
		}
		err = run(s)
		end()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
`)
	if len(w.Output) > 0 {
		fmt.Fprintf(b, "\tfmt.Println(string(output(s, %q)))\n}\n", string(w.Output))
		b.WriteString(goOutput)
	} else {
		b.WriteString("\tfor name := range in {\n\t\tdelete(s.values, name)\n\t}\n\tout, _ := json.MarshalIndent(s.values, \"\", \"  \")\n\tfmt.Println(string(out))\n}\n")
	}
	b.WriteString("\nfunc run(s *session) error {\n")
}

const goOutput = `
// output puts the values into what the workflow gives.
func output(s *session, template string) []byte {
	var v any
	if err := json.Unmarshal([]byte(template), &v); err != nil {
		return []byte(template)
	}
	var walk func(any) any
	walk = func(v any) any {
		switch x := v.(type) {
		case string:
			if m := placeholder.FindStringSubmatch(x); m != nil && m[0] == x {
				if kept, ok := s.values[m[1]]; ok {
					return kept
				}
			}
			return s.fill(x)
		case []any:
			for i := range x {
				x[i] = walk(x[i])
			}
		case map[string]any:
			for k := range x {
				x[k] = walk(x[k])
			}
		}
		return v
	}
	out, _ := json.MarshalIndent(walk(v), "", "  ")
	return out
}
`

// goWriter writes steps as Go statements.
type goWriter struct {
	b    bytes.Buffer
	n    int
	errs []error
}

func (g *goWriter) line(format string, args ...any) { fmt.Fprintf(&g.b, "\t"+format+"\n", args...) }

func (g *goWriter) unsupported(what string) {
	g.errs = append(g.errs, fmt.Errorf("%w: step %d: %s", ErrUnsupported, g.n, what))
}

func (g *goWriter) steps(steps []agent.WorkflowStep) {
	for _, s := range steps {
		g.n++
		switch {
		case s.Do != nil:
			g.line("s.step(%d, %q)", g.n, title(s))
			g.do(s.Do)
		case s.Extract != nil && s.Extract.Selector != "":
			g.line("s.step(%d, %q)", g.n, title(s))
			e := s.Extract
			g.line("s.read(%q, %q, %q, %q, %t)", e.As, e.Selector, e.Attribute, e.Pattern, e.All)
		case s.If != nil:
			g.line("s.step(%d, %q)", g.n, title(s))
			g.line("if s.holds(%s, %s) {", goCondition(s.If.Condition), seconds(s.If.Within))
			g.steps(s.If.Then)
			if len(s.If.Else) > 0 {
				g.line("} else if s.err == nil {")
				g.steps(s.If.Else)
			}
			g.line("}")
		case s.Repeat != nil:
			g.line("s.step(%d, %q)", g.n, title(s))
			g.line("for i, item := range s.list(%s) {", goList(s.Repeat.Over))
			g.line("s.values[%q], s.values[%q] = item, fmt.Sprint(i+1)", s.Repeat.As, s.Repeat.As+"_number")
			g.steps(s.Repeat.Steps)
			g.line("}")
		default:
			g.unsupported("it asks a model")
		}
	}
}

// title says what a step does.
func title(s agent.WorkflowStep) string {
	what := s.Name
	switch {
	case what != "":
	case s.Do != nil:
		what = s.Do.Action
		if e := s.Do.Element; e != nil && e.Name != "" {
			what += " " + strconv.Quote(e.Name)
		}
	case s.Extract != nil:
		what = "read " + s.Extract.As
	case s.If != nil:
		what = "look what the page is"
	case s.Repeat != nil:
		what = "once for each " + s.Repeat.As
	}
	return what
}

func goList(over json.RawMessage) string {
	var s string
	if json.Unmarshal(over, &s) == nil {
		return fmt.Sprintf("s.values[%q]", strings.Trim(s, "{}"))
	}
	return strconv.Quote(string(over))
}

func goCondition(c agent.Condition) string {
	var parts []string
	add := func(name, v string) {
		if v != "" {
			parts = append(parts, fmt.Sprintf("%s: %q", name, v))
		}
	}
	add("Text", c.Text)
	add("Gone", c.Gone)
	add("Selector", c.Selector)
	if c.URL != "" {
		add("Path", urlPath(c.URL))
	}
	if len(c.Equals) == 2 {
		parts = append(parts, fmt.Sprintf("Equals: [2]string{%q, %q}", c.Equals[0], c.Equals[1]))
	}
	if c.Not {
		parts = append(parts, "Not: true")
	}
	return "condition{" + strings.Join(parts, ", ") + "}"
}

// urlPath is the path of a URL pattern, up to its first wildcard.
func urlPath(pattern string) string {
	if _, rest, ok := strings.Cut(pattern, "://"); ok {
		pattern = rest
	}
	_, p, ok := strings.Cut(pattern, "/")
	if !ok {
		return ""
	}
	p, _, _ = strings.Cut(p, "*")
	return "/" + p
}

func seconds(f float64) string { return fmt.Sprintf("%d*time.Millisecond", int(f*1000)) }

func goElement(e *agent.Element) string {
	if e == nil {
		return "element{}"
	}
	var parts []string
	for _, f := range []struct{ name, v string }{{"Tag", e.Tag}, {"Role", e.Role}, {"Name", e.Name}, {"Path", e.Path}, {"Frame", e.Frame}} {
		if f.v != "" {
			parts = append(parts, fmt.Sprintf("%s: %q", f.name, f.v))
		}
	}
	if len(e.Unique) > 0 {
		keys := make([]string, 0, len(e.Unique))
		for k := range e.Unique {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		var kv []string
		for _, k := range keys {
			kv = append(kv, fmt.Sprintf("%q: %q", k, e.Unique[k]))
		}
		parts = append(parts, "Unique: map[string]string{"+strings.Join(kv, ", ")+"}")
	}
	if e.Twins > 1 {
		parts = append(parts, fmt.Sprintf("Twins: %d, Twin: %d", e.Twins, e.Twin))
	}
	return "element{" + strings.Join(parts, ", ") + "}"
}
