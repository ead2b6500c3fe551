package browser

import (
	"github.com/chromedp/cdproto/page"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// bootName is what the scripts hang on in the isolated world of a document
// that came after the tab was first looked at.
const bootName = "__webhandBoot"

// bootSource lays the scripts ready without running them: sending 150 KB to
// each new document and compiling it takes a page longer than a look at it.
// Chrome keeps what it compiled of it for as long as the process lives.
var bootSource = "if (parent === self) globalThis." + bootName + " = {" +
	"walker: () => " + dom.Script() + ",\n" +
	"act: () => { (" + actSource + ")(); return globalThis.__webhandAct; }}"

// bootWalker installs the walker from what is ready; its value is the
// document's token, or nothing when nothing is ready.
const bootWalker = "globalThis." + bootName + " ? " + bootName + ".walker() : ''"

// bootNext has the tab's next documents come with the scripts ready
// (Page.addScriptToEvaluateOnNewDocument). Those of frames get them when they
// are first looked at. It reports whether this one may have them already.
func (t *tab) bootNext() bool {
	t.mu.Lock()
	booted := t.booted
	t.booted = true
	t.mu.Unlock()
	if !booted {
		t.sess.send(page.CommandAddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: bootSource, WorldName: worldName,
		})
	}
	return booted
}
