// Package mcpserver makes a browser a tool of other programs: it serves the
// built-in actions, the page state, and whole tasks over the Model Context
// Protocol.
//
//	s, err := mcpserver.New(mcpserver.Config{LLM: model})
//	defer s.Close()
//	err = s.Stdio(ctx, os.Stdin, os.Stdout) // or http.Serve(ln, s.Handler())
//
// Every connection has a browser session of its own, with its own cookies and
// tabs, which is opened by the first tool that needs it and closed when it was
// not used for a while, with the connection, or by a tool. What a session may
// open and do is set by [Config] alone: a client can narrow it for a task and
// never widen it.
//
// Answers are short. The page state is a tool of its own; other tools send it
// along only when asked with "state": true.
package mcpserver
