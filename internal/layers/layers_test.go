package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/seed-4bdb41d0/webhand"

// allowed lists, for every part of the tree, the parts it may import. A part
// may always import its own sub-packages named here with a slash.
var allowed = map[string][]string{
	"llm":                {"llm/internal"},
	"llm/internal":       {"llm"},
	"llm/openai":         {"llm", "llm/internal"},
	"llm/anthropic":      {"llm", "llm/internal"},
	"llm/gemini":         {"llm", "llm/internal"},
	"llm/providers":      {"llm", "llm/openai", "llm/anthropic", "llm/gemini"},
	"llm/llmtest":        {"llm", "llm/internal"},
	"dom":                {},
	"memory":             {"llm"},
	"memory/":            {"memory", "memory/", "llm", "internal/httpguard", "internal/mcpio", "bench"},
	"internal/schema":    {"llm"},
	"internal/urlmatch":  {},
	"internal/mask":      {},
	"internal/cdpcbor":   {},
	"internal/demosite":  {},
	"internal/layers":    {},
	"internal/httpguard": {},
	"internal/mcpio":     {},
	"registry":           {"llm", "internal/schema", "internal/mask", "internal/urlmatch"},
	"browser":            {"dom", "internal/cdpcbor", "internal/urlmatch"},
	"tools":              {"registry", "browser", "dom", "llm", "internal/schema", "internal/urlmatch"},
	"tools/":             {"tools", "tools/", "registry", "browser", "dom", "llm", "agent", "internal/schema", "internal/httpguard", "internal/mcpio", "bench"},
	"agent":              {"tools", "registry", "browser", "dom", "llm", "memory", "internal/schema", "internal/mask", "internal/urlmatch", "agent/"},
	"agent/":             {"agent", "agent/", "browser", "dom", "llm", "registry", "tools", "internal/schema"},
	"examples/":          {"*"},
	"bench":              {"*"},
	"internal/":          {"*"},
}

// owners lists who may import a third-party module; everything else may not.
var owners = map[string][]string{
	"github.com/chromedp/":                   {"browser", "internal/cdpcbor"},
	"github.com/sashabaranov/go-openai":      {"llm/openai", "memory/"},
	"github.com/anthropics/anthropic-sdk-go": {"llm/anthropic"},
	"google.golang.org/genai":                {"llm/gemini"},
	"github.com/invopop/jsonschema":          {"internal/schema"},
	"github.com/santhosh-tekuri/jsonschema":  {"internal/schema"},
	"github.com/gobwas/glob":                 {"internal/urlmatch"},
	"github.com/modelcontextprotocol/go-sdk": {"tools/", "memory/", "examples/", "internal/mcpio", "bench"},
	"modernc.org/sqlite":                     {"memory/"},
	"github.com/pquerna/otp":                 {"registry", "internal/demosite"},
	"github.com/kaptinlin/jsonrepair":        {"llm", "llm/internal", "tools"},
}

// part maps a package path inside the module to its row in the tables.
func part(rel string) string {
	for rel := rel; rel != "."; rel = path.Dir(rel) {
		if _, ok := allowed[rel]; ok {
			return rel
		}
		if _, ok := allowed[path.Dir(rel)+"/"]; ok {
			return path.Dir(rel) + "/"
		}
	}
	return ""
}

func TestImportGraph(t *testing.T) {
	root := moduleRoot(t)
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if file != root {
				if strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules" {
					return filepath.SkipDir
				}
				// A folder with a go.mod of its own is another module.
				if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil {
					return filepath.SkipDir
				}
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		check(t, filepath.ToSlash(rel), file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, pkg, file string) {
	from := part(pkg)
	if from == "" {
		t.Errorf("package %s has no row in the table of allowed imports: decide what it may import", pkg)
		return
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range f.Imports {
		p, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if rel, ok := strings.CutPrefix(p, module+"/"); ok {
			to := part(rel)
			if to != from && !slices.Contains(allowed[from], to) && !slices.Contains(allowed[from], "*") {
				t.Errorf("%s must not import %s (%s)", pkg, rel, filepath.Base(file))
			}
			continue
		}
		for prefix, who := range owners {
			if strings.HasPrefix(p, prefix) && !slices.Contains(who, from) {
				t.Errorf("%s must not import %s: only %s may (%s)", pkg, p, strings.Join(who, ", "), filepath.Base(file))
			}
		}
	}
}

func moduleRoot(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}
