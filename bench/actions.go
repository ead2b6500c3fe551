package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// hand is one way to act on a page.
type hand interface {
	open(ctx context.Context, url string) error
	// look reads the page and remembers what its elements are called there.
	look(ctx context.Context) error
	do(ctx context.Context, a act) error
	close()
}

// act is one action on the page of this benchmark.
type act struct {
	kind string // click, idle, type, select or scroll
	text string // to type or to choose
	up   bool
}

// actPage counts what is done to it in its title, which Chrome tells whoever
// asks, whatever the tool believes.
const actPage = `<!doctype html><title>0||small|0</title><style>section{height:60px}</style>
<form onsubmit="return false"><button onclick="n++;say()">add one</button> <button type=button>rest</button>
<input aria-label="full name" oninput="say()"><select aria-label=size onchange="say()"><option>small<option>large</select></form>
<div id=all></div><script>
let n=0;const say=()=>document.title=[n,document.querySelector('input').value,document.querySelector('select').value,Math.round(scrollY)].join('|');
addEventListener('scroll',say);
for(let k=0;k<200;k++)all.insertAdjacentHTML('beforeend','<section><h2>Heading '+k+'</h2><p>Some <a href="#x">text</a> of a page</p></section>');
</script>`

// actions measures what acting costs, in every tool, and prints one table.
func actions(ctx context.Context, n int, only string) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(actPage))
	})}
	go func() { _ = srv.Serve(ln) }()
	defer srv.Close()
	fmt.Printf("| tool | state | click | click without effect | type 50 | select | scroll |\n|---|---|---|---|---|---|---|\n")
	for _, h := range hands() {
		if only != "" && !slices.Contains(strings.Split(only, ","), h.label) {
			continue
		}
		cells, err := h.measure(ctx, "http://"+ln.Addr().String()+"/", n)
		if err != nil {
			cells = []string{err.Error()}
		}
		fmt.Printf("| %s | %s |\n", h.label, strings.Join(cells, " | "))
	}
	return ctx.Err()
}

// handEntry starts a hand in a Chrome.
type handEntry struct {
	label string
	start func(context.Context, *chrome) (hand, error)
}

func (e handEntry) measure(ctx context.Context, url string, n int) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	c, err := startChrome(ctx)
	if err != nil {
		return nil, err
	}
	defer c.close()
	h, err := e.start(ctx, c)
	if err != nil {
		return nil, err
	}
	defer h.close()
	if err := h.open(ctx, url); err != nil {
		return nil, err
	}
	// Chrome is busy with itself at first, and tools start at different speeds.
	time.Sleep(3 * time.Second)
	cells := []string{timed(n, func(int) error { return h.look(ctx) })}
	name := strings.Repeat("Type fifty! ", 5)[:49]
	for _, kind := range []string{"click", "idle", "scroll", "type", "select"} {
		cells = append(cells, timed(n, func(i int) error {
			a := act{kind: kind}
			switch kind {
			case "type":
				a.text = name + string(rune('a'+i%26))
			case "select":
				a.text = []string{"large", "small"}[i%2]
			case "scroll":
				a.up = i%2 == 1
			}
			return h.do(ctx, a)
		}, func(i int) error { return done(ctx, c, url, kind, i, name) }))
	}
	// The order of the table is that of its head.
	cells[3], cells[4], cells[5] = cells[4], cells[5], cells[3]
	return cells, nil
}

// timed calls f n times after two to warm up and says how long it took in
// milliseconds: median and least. check, outside of the time, says whether it
// was done at all.
func timed(n int, f func(i int) error, check ...func(i int) error) string {
	var times []time.Duration
	for i := range n + 2 {
		start := time.Now()
		if err := f(i); err != nil {
			return firstLine(err.Error())
		}
		took := time.Since(start)
		for _, c := range check {
			if err := c(i); err != nil {
				return err.Error()
			}
		}
		if i >= 2 {
			times = append(times, took)
		}
	}
	slices.Sort(times)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("%.1f (%.1f)", ms(times[len(times)/2]), ms(times[0]))
}

// done waits until the page says of itself that the action was done.
func done(ctx context.Context, c *chrome, url, kind string, i int, name string) error {
	now := ""
	for range 100 {
		title, err := titleOf(ctx, c, url)
		if err != nil {
			return err
		}
		now = title
		p := strings.Split(title, "|")
		if len(p) != 4 {
			return fmt.Errorf("the page says %q", title)
		}
		ok := map[string]bool{
			"click":  p[0] == fmt.Sprint(i+1),
			"idle":   true,
			"type":   p[1] == name+string(rune('a'+i%26)),
			"select": p[2] == []string{"large", "small"}[i%2],
			"scroll": (p[3] == "0") == (i%2 == 1),
		}
		if ok[kind] {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("not done: the page says %q", now)
}

// titleOf asks Chrome itself for the title of the page.
func titleOf(ctx context.Context, c *chrome, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url()+"/json/list", nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var list []struct{ URL, Title string }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		return "", err
	}
	for _, t := range list {
		if t.URL == url {
			return t.Title, nil
		}
	}
	return "", errors.New("no tab of Chrome shows the page")
}
