package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

// observation is the browser as a step sees it.
type observation struct {
	page        Page // as the history keeps it
	contentType string
	state       *browser.State
	head        string // tabs and what else stands before the page's text
	options     dom.TextOptions
	picture     []byte
	pictureMIME string
	notes       []string // what happened since the last look
}

// observe looks at the page and fills in the step's record of it.
func (w *work) observe(ctx context.Context) error {
	a := w.run.a
	start := time.Now()
	defer func() { w.s.Timing.Observe += time.Since(start).Milliseconds() }()
	octx, span := a.tel.start(ctx, "capture")
	obs, err := a.look(octx)
	finish(span, a.redact(errorText(err)))
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("the page could not be read: %w", err)
	}
	w.obs = obs
	if len(obs.state.Screenshot) > 0 {
		name, err := a.folder.saveScreenshot(w.s.Number, obs.state.Screenshot)
		if err != nil {
			a.log.Warn("screenshot not kept", "step", w.s.Number, "err", err)
		}
		obs.page.Screenshot = name
	}
	if a.cfg.KeepPrompts {
		obs.page.Text = obs.state.Text.String
	}
	w.s.Page = obs.page
	return nil
}

// look captures the current tab.
func (a *Agent) look(ctx context.Context) (*observation, error) {
	want := a.cfg.Vision.See == SeeAlways || a.cfg.Vision.See == SeeOnDemand && a.mind.WantShot
	a.mind.WantShot = false
	opts := browser.StateOptions{
		Text:       dom.TextOptions{Budget: a.cfg.Limits.PageTokens, Attributes: a.cfg.Prompt.Attributes},
		Screenshot: want,
		Marks:      want && !a.cfg.Vision.NoMarks,
	}
	start := time.Now()
	st, err := a.session.State(ctx, opts)
	a.busy += time.Since(start)
	if err != nil {
		return nil, err
	}
	o := &observation{state: st, options: opts.Text, contentType: st.Page.ContentType}
	o.page = Page{URL: st.URL, Title: st.Title, Fingerprint: fingerprint(st.Page)}
	for _, t := range st.Tabs {
		o.page.Tabs = append(o.page.Tabs, Tab{ID: t.ID, URL: t.URL, Title: t.Title, Current: t.Current})
	}
	o.head = head(st)
	if len(st.Screenshot) > 0 && !blank(st.URL) {
		o.picture = fitImage(st.Screenshot, a.cfg.Vision.Size)
		o.pictureMIME = "image/png"
		if bytes.HasPrefix(o.picture, []byte("\xff\xd8")) {
			o.pictureMIME = "image/jpeg"
		}
	}
	o.notes = a.events()
	if c := a.session.Captcha(); c != nil {
		o.notes = append(o.notes, fmt.Sprintf("This page shows a captcha (%s). You cannot answer it: a person has to. Try another way to do the task, or finish and say that a captcha stands in the way.", c.Kind))
	}
	return o, nil
}

// blank reports pages whose picture says nothing.
func blank(url string) bool {
	return url == "" || url == "about:blank" || strings.HasPrefix(url, "chrome://newtab")
}

// head is what stands before the page's text: the tabs.
func head(st *browser.State) string {
	var b strings.Builder
	if len(st.Tabs) > 1 {
		b.WriteString("Tabs:\n")
		for _, t := range st.Tabs {
			mark := " "
			if t.Current {
				mark = ">"
			}
			fmt.Fprintf(&b, "%s %s: %s - %s\n", mark, t.ID, oneLine(t.URL, 150), oneLine(t.Title, 60))
		}
	} else {
		fmt.Fprintf(&b, "Page: %s - %s\n", oneLine(st.URL, 300), oneLine(st.Title, 100))
	}
	// Titles and addresses are the page's words; they must not look like ours.
	return strings.ReplaceAll(b.String(), "<", "‹")
}

// text renders the page in at most so many tokens, or in as many as it was
// captured with when tokens is 0.
func (o *observation) text(nonce string, tokens int) string {
	t := o.state.Text.String
	if tokens > 0 {
		opt := o.options
		opt.Budget = max(tokens-40, 100)
		t = o.state.Page.Text(opt).String
	}
	return fence(fencePage, nonce, o.head+t)
}

// fingerprint is equal for two looks at a page that a model could not tell
// apart. Where the focus is and which elements are new does not count.
func fingerprint(p *dom.Page) string {
	h := fnv.New64a()
	var buf []byte
	put := func(s string) {
		buf = append(append(buf[:0], s...), 0)
		_, _ = h.Write(buf)
	}
	put(p.URL)
	put(strconv.Itoa(p.Scroll.Top))
	for i := range p.Elements {
		e := &p.Elements[i]
		put(e.Tag)
		put(e.Role)
		put(e.Name)
		put(e.Text)
		put(e.Value)
		buf = strconv.AppendUint(buf[:0], uint64(e.State&^dom.Focused), 16)
		_, _ = h.Write(buf)
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// elementRecord is an element as a history keeps it, to be found again by.
type elementRecord struct {
	Index int               `json:"index"`
	Tag   string            `json:"tag"`
	Role  string            `json:"role,omitempty"`
	Name  string            `json:"name,omitempty"`
	Text  string            `json:"text,omitempty"`
	Attrs map[string]string `json:"attrs,omitempty"`
	Frame string            `json:"frame,omitempty"`
}

// element describes the element that an action names by index: for the record,
// in words for people, and as what it is whatever its number.
func (o *observation) element(args json.RawMessage) (record json.RawMessage, words, identity string) {
	var p struct {
		Index *int `json:"index"`
	}
	if o == nil || o.state == nil || json.Unmarshal(args, &p) != nil || p.Index == nil {
		return nil, "", ""
	}
	e := o.state.Page.At(*p.Index)
	if e == nil {
		return nil, "", ""
	}
	r := elementRecord{Index: *p.Index, Tag: e.Tag, Role: e.Role, Name: oneLine(e.Name, 200), Text: oneLine(e.Text, 200)}
	for _, at := range e.Attrs {
		if r.Attrs == nil {
			r.Attrs = map[string]string{}
		}
		r.Attrs[at.Name] = at.Value
	}
	if e.Frame > 0 && e.Frame < len(o.state.Page.Frames) {
		r.Frame = o.state.Page.Frames[e.Frame].URL
	}
	record, err := json.Marshal(r)
	if err != nil {
		return nil, "", ""
	}
	name := or(e.Name, e.Text)
	words = or(e.Role, e.Tag)
	if name != "" {
		words += " " + strconv.Quote(oneLine(name, 80))
	}
	id := e.Attrs
	identity = fmt.Sprint(r.Tag, "|", r.Role, "|", r.Name, "|", r.Text, "|", id, "|", r.Frame)
	return record, words, identity
}

// events are what happened in the browser since the last look, in words: what
// the model has to know always, the rest when it is asked for.
func (a *Agent) events() []string {
	var out []string
	for _, ev := range a.session.TakeEvents() {
		switch e := ev.(type) {
		case browser.Crashed, browser.Hung, browser.ConnectionLost:
			out = append(out, ev.String())
		case browser.DownloadFinished:
			out = append(out, ev.String())
			a.downloaded(e)
		default:
			if a.cfg.Prompt.Events {
				out = append(out, ev.String())
			}
		}
	}
	return out
}

// downloaded lets the model use a file that a page sent.
func (a *Agent) downloaded(d browser.DownloadFinished) {
	if d.Path == "" || slices.Contains(a.mind.Downloads, d.Path) {
		return
	}
	a.mind.Downloads = append(a.mind.Downloads, d.Path)
	a.deps = registry.Provide(a.deps, tools.FilePaths(a.files()))
}

// currentTab is the tab that actions go to; zero when there is none.
func currentTab(s *browser.Session) browser.Tab {
	for _, t := range s.Tabs() {
		if t.Current {
			return t
		}
	}
	return browser.Tab{}
}

// currentURL is the address of the current tab.
func currentURL(s *browser.Session) string { return currentTab(s).URL }
