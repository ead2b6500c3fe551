// Package browser drives Chrome for an agent: it launches one or attaches to
// one, keeps tabs, frames and workers known, and reads and acts on pages.
//
// A [Session] is what an agent holds: one isolated set of tabs, cookies and
// downloads. [New] starts a Chrome of its own for it; [Launch] starts one
// Chrome and [Browser.NewSession] puts many sessions into it, each in its own
// browser context.
//
//	s, err := browser.New(ctx, browser.Config{})
//	if err != nil { ... }
//	defer s.Close()
//	if _, err := s.Navigate(ctx, "https://go.dev"); err != nil { ... }
//
// The life of a session is apart from the context of any call: a call whose
// context ends returns at once and leaves the tab usable. Only Close, or the
// death of Chrome, ends a session; [Session.Relaunch] then gives another with
// the pages it had. A dropped connection to a Chrome that lives is made again
// by itself.
//
// All commands travel over one connection (a pipe to a launched Chrome, a
// websocket to a remote one) as flat sessions of the Chrome DevTools Protocol.
package browser
