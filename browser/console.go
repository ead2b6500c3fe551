package browser

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
)

// consoleLog writes lines of several tabs to one writer.
type consoleLog struct {
	mu sync.Mutex
	w  io.Writer
}

func (c *consoleLog) line(tab, level, text string) {
	if c.w == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = fmt.Fprintf(c.w, "%s %s %s %s\n", time.Now().UTC().Format(time.RFC3339Nano), tab, level, strings.ReplaceAll(text, "\n", "\\n"))
}

// watchConsole reports what a page prints. It needs Runtime events, which a
// page can notice and which cost; so it is off unless asked for.
func (t *tab) watchConsole(sess *cdpSession) {
	s := t.owner
	if !s.cfg.Console && s.cfg.ConsoleLog == nil {
		return
	}
	onEvent(sess, runtime.ConsoleAPICalled, func(ev runtime.EventConsoleAPICalled) {
		var parts []string
		for _, a := range ev.Args {
			parts = append(parts, consoleText(a))
		}
		text := strings.Join(parts, " ")
		s.console.line(s.shortID(t), string(ev.Type), text)
		if ev.Type == runtime.ConsoleAPICalledTypeError || ev.Type == runtime.ConsoleAPICalledTypeAssert {
			e := ConsoleError{Tab: s.shortID(t), Text: clip(text, 500)}
			if st := ev.StackTrace; st != nil && len(st.CallFrames) > 0 {
				e.URL, e.Line = st.CallFrames[0].URL, int(st.CallFrames[0].LineNumber)+1
			}
			t.emit(e)
		}
	})
	onEvent(sess, runtime.ExceptionThrown, func(ev runtime.EventExceptionThrown) {
		d := ev.ExceptionDetails
		if d == nil {
			return
		}
		text := d.Text
		if d.Exception != nil && d.Exception.Description != "" {
			text = d.Exception.Description
		}
		s.console.line(s.shortID(t), "exception", text)
		t.emit(ConsoleError{Tab: s.shortID(t), Text: clip(text, 500), URL: d.URL, Line: int(d.LineNumber) + 1})
	})
	onEvent(sess, log.EntryAdded, func(ev log.EventEntryAdded) {
		if ev.Entry == nil {
			return
		}
		s.console.line(s.shortID(t), string(ev.Entry.Level), ev.Entry.Text+" "+ev.Entry.URL)
		if ev.Entry.Level == log.EntryLevelError {
			t.emit(ConsoleError{Tab: s.shortID(t), Text: clip(ev.Entry.Text, 500), URL: ev.Entry.URL, Line: int(ev.Entry.LineNumber)})
		}
	})
	sess.send(runtime.CommandEnable, nil)
	sess.send(log.CommandEnable, nil)
}

func consoleText(o *runtime.RemoteObject) string {
	switch {
	case o == nil:
		return ""
	case o.Type == runtime.RemoteObjectTypeString && len(o.Value) > 1:
		var s string
		if decodeRemote(o, nil, &s) == nil {
			return s
		}
	case len(o.Value) > 0:
		return string(o.Value)
	case o.Description != "":
		return o.Description
	}
	return string(o.Type)
}

// clip cuts a text at a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}
