package agent

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-4bdb41d0/webhand/tools"
)

// folder is where the agent keeps screenshots and files.
type folder struct {
	path  string // "" while there is none
	own   bool   // a temporary one, removed in the end
	files *tools.Files
}

// open makes the folder, at dir or in the system's place for temporary files.
func (f *folder) open(dir, id string) error {
	if f.path != "" {
		return nil
	}
	if dir == "" {
		tmp, err := os.MkdirTemp("", "webhand-agent-"+id+"-")
		if err != nil {
			return fmt.Errorf("agent: folder: %w", err)
		}
		f.path, f.own = tmp, true
		return f.openFiles()
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("agent: folder: %w", err)
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return fmt.Errorf("agent: folder: %w", err)
	}
	f.path = abs
	return f.openFiles()
}

// openFiles opens the part of the folder that the model writes to.
func (f *folder) openFiles() (err error) {
	if f.files, err = tools.OpenFiles(tools.FilesConfig{Dir: filepath.Join(f.path, "files")}); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	return nil
}

// saveScreenshot keeps a picture and returns its name relative to the folder.
// In a temporary folder only the last few are kept: nobody but the judge will
// look at them.
func (f *folder) saveScreenshot(step int, data []byte) (string, error) {
	dir := filepath.Join(f.path, "screenshots")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	name := screenshotName(step, data)
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		return "", err
	}
	if f.own && step > judgedScreenshots {
		for _, ext := range []string{"png", "jpg"} {
			_ = os.Remove(filepath.Join(dir, fmt.Sprintf("step_%d.%s", step-judgedScreenshots, ext)))
		}
	}
	return "screenshots/" + name, nil
}

func screenshotName(step int, data []byte) string {
	ext := "png"
	if bytes.HasPrefix(data, []byte("\xff\xd8")) {
		ext = "jpg"
	}
	return fmt.Sprintf("step_%d.%s", step, ext)
}

// read returns a kept file.
func (f *folder) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(f.path, filepath.FromSlash(name)))
}

// close gives the folder up; a temporary one is removed.
func (f *folder) close() error {
	if f.path == "" {
		return nil
	}
	err := f.files.Close()
	if f.own {
		err = errors.Join(err, os.RemoveAll(f.path))
	}
	*f = folder{}
	return err
}
