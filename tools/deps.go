package tools

import (
	"context"
	"encoding/json"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// ExtractionLLM is the model that the extract action asks. It may be a smaller
// one than the agent's.
type ExtractionLLM interface{ llm.Client }

// ExtractionSchema is the JSON Schema that the extract action's answer must
// have when the call names none. Empty leaves the form of the answer free.
type ExtractionSchema json.RawMessage

// FilePaths are files of this machine, besides those of [Files], that the
// model may read and upload.
type FilePaths []string

// Provide adds a session to the dependencies of actions: the session itself,
// the page it shows, and the documents its elements are in, so that secrets are
// given only to the frame they are for. The folder for files is a temporary one
// that is gone with the session, and there are no other files and no schema for
// extract; provide your own after it.
func Provide(d registry.Deps, s *browser.Session) registry.Deps {
	d = registry.Provide(d, s)
	d = registry.Provide(d, PageOf(s))
	d = registry.Provide(d, OriginOf(s))
	f := newFiles(FilesConfig{})
	f.owner = s
	d = registry.Provide(d, f)
	d = registry.Provide(d, FilePaths(nil))
	return registry.Provide(d, ExtractionSchema(nil))
}

// PageOf returns a func that tells the page a session shows.
func PageOf(s *browser.Session) registry.PageFunc {
	return func(context.Context) (registry.Page, error) {
		if err := s.Err(); err != nil {
			return registry.Page{}, err
		}
		for _, t := range s.Tabs() {
			if t.Current {
				return registry.Page{URL: t.URL, Title: t.Title}, nil
			}
		}
		return registry.Page{}, nil
	}
}

// OriginOf returns a func that tells which document an action is about to
// write into.
func OriginOf(s *browser.Session) registry.OriginFunc {
	return func(ctx context.Context, action string, args json.RawMessage) (string, error) {
		var a struct {
			Index *int `json:"index"`
		}
		if json.Unmarshal(args, &a) == nil && a.Index != nil && *a.Index > 0 {
			return s.DocumentURL(ctx, *a.Index)
		}
		if action == "send_keys" {
			return s.FocusURL(ctx)
		}
		return "", nil
	}
}
