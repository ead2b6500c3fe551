package browser

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that callers branch on.
var (
	// ErrClosed is returned by every call on a session after Close.
	ErrClosed = errors.New("browser: session is closed")
	// ErrDisconnected is returned when the connection to Chrome is lost,
	// because Chrome died or the socket dropped.
	ErrDisconnected = errors.New("browser: connection to Chrome is lost")
	// ErrNoChrome is returned when no Chrome or Chromium can be found.
	ErrNoChrome = errors.New("browser: no Chrome found")
	// ErrNoTab is returned when a tab id names no tab of the session.
	ErrNoTab = errors.New("browser: no such tab")
	// ErrCrashed is returned by calls on a tab whose renderer crashed. The
	// next call opens the tab's address again.
	ErrCrashed = errors.New("browser: tab crashed")
	// ErrHung is returned by calls on a tab whose page did not answer any
	// more; another tab has taken its place.
	ErrHung = errors.New("browser: page does not answer")
)

// LaunchError says why a Chrome did not start.
type LaunchError struct {
	Path   string // the executable that was tried
	Stderr string // the tail of what it printed
	Err    error  // the cause
}

// Error names the executable, the cause and what Chrome printed last.
func (e *LaunchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "browser: launch %s: %v", e.Path, e.Err)
	if s := strings.TrimSpace(e.Stderr); s != "" {
		fmt.Fprintf(&b, "; Chrome printed: %s", s)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *LaunchError) Unwrap() error { return e.Err }

// ConnectError says why a running Chrome could not be reached.
type ConnectError struct {
	URL string // as configured, without credentials
	Err error
}

// Error names the address, the cause and what to check.
func (e *ConnectError) Error() string {
	return fmt.Sprintf("browser: connect to %s: %v (is Chrome running there with --remote-debugging-port?)", e.URL, e.Err)
}

// Unwrap returns the cause.
func (e *ConnectError) Unwrap() error { return e.Err }

// NavigationError says why a page could not be opened.
type NavigationError struct {
	URL  string
	Text string // Chrome's words, such as net::ERR_NAME_NOT_RESOLVED
	Err  error  // the cause when it is one of ours, such as a policy denial
}

// Error names the URL and the reason.
func (e *NavigationError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("browser: open %s: %v", e.URL, e.Err)
	}
	return fmt.Sprintf("browser: open %s: %s", e.URL, e.Text)
}

// Unwrap returns the cause.
func (e *NavigationError) Unwrap() error { return e.Err }

// ProtocolError is an error answer of the Chrome DevTools Protocol.
type ProtocolError struct {
	Method  string
	Code    int64
	Message string
}

// Error names the command and Chrome's answer.
func (e *ProtocolError) Error() string {
	return fmt.Sprintf("browser: %s: %s (%d)", e.Method, e.Message, e.Code)
}
