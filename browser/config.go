package browser

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Config describes a Chrome and a session in it. The zero value launches the
// Chrome or Chromium found on this machine, headless, with a temporary profile
// that is removed on Close.
type Config struct {
	// ExecPath is the Chrome to launch. Empty searches the usual places.
	ExecPath string
	// Channel picks the installed browser to launch, as [FindChannel] takes
	// it, when ExecPath is empty.
	Channel string
	// Headful shows a window. It needs a display; on a server, Xvfb will do.
	Headful bool
	// RemoteURL attaches to a running Chrome instead of launching one:
	// http://host:port (its /json/version is asked) or ws://... as it is.
	RemoteURL string
	// RemoteHeader is sent on the requests that reach RemoteURL.
	RemoteHeader http.Header
	// UserDataDir is the profile directory of a launched Chrome. Empty is a
	// temporary one. A directory that is given is never removed.
	UserDataDir string
	// ProfileDirectory picks one of the profiles in UserDataDir, such as
	// "Profile 1". Empty is Chrome's default.
	ProfileDirectory string
	// CopyProfile launches with a temporary copy of the profile in
	// UserDataDir, without caches: the way to use the logins of a Chrome that
	// is open.
	CopyProfile bool
	// TempProfileIfInUse launches with an empty temporary profile when
	// another Chrome holds UserDataDir, instead of a *ProfileInUseError.
	TempProfileIfInUse bool
	// Extensions are directories of unpacked extensions to load. Branded
	// Chrome of today ignores them; Chromium does not.
	Extensions []string
	// DisableSecurity turns the same-origin policy and site isolation off.
	// For test sites of one's own only.
	DisableSecurity bool
	// Deterministic makes pages draw the same on every machine: fixed random
	// seed, fonts and colours.
	Deterministic bool
	// Flags are further command-line flags by name without dashes; the value
	// is empty for a switch. A name set here replaces webhand's default;
	// enable-features and disable-features are merged.
	Flags map[string]string
	// OmitFlags removes default flags by name.
	OmitFlags []string
	// Env is added to the environment of the launched Chrome, "KEY=value".
	Env []string
	// NoSandbox turns Chrome's sandbox off. It is off anyway for root, where
	// Chrome does not start with it.
	NoSandbox bool
	// StartTimeout bounds launching or attaching, and opening a tab. Zero is
	// 30 s.
	StartTimeout time.Duration

	// Isolated puts the session into a browser context of its own, with its
	// own cookies, cache and downloads, even when it launches its own Chrome
	// or attaches to one. Sessions of Browser.NewSession always are isolated.
	Isolated bool
	// Viewport is the size of the page in CSS pixels. Zero is 1280x800 when
	// headless and the window's size when not.
	Viewport Size
	// DeviceScale is the device pixel ratio; zero leaves Chrome's own.
	DeviceScale float64
	// Mobile makes pages lay themselves out for a phone, with touch.
	Mobile bool
	// WindowPosition is where a headful window opens; nil leaves it to the
	// system.
	WindowPosition *Point
	// UserAgent is told to pages, frames and dedicated workers instead of
	// Chrome's own.
	UserAgent string
	// Locale is the language of pages, such as "de-DE": Accept-Language,
	// navigator.language and formats.
	Locale string
	// Timezone is an IANA name, such as "Europe/Oslo".
	Timezone string
	// Geolocation is where pages are told to be; setting it grants them the
	// permission to ask.
	Geolocation *Geolocation
	// Permissions are granted to every page, by their names in the web's
	// Permissions API: "notifications", "clipboard-read", "camera". None are
	// granted by default.
	Permissions []string
	// ExtraHeaders are sent with every request of pages, frames and dedicated
	// workers, to whatever host: no place for a secret.
	ExtraHeaders http.Header
	// IgnoreCertificateErrors opens https pages whose certificate is wrong.
	IgnoreCertificateErrors bool
	// CallTimeout bounds every single protocol call that has no nearer
	// deadline. Zero is 15 s.
	CallTimeout time.Duration
	// NavigateTimeout bounds how long a navigation waits for its document to
	// begin to arrive. Zero is 30 s.
	NavigateTimeout time.Duration
	// ReadyTimeout caps how long a navigation waits for a page to become
	// quiet after its document is there. Zero is 3 s.
	ReadyTimeout time.Duration
	// Policy says where the session may go. The zero value allows the web and
	// nothing of this machine's files or of Chrome itself.
	Policy Policy

	// Storage is loaded before the session's first request.
	Storage *StorageState
	// StorageFile keeps the session's storage: it is loaded at the start when
	// it is there (unless Storage is set) and written when the session is
	// closed. Its content is as good as the passwords.
	StorageFile string
	// IndexedDB makes Session.StorageState, and so StorageFile, hold the
	// origins' databases too, where some sites keep their login.
	IndexedDB bool

	// DownloadDir is where files end up that pages send; it is made when it is
	// not there. Empty is a temporary directory that is removed on Close. For
	// a Chrome on another machine there is no way to the files.
	DownloadDir string
	// NoDownloads refuses all downloads.
	NoDownloads bool
	// MaxDownloadSize ends a download that is larger, in bytes. Zero is 1 GiB.
	MaxDownloadSize int64
	// NoSavePDF leaves PDF documents that a tab shows alone; otherwise they
	// are kept as downloads, since their text is not in the page.
	NoSavePDF bool

	// Proxy is what the session's connections go through. Zero leaves it to
	// Chrome, which follows the system's settings.
	Proxy Proxy

	// NoFollow keeps the current tab current when its page opens another.
	NoFollow bool
	// OnDialog decides about a page's JavaScript dialogs. Nil accepts alert
	// and beforeunload and dismisses confirm and prompt. The page stands still
	// until it returns.
	OnDialog func(Dialog) DialogAnswer
	// HAR is a file that the requests of pages and frames are written to when
	// the session is closed, in the HTTP Archive format 1.2. Cookies and
	// credentials are left out. HARBodies keeps the answers too, up to 1 MiB
	// each.
	HAR       string
	HARBodies bool
	// Console reports errors in a page's console as ConsoleError events.
	// Pages can notice that somebody listens.
	Console bool
	// ConsoleLog is written everything that pages print, a line each.
	ConsoleLog io.Writer
	// HangTimeout is how long a page may take to answer the simplest question
	// after a call to it ran out of time, before it counts as hung. Zero is
	// 10 s.
	HangTimeout time.Duration
	// Logger receives debug lines; nil discards them.
	Logger *slog.Logger

	resolver *net.Resolver // looks up the names that a policy judges; nil is the system's
}

// Size is a width and height in CSS pixels.
type Size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Point is a place in pixels.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

func (c Config) withDefaults() Config {
	if c.StartTimeout <= 0 {
		c.StartTimeout = 30 * time.Second
	}
	if c.CallTimeout <= 0 {
		c.CallTimeout = 15 * time.Second
	}
	if c.HangTimeout <= 0 {
		c.HangTimeout = 10 * time.Second
	}
	if c.NavigateTimeout <= 0 {
		c.NavigateTimeout = 30 * time.Second
	}
	if c.ReadyTimeout <= 0 {
		c.ReadyTimeout = 3 * time.Second
	}
	if c.Viewport == (Size{}) && !c.Headful && c.RemoteURL == "" {
		c.Viewport = Size{Width: 1280, Height: 800}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
