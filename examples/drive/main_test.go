package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
)

// reply is one line of output.
type reply struct {
	Error   string           `json:"error"`
	Results []map[string]any `json:"results"`
	NotRun  int              `json:"not_run"`
	State   *struct {
		URL      string        `json:"url"`
		Title    string        `json:"title"`
		Tabs     []browser.Tab `json:"tabs"`
		Text     string        `json:"text"`
		Elements []struct {
			Index  int    `json:"index"`
			Tag    string `json:"tag"`
			Name   string `json:"name"`
			Parent int    `json:"parent"`
			Bounds [4]int `json:"bounds"`
		} `json:"elements"`
		Stats struct {
			Tokens int `json:"tokens"`
		} `json:"stats"`
	} `json:"state"`
}

// converse runs drive and answers each of its lines by a func of the reply
// before.
func converse(t *testing.T, args []string, lines ...func(reply) string) []reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	in, feed := pipe()
	read, out := pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, args, in, out)
		out.Close()
		done <- err
	}()
	dec := json.NewDecoder(read)
	var all []reply
	var last reply
	for _, next := range lines {
		if _, err := feed.Write([]byte(next(last) + "\n")); err != nil {
			t.Fatal(err)
		}
		var r reply
		if err := dec.Decode(&r); err != nil {
			t.Fatalf("%v (%v)", err, <-done)
		}
		all, last = append(all, r), r
	}
	feed.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return all
}

func pipe() (*os.File, *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	return r, w
}

func say(s string) func(reply) string { return func(reply) string { return s } }

func TestDrive(t *testing.T) {
	site, err := demosite.Start(context.Background(), demosite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	link := func(r reply) string {
		for _, e := range r.State.Elements {
			if e.Tag == "a" && e.Index > 0 && strings.Contains(e.Name, "Help") {
				return `{"action":[{"click":{"index":` + strconv.Itoa(e.Index) + `}},{"wait":{"seconds":0}}]}`
			}
		}
		return `{"action":[{"navigate":{"url":"` + site.URL + `/help"}},{"wait":{"seconds":0}}]}`
	}
	dir := t.TempDir()
	secrets := filepath.Join(dir, "secrets.json")
	if err := os.WriteFile(secrets, []byte(`{"http://127.0.0.1":{"pass":"K7!blue-and-more"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	all := converse(t, []string{"-url", site.URL + "/", "-files", dir, "-secrets", secrets, "-allow", "http://127.0.0.1"},
		say(`{"state":true}`),
		link,
		say(`not json`),
		say(`{"action":[]}`),
		say(`{"action":[{"clikc":{"index":1}}]}`),
		say(`{"action":[{"write_file":{"file_name":"a.md","content":"hi"}},{"click":{"index":0}}]}`),
		say(`{"action":[{"click":{"index":99999}}]}`),
		say(`{"action":[{"navigate":{"url":"http://evil.test/"}}]}`),
		say(`{"hello":1}`),
		say(`{"action":[{"done":{"text":"the end"}}]}`),
		say(`{"action":[{"done":{"text":"half","success":false}}]}`),
		say(` [{"wait":{"seconds":0}}]`),
		say(`"click"`),
	)
	first := all[0]
	if first.State == nil || first.State.URL != site.URL+"/" || first.State.Text == "" || len(first.State.Elements) == 0 || first.State.Stats.Tokens == 0 {
		t.Fatalf("state %+v", first.State)
	}
	if r := all[1]; len(r.Results) != 1 || r.NotRun != 1 || !strings.HasSuffix(r.State.URL, "/help") {
		t.Errorf("a link: %+v", r)
	}
	for i, want := range map[int]string{2: "JSON", 3: "empty", 4: "clikc", 8: "action"} {
		if !strings.Contains(all[i].Error, want) {
			t.Errorf("line %d: error %q does not say %q", i, all[i].Error, want)
		}
	}
	if r := all[5]; len(r.Results) != 1 || r.NotRun != 1 {
		t.Errorf("the valid beginning of a list: %+v", r)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a.md")); err != nil || string(b) != "hi\n" {
		t.Errorf("a.md holds %q, %v", b, err)
	}
	for i, want := range map[int]string{6: "99999", 7: "evil.test"} {
		if s, _ := all[i].Results[0]["error"].(string); !strings.Contains(s, want) {
			t.Errorf("line %d: error %q does not say %q", i, s, want)
		}
	}
	if r := all[9]; r.Results[0]["is_done"] != true || r.Results[0]["success"] != true || r.Results[0]["extracted_content"] != "the end" {
		t.Errorf("done: %+v", r)
	}
	if r := all[11]; r.Error != "" || len(r.Results) != 1 {
		t.Errorf("a list alone: %+v", r)
	}
	if r := all[12]; !strings.Contains(r.Error, `{"action":[...]}`) {
		t.Errorf("a text: error %q does not say what to give", r.Error)
	}
	if i := slices.IndexFunc(first.State.Tabs, func(t browser.Tab) bool { return t.Current }); i < 0 || first.State.Tabs[i].Title != first.State.Title {
		t.Errorf("the current tab is titled otherwise than its page %q: %+v", first.State.Title, first.State.Tabs)
	}
	if success, said := all[10].Results[0]["success"]; !said || success != false {
		t.Errorf("done without success: %+v", all[10])
	}
}

func TestDriveRefusesWhatItCannotDo(t *testing.T) {
	for _, args := range [][]string{{"-nope"}, {"-secrets", "nowhere.json"}, {"-cdp", "http://127.0.0.1:1"}} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		err := run(ctx, args, strings.NewReader(""), &bytes.Buffer{})
		cancel()
		if err == nil {
			t.Errorf("drive %q: no error", args)
		}
	}
}
