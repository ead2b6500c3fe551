// Package tools holds the actions that every agent starts with: going to
// pages, clicking, typing, choosing, scrolling, reading, extracting, working
// with files, and finishing.
//
// [New] is a registry of all of them. Users exclude, replace and add:
//
//	ts := tools.New()
//	ts.Exclude("search")
//	ts.MustAdd(registry.Spec{Name: "save_model", Description: "..."}, saveModel)
//
// [Only] is a registry of some. Every action does what it says or says why it
// did not: a failure is always in Result.Error, in one short line that names
// the next move, and what came of an action besides the obvious is in
// Result.Effects.
//
// The actions are injected with a [*browser.Session], and where they need them
// with [*Files], [FilePaths], [ExtractionLLM] and [ExtractionSchema].
package tools
