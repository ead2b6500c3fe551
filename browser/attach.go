package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// attach connects to a Chrome that runs already.
func attach(ctx context.Context, cfg Config) (*conn, error) {
	tr, err := dial(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return newConn(tr), nil
}

// dial opens the websocket of Config.RemoteURL.
func dial(ctx context.Context, cfg Config) (chromedp.Transport, error) {
	u, err := url.Parse(cfg.RemoteURL)
	if err != nil {
		return nil, &ConnectError{URL: cfg.RemoteURL, Err: fmt.Errorf("bad address: %w", err)}
	}
	shown := u.Redacted()
	wsURL := cfg.RemoteURL
	switch u.Scheme {
	case "ws", "wss":
	case "http", "https":
		if wsURL, err = webSocketURL(ctx, u, cfg.RemoteHeader); err != nil {
			return nil, &ConnectError{URL: shown, Err: err}
		}
	default:
		return nil, &ConnectError{URL: shown, Err: fmt.Errorf("scheme %q is not http, https, ws or wss", u.Scheme)}
	}
	tr, err := remote.DialContext(ctx, wsURL, remote.WithConnHTTPHeader(cfg.RemoteHeader))
	if err != nil {
		return nil, &ConnectError{URL: shown, Err: err}
	}
	return tr, nil
}

// webSocketURL asks /json/version, whose answer changes at every start of
// Chrome, and keeps host and port of the address that was given: Chrome
// reports the host it sees, not the one that a proxy or container exposes.
func webSocketURL(ctx context.Context, base *url.URL, header http.Header) (string, error) {
	q := *base
	q.Path = strings.TrimRight(q.Path, "/") + "/json/version"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, q.String(), nil)
	if err != nil {
		return "", err
	}
	for k, v := range header {
		req.Header[k] = v
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("/json/version answered %s", resp.Status)
	}
	var v struct {
		WebSocketDebuggerURL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.Unmarshal(body, &v); err != nil || v.WebSocketDebuggerURL == "" {
		return "", fmt.Errorf("/json/version is not Chrome's answer: %.80q", body)
	}
	ws, err := url.Parse(v.WebSocketDebuggerURL)
	if err != nil {
		return "", fmt.Errorf("/json/version names a bad address: %w", err)
	}
	ws.Host = base.Host
	if base.Scheme == "https" {
		ws.Scheme = "wss"
	}
	return ws.String(), nil
}
