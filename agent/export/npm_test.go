//go:build npm

package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/browser"
)

// spec is a written Playwright test in a folder of its own, beside what
// "make playwright" installed.
type spec struct{ dir string }

func newSpec(t *testing.T, w *agent.Workflow) spec {
	t.Helper()
	files, err := Playwright(w)
	if err != nil {
		t.Fatal(err)
	}
	chrome, err := browser.FindChrome()
	if err != nil {
		t.Fatal(err)
	}
	path, err := json.Marshal(chrome)
	if err != nil {
		t.Fatal(err)
	}
	files["playwright.config.ts"] = fmt.Appendf(nil, `import { defineConfig } from '@playwright/test';
export default defineConfig({ timeout: 60_000, reporter: 'line', use: { launchOptions: { executablePath: %s, chromiumSandbox: false } } });
`, path)
	files["tsconfig.json"] = []byte(`{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "lib": ["es2022", "dom"], "types": ["node"]}}`)
	s := spec{t.TempDir()}
	if err := Write(s.dir, files); err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.Abs(filepath.Join("testdata", "npm", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(s.dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a program of the packages in the folder.
func (s spec) run(ctx context.Context, env []string, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join("node_modules", ".bin", program), args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func (s spec) test(ctx context.Context, env ...string) (string, error) {
	return s.run(ctx, env, "playwright", "test")
}

func TestNPMPlaywrightOrders(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	site := shop(t, ctx)
	s := newSpec(t, order(t, ctx, site.URL))
	if out, err := s.run(ctx, nil, "tsc"); err != nil {
		t.Errorf("it does not type-check: %v\n%s", err, out)
	}
	secret := "HOME_ADDRESS=12 St James's Square"
	if out, err := s.test(ctx, secret, "COUNTRY=Norway"); err == nil || !strings.Contains(out, "EMAIL is required") {
		t.Errorf("without an input: %v, %s", err, out)
	}
	before := len(site.Site.Orders())
	out, err := s.test(ctx, secret, "EMAIL=grace@example.org", "COUNTRY=Norway")
	orders := site.Site.Orders()
	if err != nil || len(orders) != before+1 {
		t.Fatalf("%v, %d orders\n%s", err, len(orders)-before, out)
	}
	last := orders[len(orders)-1]
	if !strings.Contains(out, `"order": "`+last.Number+`"`) || last.Email != "grace@example.org" || last.Country != "Norway" || last.Address != "12 St James's Square" || last.Shipping != "express" {
		t.Errorf("order %+v\n%s", last, out)
	}
	out, err = s.test(ctx, secret, "EMAIL=grace@example.org", "COUNTRY=Atlantis")
	if err == nil || !strings.Contains(out, "Atlantis cannot be chosen from: ") || len(site.Site.Orders()) != len(orders) {
		t.Errorf("a failing step: %v\n%s", err, out)
	}
}

func TestNPMPlaywrightWaitsForWhatAClickAsks(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	shop := newSlowShop(t)
	out, err := newSpec(t, shop.workflow(t)).test(ctx)
	if told := shop.told(); err != nil || !strings.Contains(out, "Checkout") || !slices.Equal(told, []string{"added"}) {
		t.Errorf("%v, the server saw %q\n%s", err, told, out)
	}
}

// Every kind of step that the long workflow of the golden files has.
func TestNPMPlaywrightDoesEveryKindOfStep(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := newSpec(t, everyKind(t))
	if out, err := s.run(ctx, nil, "tsc"); err != nil {
		t.Errorf("it does not type-check: %v\n%s", err, out)
	}
	out, err := s.test(ctx, `PRODUCTS=["moved"]`, "EMAIL=a@b.test", "SHOP_PASSWORD=pa55")
	if err == nil || !strings.Contains(out, "4. click") || !strings.Contains(out, `2 elements answer to button "Add to cart" alike`) {
		t.Errorf("twins that stand elsewhere: %v\n%s", err, out)
	}
	out, err = s.test(ctx, `PRODUCTS=["sold","mug"]`, "EMAIL=a@b.test", "SHOP_PASSWORD=pa55")
	if err != nil || !strings.Contains(out, `"order": "WH-77"`) || !strings.Contains(out, `"city": "Vienna"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestNPMPlaywrightEntersFramesOfAnotherSite(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	said := make(chan string, 100)
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	defer srv.Close()
	other := strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!doctype html><label>Card <input></label><iframe src="%s/card"></iframe>`, other)
	})
	mux.HandleFunc("/card", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!doctype html><label>Card <input oninput="fetch('/said?' + value)"></label>`)
	})
	mux.HandleFunc("/said", func(w http.ResponseWriter, r *http.Request) { said <- r.URL.RawQuery })
	w, err := agent.ParseWorkflow(strings.NewReader(fmt.Sprintf(`{"format": "webhand-workflow", "version": 1, "name": "Card", "steps": [
		{"do": {"action": "navigate", "args": {"url": "%s/"}}},
		{"do": {"action": "input", "args": {"text": "4111"}, "element": {"role": "textbox", "name": "Card", "frame": "%s/card"}}}
	]}`, srv.URL, other)))
	if err != nil {
		t.Fatal(err)
	}
	out, err := newSpec(t, w).test(ctx)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	select {
	case got := <-said:
		if got != "4111" {
			t.Errorf("the frame was told %q", got)
		}
	default:
		t.Error("the frame was told nothing")
	}
}
