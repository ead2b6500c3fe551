//go:build !windows

package browser

import (
	"context"
	"os"
	"os/exec"

	"github.com/chromedp/chromedp"

	"github.com/seed-4bdb41d0/webhand/internal/cdpcbor"
)

// startWithTransport starts Chrome with the protocol on a pipe: Chrome reads
// commands from file descriptor 3 and writes to 4. No port is opened, and
// Chrome exits when this program does.
func startWithTransport(_ context.Context, cmd *exec.Cmd, dir string, temp bool) (chromedp.Transport, *process, error) {
	cmd.Args = append(cmd.Args, "--remote-debugging-pipe=cbor", "about:blank")
	childR, parentW, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	parentR, childW, err := os.Pipe()
	if err != nil {
		childR.Close()
		parentW.Close()
		return nil, nil, err
	}
	cmd.ExtraFiles = []*os.File{childR, childW}
	proc, err := startProcess(cmd, dir, temp)
	childR.Close()
	childW.Close()
	if err != nil {
		parentR.Close()
		parentW.Close()
		return nil, nil, err
	}
	return cdpcbor.New(parentR, parentW), proc, nil
}
