// Package dom turns a captured web page into what a language model sees of it.
//
// The package knows no browser. [Script] is the JavaScript that walks a page
// inside the browser; it answers with a compact text that [Decode] reads. One
// or more decoded captures (the page and its cross-process frames) become a
// [Page]: everything a person could point at, in reading order, with box, name,
// role, state and, for what can be used, an index that stays with the element
// for as long as it lives ([Numbering]).
//
// From one Page come many texts: [Page.Text] renders the lean form for a model
// under a hard token budget, [Page.Find] searches it, [Diff] says what changed
// since the last one, [Markdown] extracts the content, and [DrawMarks] puts the
// numbers on a screenshot. [Match] finds an element again in a later page.
package dom
