package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// UploadFileParams are the parameters of upload_file.
type UploadFileParams struct {
	Index int      `json:"index" jsonschema:"minimum=1" jsonschema_description:"the file field, or its button"`
	Path  string   `json:"path,omitempty" jsonschema_description:"a file that is listed, was downloaded or was written"`
	Paths []string `json:"paths,omitempty" jsonschema_description:"several files, for a field that takes several"`
}

func uploadActions() []builtin {
	return []builtin{{
		registry.Spec{Name: "upload_file", Description: "Put files into a file field."},
		uploadFile,
	}}
}

func uploadFile(ctx context.Context, p UploadFileParams, s *browser.Session, f *Files, known FilePaths) (*registry.Result, error) {
	asked := p.Paths
	if p.Path != "" {
		asked = append([]string{p.Path}, asked...)
	}
	if len(asked) == 0 {
		return nil, errors.New("upload_file: name the file in path")
	}
	paths := make([]string, len(asked))
	for i, a := range asked {
		var err error
		if paths[i], err = allowedFile(a, s, f, known); err != nil {
			return nil, fmt.Errorf("upload_file: %w", err)
		}
	}
	eff, err := s.Upload(ctx, p.Index, paths...)
	if err != nil {
		return acted("", eff, failedTo("upload_file", err))
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	return acted(fmt.Sprintf("Put %s into %s", strings.Join(names, ", "), element(p.Index, eff.What)), eff, nil)
}

// errNotAllowed says that a file is none that may be used.
var errNotAllowed = errors.New("is no file that may be used here")

// allowedFile returns the path of a file that the model may read or send:
// one that the program listed, that the session downloaded, or that was
// written. A bare name does when it stands for one file only.
func allowedFile(asked string, s *browser.Session, f *Files, known FilePaths) (string, error) {
	var all []string
	all = append(all, known...)
	if s != nil {
		for _, d := range s.Downloads() {
			if d.Done && d.Path != "" {
				all = append(all, d.Path)
			}
		}
	}
	var byName []string
	for _, k := range all {
		if k == asked || samePath(k, asked) {
			return k, nil
		}
		if filepath.Base(k) == asked {
			byName = append(byName, k)
		}
	}
	if len(byName) == 1 {
		return byName[0], nil
	}
	if len(byName) > 1 {
		return "", fmt.Errorf("more than one file is called %q; give the whole path: %s", asked, strings.Join(byName, ", "))
	}
	// Of the agent's own folder the name alone counts, and only if that is
	// what was asked for.
	if filepath.Base(asked) == asked || f != nil && samePath(filepath.Join(f.Dir(), filepath.Base(asked)), asked) {
		if path, ok := f.Path(asked); ok {
			if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
				return path, nil
			}
		}
	}
	all = append(all, ownNames(f)...)
	if len(all) == 0 {
		return "", fmt.Errorf("%q %w; there are none", asked, errNotAllowed)
	}
	return "", fmt.Errorf("%q %w; there are %s", asked, errNotAllowed, strings.Join(all[:min(len(all), 20)], ", "))
}

func ownNames(f *Files) []string {
	names, err := f.List()
	if err != nil {
		return nil
	}
	return names
}

func samePath(a, b string) bool {
	x, err := filepath.Abs(a)
	if err != nil {
		return false
	}
	y, err := filepath.Abs(b)
	return err == nil && x == y
}
