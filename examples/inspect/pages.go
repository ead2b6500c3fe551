package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/examples/internal/pagejson"
)

// lookAtPages serves a folder of saved pages on loopback and prints a line for
// each: what a look at it costs and shows.
func lookAtPages(ctx context.Context, s *browser.Session, o options, out io.Writer) error {
	folder := os.DirFS(o.pages)
	var pages []string
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if ext := path.Ext(name); err == nil && !d.IsDir() && (ext == ".html" || ext == ".htm") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("-pages: %w", err)
	}
	if len(pages) == 0 {
		return fmt.Errorf("-pages: there is no .html file in %s", o.pages)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: http.FileServerFS(folder), ReadHeaderTimeout: 10 * time.Second}
	defer srv.Close()
	go func() { _ = srv.Serve(ln) }()
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "page\tms\ttokens\ttargets\tmissing")
	for _, name := range pages {
		u := url.URL{Scheme: "http", Host: ln.Addr().String(), Path: "/" + name}
		_, err := s.Navigate(ctx, u.String())
		var st *browser.State
		var times []pagejson.MS
		if err == nil {
			st, times, err = states(ctx, s, browser.StateOptions{Full: o.full, Text: o.text, Fresh: true}, o.n)
		}
		if err != nil {
			if ctx.Err() != nil || !s.Alive() {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Fprintf(w, "%s\t\t\t\t%v\n", name, err)
			continue
		}
		fmt.Fprintf(w, "%s\t%.1f\t%d\t%d\t%s\n", name, at(times, o.n/2).Total, st.Text.Tokens, st.Page.Targets(), strings.Join(st.Page.Missing, "; "))
	}
	return w.Flush()
}
