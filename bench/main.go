// Bench measures what a page state costs, here and in other tools, on the same
// pages in the same Chrome in one run, and prints one table: milliseconds
// (median) and tokens (o200k).
//
//	npm install && go run .
//
// With -actions it measures acting instead: milliseconds, median and least.
//
// A folder given with -pages is measured besides: every .html file in it.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"github.com/seed-4bdb41d0/webhand/internal/pagegen"
)

// subject is one way to read a page.
type subject interface {
	name() string
	// open shows a page.
	open(ctx context.Context, url string) error
	// read returns the page as it would be told to a model, and what that took.
	read(ctx context.Context) (text string, took time.Duration, err error)
	close()
}

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 10, "readings of each page, after two to warm up")
	folder := flag.String("pages", "", "folder with further pages")
	only := flag.String("only", "", "comma-separated names of what to measure; empty is all")
	skipTable := flag.Bool("short", false, "leave out the page of 60,000 nodes")
	limit := flag.Duration("limit", 2*time.Minute, "most time for one tool on one page; what takes longer is given up")
	act := flag.Bool("actions", false, "measure click, typing, select and scroll instead of page states")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *act {
		if err := actions(ctx, *n, *only); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := run(ctx, *n, *folder, *only, *skipTable, *limit); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, n int, folder, only string, short bool, limit time.Duration) error {
	pages, stop, err := serve(folder, short)
	if err != nil {
		return err
	}
	defer stop()
	enc, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	fmt.Printf("| page | tool | ms | min | tokens |\n|---|---|---|---|---|\n")
	for _, s := range subjects() {
		if only != "" && !slices.Contains(strings.Split(only, ","), s.label) {
			continue
		}
		if err := measure(ctx, s, pages, n, limit, enc); err != nil {
			fmt.Printf("| – | %s | %v | | |\n", s.label, err)
		}
	}
	return nil
}

type page struct{ name, url string }

// serve offers the pages at two addresses, so that one can embed the other's
// as cross-site frames.
func serve(folder string, short bool) ([]page, func(), error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	port := ln.Addr().(*net.TCPAddr).Port
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	mux := http.NewServeMux()
	mux.Handle("/", pagegen.Handler(fmt.Sprintf("http://localhost:%d", port)))
	var pages []page
	for _, name := range pagegen.Names {
		if short && name == "table" {
			continue
		}
		pages = append(pages, page{name, base + "/" + name})
	}
	if folder != "" {
		files, err := filepath.Glob(filepath.Join(folder, "*.html"))
		if err != nil {
			return nil, nil, err
		}
		mux.Handle("/real/", http.StripPrefix("/real/", http.FileServer(http.Dir(folder))))
		for _, f := range files {
			pages = append(pages, page{filepath.Base(f), base + "/real/" + filepath.Base(f)})
		}
	}
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(ln) }()
	return pages, func() { _ = srv.Close() }, nil
}

// rest is how long each Chrome is left alone before it is measured.
const rest = 5 * time.Second

// measure reads every page with one subject, attached to a Chrome of its own.
func measure(ctx context.Context, e entry, pages []page, n int, limit time.Duration, enc tokenizer.Codec) error {
	c, err := startChrome(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	s, err := e.start(ctx, c)
	if err != nil {
		return err
	}
	defer s.close()
	// Chrome goes on starting for some seconds after it answers. A tool that
	// is ready at once must not be measured beside that, where one that takes
	// its time is not.
	select {
	case <-time.After(rest):
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, p := range pages {
		line, err := readings(ctx, s, p, n, limit, enc)
		if err != nil {
			line = fmt.Sprintf("%v | | |", err)
		}
		fmt.Printf("| %s | %s | %s\n", p.name, s.name(), line)
	}
	return nil
}

func readings(ctx context.Context, s subject, p page, n int, limit time.Duration, enc tokenizer.Codec) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("given up after %v", limit))
	defer cancel()
	if err := s.open(ctx, p.url); err != nil {
		return "", err
	}
	var times []time.Duration
	text := ""
	for i := range n + 2 {
		var took time.Duration
		var err error
		var now string
		if now, took, err = s.read(ctx); err != nil {
			if len(times) > 0 {
				break // the limit: what was read until then counts
			}
			return "", err
		}
		text = now
		if i >= 2 {
			times = append(times, took)
		}
		if took > 20*time.Second && len(times) > 0 {
			break
		}
	}
	slices.Sort(times)
	tokens, err := enc.Count(text)
	if err != nil {
		return "", err
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("%.1f | %.1f | %d |", ms(times[len(times)/2]), ms(times[0]), tokens), nil
}
