package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
)

// Upload sets files on the file input with the number index of the page
// state, on the one that the element is the button or label of, or on the one
// that opens when the element is clicked. The paths are of this machine; each
// must be a file that is not empty. The field is read back.
//
// Which files may leave the machine is for the caller to decide.
func (s *Session) Upload(ctx context.Context, index int, paths ...string) (*Effect, error) {
	abs, err := checkFiles(paths)
	if err != nil {
		return nil, err
	}
	e, err := s.element(ctx, index)
	if err != nil {
		return nil, err
	}
	return e.upload(ctx, abs)
}

func checkFiles(paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, &ActionError{Reason: ReasonNotFound, Detail: "no file was named"}
	}
	out := make([]string, len(paths))
	for i, p := range paths {
		name := filepath.Base(p)
		st, err := os.Stat(p)
		switch {
		case err != nil:
			return nil, &ActionError{Reason: ReasonNotFound, Err: err, Detail: fmt.Sprintf("there is no file %q", name)}
		case !st.Mode().IsRegular():
			return nil, &ActionError{Reason: ReasonNotFound, Detail: fmt.Sprintf("%q is not a file", name)}
		case st.Size() == 0:
			return nil, &ActionError{Reason: ReasonNotFound, Detail: fmt.Sprintf("the file %q is empty", name)}
		}
		if out[i], err = filepath.Abs(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

type fileField struct {
	What     string   `json:"what"`
	Multiple bool     `json:"multiple"`
	Folder   bool     `json:"folder"`
	Accept   string   `json:"accept"`
	None     bool     `json:"none"`
	Near     bool     `json:"near"` // none for sure, but one is near
	Names    []string `json:"names"`
	Linked   bool     `json:"linked"`
}

func (e *actTarget) upload(ctx context.Context, paths []string) (*Effect, error) {
	w := e.tab.watchEffects()
	defer w.stop()
	var f fileField
	if err := e.do(ctx, "fileField", nil, &f); err != nil {
		return nil, err
	}
	field := &actTarget{tab: e.tab, frame: e.frame, index: e.index, stash: 1}
	if f.None {
		asking, err := e.choose(ctx, f.What)
		var none *ActionError
		switch {
		case f.Near && errors.As(err, &none) && none.Reason == ReasonWrongKind:
			// It asks for no file when it is pressed: the nearest is meant.
			err = e.do(ctx, "fileField", map[string]any{"near": true}, &f)
		case err == nil:
			field = asking
			err = field.do(ctx, "fileField", map[string]any{"loose": true}, &f)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(paths) > 1 && !f.Multiple && !f.Folder {
		return nil, &ActionError{Index: e.index, What: f.What, Reason: ReasonWrongKind, Detail: "takes one file only"}
	}
	obj, err := field.object(ctx)
	if err != nil {
		return nil, err
	}
	t := e.tab
	t.mu.Lock()
	fr := t.frames[field.frame]
	t.mu.Unlock()
	if fr == nil {
		return nil, e.stale()
	}
	if _, err := cdp.Call(ctx, fr.sess, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: obj.obj}); err != nil {
		return nil, fmt.Errorf("browser: upload to %s: %w", f.What, err)
	}
	eff := &Effect{What: f.What, Changed: true}
	var after fileField
	if err := obj.do(ctx, "fileNames", nil, &after); err != nil && (ctx.Err() != nil || !isGoneFrame(err)) {
		return nil, err
	} else if err == nil && after.Linked && len(after.Names) != len(paths) {
		// A page that sends files at once may empty the field.
		if len(after.Names) != 0 {
			return eff, &ActionError{Index: e.index, What: f.What, Reason: ReasonNoEffect, Detail: "now holds " + strings.Join(after.Names, ", ")}
		}
		eff.Notes = append(eff.Notes, "the page took the files and emptied the field")
	}
	if f.Accept != "" && !accepts(f.Accept, paths) {
		eff.Notes = append(eff.Notes, "the field asks for "+f.Accept+"; the page may refuse the file")
	}
	w.await(ctx, 0)
	w.finish(ctx, eff, false)
	return eff, nil
}

// accepts is a rough reading of an accept attribute: extensions count, types
// by their first part do not.
func accepts(accept string, paths []string) bool {
	exts, typed := map[string]bool{}, false
	for _, a := range strings.Split(strings.ToLower(accept), ",") {
		a = strings.TrimSpace(a)
		if strings.HasPrefix(a, ".") {
			exts[a] = true
		} else if a != "" {
			typed = true
		}
	}
	if typed || len(exts) == 0 {
		return true
	}
	for _, p := range paths {
		if !exts[strings.ToLower(filepath.Ext(p))] {
			return false
		}
	}
	return true
}

// choose clicks a button that opens the choice of a file and returns the input
// that the page opened it for.
func (e *actTarget) choose(ctx context.Context, what string) (*actTarget, error) {
	t := e.tab
	opened := make(chan page.EventFileChooserOpened, 1)
	t.mu.Lock()
	f := t.frames[e.frame]
	t.mu.Unlock()
	if f == nil {
		return nil, e.stale()
	}
	off := onEvent(f.sess, page.FileChooserOpened, func(ev page.EventFileChooserOpened) {
		select {
		case opened <- ev:
		default:
		}
	})
	defer off()
	if _, err := e.click(ctx, ClickOptions{}); err != nil {
		return nil, err
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case ev := <-opened:
		if ev.BackendNodeID == 0 {
			break
		}
		return t.node(ctx, e.frame, ev.BackendNodeID)
	case <-timer.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return nil, &ActionError{Index: e.index, What: what, Reason: ReasonWrongKind, Detail: "is no file field, is near none, and asks for no file when it is clicked; give the number of the file field or of its button"}
}

// object resolves a target to a handle that protocol commands take.
func (e *actTarget) object(ctx context.Context) (*actTarget, error) {
	if e.obj != "" {
		return e, nil
	}
	sess, world, err := e.tab.world(ctx, e.frame)
	if err != nil {
		return nil, err
	}
	var res struct {
		Result struct {
			ObjectID string `json:"objectId"`
		} `json:"result"`
	}
	err = callRaw(ctx, sess, "Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": `() => globalThis.__webhandAct('self', 0)`, "executionContextId": world,
	}, &res)
	if err != nil {
		return nil, err
	}
	if res.Result.ObjectID == "" {
		return nil, e.stale()
	}
	out := &actTarget{tab: e.tab, frame: e.frame, index: e.index}
	out.setObject(res.Result.ObjectID)
	return out, nil
}
