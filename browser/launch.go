package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
)

// launch starts Chrome and returns a connection to it that has answered.
func launch(ctx context.Context, cfg Config, r *route) (*conn, *process, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("browser: launch: %w", context.Cause(ctx))
	}
	path := cfg.ExecPath
	if path == "" {
		var err error
		if path, err = FindChannel(cfg.Channel); err != nil {
			return nil, nil, err
		}
	}
	dir, temp, err := profileDir(cfg)
	if errors.Is(err, ErrProfileInUse) && cfg.TempProfileIfInUse {
		cfg.Logger.Warn("browser: a temporary profile is used instead", "err", err)
		cfg.UserDataDir = ""
		dir, temp, err = profileDir(cfg)
	}
	if err != nil {
		return nil, nil, &LaunchError{Path: path, Err: err}
	}
	// Not CommandContext: ctx bounds the start, not the life of Chrome.
	cmd := exec.Command(path, commandLine(cfg, dir, r)...)
	cmd.Env = append(os.Environ(), cfg.Env...)
	tr, proc, err := startWithTransport(ctx, cmd, dir, temp)
	if err != nil {
		if temp {
			_ = os.RemoveAll(dir)
		}
		return nil, nil, &LaunchError{Path: path, Err: err}
	}
	c := newConn(tr)
	if _, err := cdp.Call(ctx, c.root, cdpbrowser.GetVersion, cdp.Empty{}); err != nil {
		// A Chrome that dies says why on stderr; let it finish saying it.
		if errors.Is(err, ErrDisconnected) {
			select {
			case <-proc.exited:
				if proc.exitErr != nil {
					err = fmt.Errorf("the process exited: %w", proc.exitErr)
				} else {
					err = errors.New("the process exited at once")
				}
			case <-ctx.Done():
			}
		}
		if cfg.Headful && noDisplay(proc.out.String()) {
			err = fmt.Errorf("%w: there is no display for a window; leave Headful out, or start Xvfb and set DISPLAY", err)
		}
		c.shutdown(ErrClosed)
		_ = proc.stop(0)
		return nil, nil, &LaunchError{Path: path, Stderr: proc.out.String(), Err: err}
	}
	return c, proc, nil
}

// noDisplay reports whether Chrome complains that it has nowhere to show a
// window.
func noDisplay(stderr string) bool {
	return strings.Contains(stderr, "Missing X server") || strings.Contains(stderr, "cannot open display") || strings.Contains(stderr, "Failed to connect to Wayland display")
}
