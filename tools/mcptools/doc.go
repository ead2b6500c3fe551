// Package mcptools makes the tools of an MCP server actions that an agent can
// choose.
//
//	c, err := mcptools.Connect(ctx, mcptools.Config{
//		Name:    "files",
//		Command: []string{"npx", "-y", "@modelcontextprotocol/server-filesystem", "/srv/reports"},
//	})
//	defer c.Close()
//	ts := tools.New()
//	names, err := c.AddTo(ts) // files_read_text_file, files_list_directory, ...
//
// Every tool keeps its JSON Schema whole. A tool that cannot be an action is
// reported and costs the others nothing, and no action that is there already
// is ever replaced. The connection is made again when it breaks, and changes
// of the server's list are followed.
package mcptools
