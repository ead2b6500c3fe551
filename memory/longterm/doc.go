// Package longterm is memory that outlives a run: facts about users and
// agents, added from conversations, searched by words or meaning, changed and
// deleted with a history, kept in one store.
//
// The usual way in is the store of memory/sqlite, one file:
//
//	mem, err := sqlite.Open(ctx, "memory.db", longterm.Config{LLM: client})
//	defer mem.Close()
//	_, err = mem.Add(ctx, longterm.Text("I moved to Hefei last week."),
//		longterm.AddOptions{Scope: longterm.Scope{UserID: "zhang"}})
//	found, err := mem.Search(ctx, "where does he live",
//		longterm.SearchOptions{Scope: longterm.Scope{UserID: "zhang"}})
//
// [Memory.Add] asks a language model what is worth keeping. The default
// pipeline, [TwoPhase], then asks what that means for the memories there are:
// add, update, delete or nothing. [Additive] asks once and only adds. With
// NoInfer nothing is asked and the messages are stored as they are.
//
// Without an embedder in [Config] the search is lexical: it finds shared
// words, stems and spellings in any script, not shared meaning, and no text
// leaves the process. SearchResult.Mode says which of both it was.
//
// Every call that touches more than one memory needs a [Scope]. What a call
// reports is what its transaction committed, nothing else.
//
// The JSON names and shapes are those of Mem0, so that clients, fixtures and
// servers of either understand each other.
package longterm
