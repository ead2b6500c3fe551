package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// pages serves HTML by path and remembers the forms that were sent.
type pages struct {
	*httptest.Server
	mu   sync.Mutex
	html map[string]string
	sent []url.Values
}

func servePages(t *testing.T, html map[string]string) *pages {
	p := &pages{html: html}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if r.Method == http.MethodPost && r.ParseForm() == nil {
			p.sent = append(p.sent, r.PostForm)
		}
		body, ok := p.html[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html>"+body)
	}))
	t.Cleanup(func() { p.CloseClientConnections(); p.Close() })
	return p
}

func (p *pages) forms() []url.Values {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]url.Values(nil), p.sent...)
}

// F050, F141: actions that are written down before the run go on although the
// page changes under them, and a replay does them again.
func TestFaultsOfFirstActions(t *testing.T) {
	p := servePages(t, map[string]string{
		"/grow":  `<input aria-label=name><button onclick="document.body.prepend(document.createElement('input'))">one</button><button onclick="document.title='all of '+document.querySelector('[aria-label]').value">two</button>`,
		"/list":  `<input role=combobox aria-label=city oninput="l.innerHTML='<li role=option>'+value+'</li>'"><ul id=l></ul><button onclick="this.textContent+='!'">one</button><button onclick="document.title='all of '+document.querySelector('input').value">two</button>`,
		"/away":  `<input aria-label=name><button onclick="history.pushState(0,'','/else')">one</button><button onclick="document.title='all of '+document.querySelector('input').value">two</button>`,
		"/alert": `<input aria-label=name><button onclick="alert('hm')">one</button><button onclick="document.title='all of '+document.querySelector('input').value">two</button>`,
	})
	for path := range p.html {
		t.Run("F050 "+path, func(t *testing.T) {
			raw := func(s ...string) (out []json.RawMessage) {
				for _, x := range s {
					out = append(out, json.RawMessage(x))
				}
				return out
			}
			s := session(t)
			m := model(func(n int, req *llm.Request) string {
				if !strings.Contains(allText(req), "all of Ada") {
					t.Errorf("the model does not see what was done:\n%s", lastText(req))
				}
				return finished("ok", true)
			})
			h, err := Run(t.Context(), "task", Config{
				LLM: m, Browser: s, Vision: Vision{See: SeeNever},
				Start: Start{Actions: raw(goTo(p.URL+path), input(1, "Ada"), click(2), click(3))},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(h.ActionNames(), " "); got != "navigate input click click done" || h.Steps[0].Status != StepOK || h.Steps[0].NotRun != 0 {
				t.Fatalf("ran %s, step %+v", got, h.Steps[0])
			}
			// F141: a replay has them too.
			b := session(t)
			again, err := Replay(quickly(t), h, Config{Browser: b})
			if err != nil {
				t.Fatal(err)
			}
			title, err := browser.Evaluate[string](t.Context(), b, "document.title")
			if err != nil || title != "all of Ada" || len(again.Steps[0].Actions) != 4 {
				t.Errorf("replayed to %q with %d actions, %v", title, len(again.Steps[0].Actions), err)
			}
		})
	}
}

// F143: what a recording waited for is not waited for again.
func TestFaultsOfRecordedPauses(t *testing.T) {
	for name, tt := range map[string]struct {
		x    Action
		idle time.Duration
		want string
	}{
		"as it is":             {did("wait", `{"seconds":30}`), 0, `{"seconds":3}`},
		"not at all":           {did("wait", `{"seconds":30,"quiet":false,"text":""}`), -1, `{"seconds":0,`},
		"half a second":        {did("wait", `{"seconds":30}`), 500 * time.Millisecond, `{"seconds":0.5}`},
		"shorter than that":    {did("wait", `{"seconds":0.1}`), 0, `{"seconds":0.1}`},
		"until something seen": {did("wait", `{"seconds":30,"gone":"spinner"}`), -1, `{"seconds":30,"gone":"spinner"}`},
	} {
		rec := &History{Steps: []*Step{
			{Number: 1, Started: time.Unix(0, 0), Ended: time.Unix(600, 0), Actions: []Action{did("wait", `{"seconds":0}`)}},
			{Number: 2, Started: time.Unix(90_000, 0), Ended: time.Unix(90_600, 0), Actions: []Action{tt.x}},
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		h, err := Replay(ctx, rec, Config{Browser: session(t), Replay: ReplayConfig{Idle: tt.idle}})
		cancel()
		if err != nil || h.Replay.Result != ReplayComplete {
			t.Errorf("%s: %v", name, err)
		} else if x := h.Steps[len(h.Steps)-1].Actions[0]; !strings.Contains(string(x.Args), tt.want) {
			t.Errorf("%s: replayed %s", name, x.Args)
		}
	}
}

// F129, F133, F134: a real login with the real actions, all that it leaves
// behind, and its replay with another value.
func TestFaultsOfALoginLeftBehind(t *testing.T) {
	const value, short = `K7!blue-sky ü`, "abc"
	p := servePages(t, map[string]string{
		"/": `<title>login</title><form method=post action=/in onsubmit="sessionStorage.p=pw.value"><input aria-label=User name=user><input id=pw type=password aria-label=Password name=pw>
			<input aria-label=Pin name=pin oninput="o.textContent='you typed '+pw.value;history.replaceState(0,'','?p='+encodeURIComponent(pw.value))"><p id=o></p><button>Log in</button></form>`,
		"/in": `<title>in</title><p id=o></p><a href="#" id=a>me</a><input aria-label=Shown id=i><script>o.textContent='Your password is '+sessionStorage.p+', or '+encodeURIComponent(sessionStorage.p)+'. abc, K7!blue';i.value=sessionStorage.p;a.href='?pw='+encodeURIComponent(sessionStorage.p);a.title=sessionStorage.p;document.title='for '+sessionStorage.p</script>`,
	})
	dir := t.TempDir()
	logs, store := &safeBuffer{}, &recordingStore{}
	m := model(func(n int, req *llm.Request) string {
		switch n {
		case 0:
			return say(input(index(req, "User"), "ada"), input(index(req, "Password"), "<secret>pw</secret>"), input(index(req, "Pin"), "<secret>pin</secret>"))
		case 1:
			if text := lastText(req); !strings.Contains(text, "/?p=<secret>pw</secret> ") || !strings.Contains(text, "you typed <secret>pw</secret>") {
				t.Errorf("F133: address and page are not masked:\n%s", text)
			}
			return say(click(index(req, ">Log in")))
		case 2:
			if text := lastText(req); !strings.Contains(text, "Your password is <secret>pw</secret>, or <secret>pw</secret>. abc, <secret>half</secret>") {
				t.Errorf("F133: the page is not masked as it should be:\n%s", text)
			}
			return say(`{"search_page":{"pattern":"password"}}`, `{"find_elements":{"selector":"#a,#i","attributes":["href","title","value"]}}`, `{"write_file":{"file_name":"note.md","content":"logged in"}}`)
		}
		return finished("It is "+value, true)
	})
	h, err := Run(t.Context(), "Log in", Config{
		LLM: m, Browser: session(t), Dir: filepath.Join(dir, "agent"), HistoryFile: filepath.Join(dir, "h.jsonl"), ConversationDir: filepath.Join(dir, "talk"), KeepPrompts: true,
		Secrets: []registry.Secret{registry.NewSecret("half", "K7!blue"), registry.NewSecret("pw", value), registry.NewSecret("pin", short)},
		Memory:  LongTerm{Store: store}, Start: Start{URL: p.URL},
		Logger: slog.New(slog.NewJSONHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	if sent := p.forms(); len(sent) != 1 || sent[0].Get("pw") != value || sent[0].Get("pin") != short {
		t.Fatalf("sent %v, errors %v", sent, h.Errors())
	}
	var saved bytes.Buffer
	if err := h.Save(&saved); err != nil {
		t.Fatal(err)
	}
	records, _ := json.Marshal(store.records)
	left := map[string]string{"history": saved.String(), "struct": fmt.Sprintf("%+v", h), "logs": logs.String(), "memory": string(records), "answer": h.Final()}
	for i, req := range m.Requests() {
		left[fmt.Sprintf("prompt %d", i)] = allText(req)
	}
	pictures := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if left[path] = path + "\n" + string(data); strings.HasSuffix(path, ".png") || strings.HasSuffix(path, ".jpg") || strings.HasSuffix(path, ".jpeg") {
			pictures++
		}
		return err
	})
	if err != nil || pictures == 0 {
		t.Errorf("%d pictures, %v", pictures, err)
	}
	for where, text := range left {
		for _, form := range []string{value, url.QueryEscape(value), url.PathEscape(value), "blue-sky"} {
			if i := strings.Index(text, form); i >= 0 {
				t.Errorf("F129: %s holds %q: ...%q", where, form, text[max(0, i-100):min(len(text), i+60)])
			}
		}
	}

	// F134: a replay types what the secret is by then, and without it nothing.
	for _, name := range []string{"same name, new value", "spaces and tags"} {
		fresh := map[string]string{"same name, new value": "N3w-value", "spaces and tags": " <secret>pin</secret> x "}[name]
		rec, err := LoadHistory(bytes.NewReader(saved.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		rec.Steps = rec.Steps[:3]
		if _, err := Replay(quickly(t), rec, Config{Browser: session(t), Secrets: []registry.Secret{registry.NewSecret("pw", fresh), registry.NewSecret("pin", "9876")}}); err != nil {
			t.Fatalf("F134 %s: %v", name, err)
		}
		sent := p.forms()
		if last := sent[len(sent)-1]; last.Get("pw") != fresh || last.Get("pin") != "9876" || last.Get("user") != "ada" {
			t.Errorf("F134 %s: sent %v", name, last)
		}
	}
	n := len(p.forms())
	if _, err := Replay(quickly(t), h, Config{Browser: session(t), Secrets: []registry.Secret{registry.NewSecret("pw", "x")}}); err == nil || !strings.Contains(err.Error(), `secret "pin" has no value`) {
		t.Errorf("F134 without one: %v", err)
	}
	if _, err := Replay(quickly(t), h, Config{Browser: session(t), Secrets: []registry.Secret{registry.NewSecret("pw", "Xelsewhere", "https://bank.test"), registry.NewSecret("pin", "9876")}}); err == nil || strings.Contains(err.Error(), "Xelsewhere") {
		t.Errorf("F134 on another site: %v", err)
	}
	if len(p.forms()) != n {
		t.Errorf("F134: a form was sent without its secret: %v", p.forms()[n:])
	}
}
