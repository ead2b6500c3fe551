// Package report turns the history of a run into something to look at: a
// single-file HTML page that opens offline, and an animated GIF.
//
//	f, _ := os.Create("run.html")
//	err := report.HTML(f, history, report.HTMLOptions{})
//
// Both read the screenshots that the history names, relative to History.Dir.
// Nothing they write loads anything from anywhere, and page content in the
// report is inert text.
package report
