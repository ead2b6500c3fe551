//go:build npm

package browser

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// playwrightReads opens a context from one file with Playwright itself, looks
// at a page, changes it and writes the context to another file.
const playwrightReads = `
import { chromium } from 'playwright';
const [exe, url, from, to] = process.argv.slice(1);
const b = await chromium.launch({ executablePath: exe, args: ['--no-sandbox'] });
const c = await b.newContext({ storageState: from });
const p = await c.newPage();
await p.goto(url);
console.log(JSON.stringify(await p.evaluate(async () => ({
  cookie: document.cookie, name: localStorage.name,
  db: await new Promise((f) => { const r = indexedDB.open('shop'); r.onsuccess = () => { const q = r.result.transaction('cart').objectStore('cart').get(1); q.onsuccess = () => f(q.result); }; }),
}))));
await p.evaluate(() => { localStorage.name = 'Grace'; document.cookie = 'more=2; max-age=1000'; });
await c.storageState({ path: to, indexedDB: true });
await b.close();
`

// The storage file is Playwright's: each reads what the other wrote. Needs
// npm install in bench/.
func TestStorageIsPlaywrights(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	chrome, err := FindChannel("")
	if err != nil {
		t.Fatal(err)
	}
	url := serveMux(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "s1", HttpOnly: true})
		html(`<title>shop</title>`)(w, r)
	}))
	ctx := testContext(t)
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "ours.json"), filepath.Join(dir, "theirs.json")
	s, err := New(ctx, Config{StorageFile: ours, IndexedDB: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	mustEval[any](t, s, `(async () => {
		localStorage.name = 'Ada'; document.cookie = 'sid=7; max-age=1000';
		const db = await new Promise((f) => { const r = indexedDB.open('shop', 1); r.onupgradeneeded = () => r.result.createObjectStore('cart'); r.onsuccess = () => f(r.result); });
		await new Promise((f) => { const t = db.transaction('cart', 'readwrite'); t.objectStore('cart').put('mug', 1); t.oncomplete = f; });
		db.close();
	})()`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "--input-type=module", "-e", playwrightReads, chrome, url, ours, theirs)
	cmd.Dir = filepath.Join("..", "bench")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got struct{ Cookie, Name, DB string }
	if err := json.Unmarshal(out, &got); err != nil || got.Cookie != "sid=7" || got.Name != "Ada" || got.DB != "mug" {
		t.Errorf("Playwright sees %s", out)
	}
	raw, err := os.ReadFile(theirs)
	if err != nil {
		t.Fatal(err)
	}
	var st StorageState
	if err := json.Unmarshal(raw, &st); err != nil {
		t.Fatal(err)
	}
	again, err := New(ctx, Config{Storage: &st, IndexedDB: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	if got := mustEval[string](t, again, `document.cookie + ' ' + localStorage.name`); !strings.Contains(got, "more=2") || !strings.Contains(got, "sid=7") || !strings.Contains(got, "Grace") {
		t.Errorf("the page has %q of Playwright's file\n%s", got, raw)
	}
	if got := mustEval[string](t, again, `new Promise((f) => { const r = indexedDB.open('shop'); r.onsuccess = () => { const q = r.result.transaction('cart').objectStore('cart').get(1); q.onsuccess = () => f(q.result); }; })`); got != "mug" {
		t.Errorf("the database holds %q", got)
	}
}
