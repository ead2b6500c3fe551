package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// equip gets everything a run needs: folder, history file, browser.
func (a *Agent) equip(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := a.folder.open(a.cfg.Dir, a.cfg.ID); err != nil {
		return err
	}
	if a.cfg.HistoryFile != "" {
		resumed := a.cfg.State != nil || len(a.History().Steps) > 0
		j, err := openJournal(a.cfg.HistoryFile, a.hist, resumed)
		if err != nil {
			return err
		}
		a.journal = j
		if last := a.hist.last(); j.found && last.FirstStep == len(a.hist.Steps) {
			j.write(line{Task: last}) // a follow-up that the file does not know
		}
	}
	if err := a.openBrowser(ctx); err != nil {
		return err
	}
	a.deps = a.baseDeps(a.session, a.folder.files)
	a.log.Info("run begins", "task", a.mind.Task, "model", a.hist.Model)
	return nil
}

// open equips a run and brings the browser to where it starts.
func (r *run) open(ctx context.Context) error {
	a := r.a
	if err := a.equip(ctx); err != nil {
		return err
	}
	if a.mind.Number == 0 && len(a.mind.Log.Entries()) > 0 {
		if err := r.start(ctx); err != nil {
			return err
		}
		a.recall(ctx, origin(currentURL(a.session)))
		return nil
	}
	if u := a.mind.URL; !blank(u) && blank(currentURL(a.session)) {
		// A state from elsewhere, or a browser launched anew.
		if _, err := a.session.Navigate(ctx, u); err != nil {
			if ctx.Err() != nil || browserGone(err) {
				return err
			}
			a.mind.Notes = append(a.mind.Notes, "The page of your last step could not be opened again: "+oneLine(err.Error(), 200))
		}
	}
	return nil
}

// openBrowser takes the configured session, keeps the one that is there, or
// launches one.
func (a *Agent) openBrowser(ctx context.Context) error {
	if a.session != nil && a.session.Alive() {
		return nil
	}
	s := a.cfg.Browser
	if s == nil {
		if a.session != nil {
			_ = a.session.Close() // it died between two runs
		}
		var err error
		cfg := a.cfg.BrowserConfig
		if cfg.DownloadDir == "" && a.cfg.Dir != "" {
			cfg.DownloadDir = filepath.Join(a.folder.path, "downloads")
		}
		if s, err = browser.New(ctx, cfg); err != nil {
			return fmt.Errorf("agent: %w", err)
		}
	} else if err := s.Err(); err != nil {
		return fmt.Errorf("agent: Config.Browser: %w", err)
	}
	a.mu.Lock()
	a.session = s
	a.mu.Unlock()
	s.TakeEvents() // what happened before is not this run's business
	return nil
}

// start brings a first run to its first page: the configured actions, the
// configured address, or the one in the task. It is kept as step 0.
func (r *run) start(ctx context.Context) error {
	a := r.a
	actions := a.cfg.Start.Actions
	if len(actions) == 0 {
		u := a.cfg.Start.URL
		if u == "" && !a.cfg.Start.NoURLFromTask && blank(currentURL(a.session)) {
			u = startURL(a.mind.Task)
		}
		if u == "" {
			return nil
		}
		raw, err := json.Marshal(map[string]any{"navigate": map[string]any{"url": u}})
		if err != nil {
			return fmt.Errorf("agent: start: %w", err)
		}
		actions = []json.RawMessage{raw}
	}
	s := &Step{Started: time.Now(), Status: StepOK}
	s.Page = Page{URL: currentURL(a.session)}
	sctx, clock := startClock(ctx, a.cfg.Limits.Step)
	a.clock = clock
	w := &work{run: r, s: s, nonce: newNonce(), obs: &observation{page: s.Page}, chosen: true}
	err := w.startActions(sctx, actions)
	clock.end()
	s.Ended = time.Now()
	s.Timing.Total = s.Ended.Sub(s.Started).Milliseconds()
	s.Timing.Act = s.Timing.Total
	s.Err = err
	if err != nil {
		s.Status, s.Error = StepFailed, a.redact(advice(err))
		if ctx.Err() != nil || w.halt {
			s.Status = StepInterrupted
		}
	}
	a.commit(s, w.nonce)
	a.report(ctx, s)
	r.first = s
	if s.Status == StepInterrupted || browserGone(err) {
		return err
	}
	return nil
}

// startActions runs the first actions in order until one fails.
func (w *work) startActions(ctx context.Context, actions []json.RawMessage) error {
	a := w.run.a
	for _, raw := range actions {
		model := a.startReg.Compile(registry.Page{URL: currentURL(a.session)})
		call, err := model.Decode(raw)
		if err != nil {
			return fmt.Errorf("start action %s: %w", oneLine(string(raw), 100), err)
		}
		if _, numbers := indices(call.Args); len(numbers) > 0 {
			// Elements have numbers once the page was looked at.
			if w.obs.state, err = a.session.State(ctx, browser.StateOptions{}); err != nil {
				return fmt.Errorf("start action %s: the page could not be read: %w", call.Name, err)
			}
		}
		res, err := w.runCall(ctx, call)
		if err != nil {
			return err
		}
		if res.Error != "" {
			return errors.Join(fmt.Errorf("start action %s failed: %s", call.Name, res.Error), res.Err)
		}
	}
	return nil
}
