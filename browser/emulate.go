package browser

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/security"
)

// Geolocation is a place on earth.
type Geolocation struct {
	Latitude  float64 // degrees, north is positive
	Longitude float64 // degrees, east is positive
	Accuracy  float64 // metres; zero is 1
}

// emulate sends a target's settings; the calls are part of the caller's flush
// while the target is paused. Each target has its own: what a page is told
// does not reach its cross-site frames, workers and popups.
func (t *tab) emulate(sess *cdpSession, kind string) []*call {
	cfg := t.owner.cfg
	var calls []*call
	add := func(method string, params any) { calls = append(calls, sess.send(method, params)) }
	if t.owner.networkStaysOn() {
		t.enableNetwork(sess)
	}
	if len(cfg.ExtraHeaders) > 0 {
		h := make(network.Headers, len(cfg.ExtraHeaders))
		for name, values := range cfg.ExtraHeaders {
			h[http.CanonicalHeaderKey(name)] = strings.Join(values, ", ")
		}
		add(network.CommandSetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: h})
	}
	if ua := t.owner.userAgent; ua != "" {
		add(emulation.CommandSetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: ua, AcceptLanguage: cfg.Locale})
	}
	if kind == "worker" {
		return calls
	}
	// Locale and time zone belong to the process: a popup in its opener's is
	// refused them, and has them already.
	if cfg.Locale != "" {
		sess.send(emulation.CommandSetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: strings.ReplaceAll(cfg.Locale, "-", "_")})
	}
	if cfg.Timezone != "" {
		sess.send(emulation.CommandSetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: cfg.Timezone})
	}
	if g := cfg.Geolocation; g != nil {
		accuracy := g.Accuracy
		if accuracy <= 0 {
			accuracy = 1
		}
		add(emulation.CommandSetGeolocationOverride, emulation.SetGeolocationOverrideParams{
			Latitude: &g.Latitude, Longitude: &g.Longitude, Accuracy: &accuracy,
		})
	}
	if cfg.IgnoreCertificateErrors {
		add(security.CommandSetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
	}
	if kind == "page" && (cfg.Viewport != (Size{}) || cfg.DeviceScale > 0) {
		add(emulation.CommandSetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(cfg.Viewport.Width), Height: int64(cfg.Viewport.Height), DeviceScaleFactor: cfg.DeviceScale, Mobile: cfg.Mobile,
		})
	}
	if kind == "page" && cfg.Mobile {
		add(emulation.CommandSetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	}
	return calls
}

// emulatesWorkers reports whether workers have to be told something too.
func (s *Session) emulatesWorkers() bool { return len(s.cfg.ExtraHeaders) > 0 || s.userAgent != "" }

// chooseUserAgent settles what targets are told, once: a later connection finds
// targets already, which read it beside this.
func (s *Session) chooseUserAgent(ctx context.Context) error {
	if s.userAgent != "" {
		return nil
	}
	if s.cfg.UserAgent != "" {
		s.userAgent = s.cfg.UserAgent
		return nil
	}
	if s.cfg.Locale == "" {
		return nil
	}
	// Accept-Language can only be told together with a user agent.
	v, err := cdp.Call(ctx, s.b.conn.root, cdpbrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	s.userAgent = v.UserAgent
	return nil
}

// prepare makes the settings that are the session's and not a target's.
func (s *Session) prepare(ctx context.Context) error {
	if err := s.allowDownloads(ctx); err != nil {
		return err
	}
	if err := s.chooseUserAgent(ctx); err != nil {
		return err
	}
	permissions := slices.Clone(s.cfg.Permissions)
	if s.cfg.Geolocation != nil && !slices.Contains(permissions, "geolocation") {
		permissions = append(permissions, "geolocation")
	}
	for _, p := range permissions {
		if _, err := cdp.Call(ctx, s.b.conn.root, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
			Permission: &cdpbrowser.PermissionDescriptor{Name: p}, Setting: cdpbrowser.PermissionSettingGranted,
			BrowserContextID: s.contextID,
		}); err != nil {
			return fmt.Errorf("browser: grant permission %q: %w", p, err)
		}
	}
	return nil
}
