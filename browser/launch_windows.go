package browser

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

var devToolsLine = regexp.MustCompile(`DevTools listening on (ws://\S+)`)

// startWithTransport starts Chrome with the protocol on a websocket: the
// standard library cannot hand pipe handles to a child on Windows.
func startWithTransport(ctx context.Context, cmd *exec.Cmd, dir string, temp bool) (chromedp.Transport, *process, error) {
	cmd.Args = append(cmd.Args, "--remote-debugging-port=0", "about:blank")
	proc, err := startProcess(cmd, dir, temp)
	if err != nil {
		return nil, nil, err
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if m := devToolsLine.FindStringSubmatch(proc.out.String()); m != nil {
			c, err := remote.DialContext(ctx, m[1])
			if err != nil {
				_ = proc.stop(0)
				return nil, nil, err
			}
			return c, proc, nil
		}
		select {
		case <-tick.C:
		case <-proc.exited:
			return nil, nil, errors.New("Chrome exited at once: " + proc.out.String())
		case <-ctx.Done():
			_ = proc.stop(0)
			return nil, nil, context.Cause(ctx)
		}
	}
}
