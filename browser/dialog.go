package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/page"
)

// Dialog is a JavaScript dialog that a page opened.
type Dialog struct {
	Tab     string
	Kind    string // "alert", "confirm", "prompt" or "beforeunload"
	Message string
	Default string // what a prompt proposes
	URL     string // of the frame that opened it
}

// DialogAnswer is what to do with a dialog.
type DialogAnswer struct {
	Accept bool
	Text   string // for a prompt that is accepted
}

// defaultDialogAnswer lets a page go on without agreeing to anything: alerts
// are read, pages may be left, questions are answered with no.
func defaultDialogAnswer(d Dialog) DialogAnswer {
	return DialogAnswer{Accept: d.Kind == "alert" || d.Kind == "beforeunload"}
}

// watchDialogs answers the dialogs of one session at once: an open dialog
// stops its page and every command to it. A cross-site frame's dialog is
// reported on its page's session.
func (t *tab) watchDialogs() {
	onEvent(t.sess, page.JavascriptDialogOpening, func(ev page.EventJavascriptDialogOpening) {
		d := Dialog{
			Tab: t.owner.shortID(t), Kind: string(ev.Type), Message: ev.Message,
			Default: ev.DefaultPrompt, URL: ev.URL,
		}
		decide := t.owner.cfg.OnDialog
		if decide == nil {
			t.answerDialog(d, defaultDialogAnswer(d))
			return
		}
		// The hook may take its time, for example to ask a person; the
		// tab's events must not wait for it.
		t.update(func() { t.asking++ })
		go func() {
			defer t.update(func() { t.asking-- })
			t.answerDialog(d, decide(d))
		}()
	})
	onEvent(t.sess, page.FileChooserOpened, func(ev page.EventFileChooserOpened) {
		t.emit(FileChooserOpened{
			Tab: t.owner.shortID(t), Multiple: ev.Mode == page.FileChooserOpenedModeSelectMultiple,
		})
	})
}

func (t *tab) answerDialog(d Dialog, a DialogAnswer) {
	params := page.HandleJavaScriptDialogParams{Accept: a.Accept}
	if a.Accept && d.Kind == "prompt" {
		params.PromptText = a.Text
	}
	if d.Kind == "beforeunload" && !a.Accept {
		t.update(func() { t.kept++ })
	}
	// Reported first: whoever waited for the page to go on finds it.
	t.emit(DialogOpened{Dialog: d, Accepted: a.Accept, Text: a.Text})
	t.sess.send(page.CommandHandleJavaScriptDialog, params)
}

// asking reports whether the current tab has a dialog that nobody answered yet.
func (s *Session) asking() bool {
	t := s.currentTab()
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.asking > 0
}

// dialogsAnswered waits until the current tab has no open dialog.
func (s *Session) dialogsAnswered(ctx context.Context) error {
	t := s.currentTab()
	if t == nil {
		return nil
	}
	err := t.waitFor(ctx, func() bool { return t.asking == 0 || t.err != nil })
	if err != nil {
		return fmt.Errorf("a dialog is open and Config.OnDialog has not answered it: %w", err)
	}
	return nil
}
