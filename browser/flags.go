package browser

import (
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// defaultFlags keep a launched Chrome quiet, offline where nobody asked it to
// go online, and unthrottled in the background. The order is stable.
var defaultFlags = []flag{
	{"no-first-run", ""},
	{"no-default-browser-check", ""},
	{"no-service-autorun", ""},
	{"disable-background-networking", ""},
	{"disable-background-timer-throttling", ""},
	{"disable-backgrounding-occluded-windows", ""},
	{"disable-renderer-backgrounding", ""},
	{"disable-back-forward-cache", ""},
	{"disable-breakpad", ""},
	{"disable-client-side-phishing-detection", ""},
	{"disable-component-update", ""},
	{"disable-component-extensions-with-background-pages", ""},
	{"disable-default-apps", ""},
	{"disable-domain-reliability", ""},
	{"disable-dev-shm-usage", ""},
	{"disable-field-trial-config", ""},
	{"disable-hang-monitor", ""},
	{"disable-infobars", ""},
	{"disable-ipc-flooding-protection", ""},
	{"disable-popup-blocking", ""},
	{"disable-print-preview", ""},
	{"disable-prompt-on-repost", ""},
	{"disable-quic", ""},
	{"disable-search-engine-choice-screen", ""},
	{"disable-sync", ""},
	{"export-tagged-pdf", ""},
	{"hide-crash-restore-bubble", ""},
	{"metrics-recording-only", ""},
	{"mute-audio", ""},
	{"no-pings", ""},
	{"noerrdialogs", ""},
	{"password-store", "basic"},
	{"use-mock-keychain", ""},
	{"safebrowsing-disable-auto-update", ""},
	{"disable-features", strings.Join([]string{
		"AcceptCHFrame", "AutoExpandDetailsElement", "AvoidUnnecessaryBeforeUnloadCheckSync",
		"BackForwardCache", "CertificateTransparencyComponentUpdater", "DestroyProfileOnBrowserClose",
		"DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "InterestFeedContentSuggestions",
		"LensOverlay", "MediaRouter", "OptimizationHints", "PaintHolding", "ProcessPerSiteUpToMainFrameThreshold",
		"Translate", "AutofillServerCommunication",
		// Pages of the address bar's own, a renderer for each window, which
		// nobody here looks at.
		"WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup",
	}, ",")},
}

type flag struct{ name, value string }

// mergedFlags are the flags whose values are lists that add up instead of
// replacing each other.
var mergedFlags = []string{"enable-features", "disable-features", "disable-blink-features", "enable-blink-features"}

// commandLine returns the arguments of a launch in a stable order: defaults,
// what the config implies, then the user's flags by name.
func commandLine(cfg Config, userDataDir string, r *route) []string {
	var flags []flag
	set := func(name, value string) {
		name = strings.TrimLeft(name, "-")
		for i := range flags {
			if flags[i].name != name {
				continue
			}
			if slices.Contains(mergedFlags, name) {
				value = mergeList(flags[i].value, value)
			}
			flags[i].value = value
			return
		}
		flags = append(flags, flag{name, value})
	}
	for _, f := range defaultFlags {
		set(f.name, f.value)
	}
	if !cfg.Headful {
		set("headless", "")
		set("hide-scrollbars", "")
	}
	if cfg.NoSandbox || os.Getuid() == 0 {
		set("no-sandbox", "")
	}
	if cfg.Viewport != (Size{}) {
		set("window-size", strconv.Itoa(cfg.Viewport.Width)+","+strconv.Itoa(cfg.Viewport.Height))
	}
	set("user-data-dir", userDataDir)
	if cfg.ProfileDirectory != "" {
		set("profile-directory", cfg.ProfileDirectory)
	}
	if cfg.Headful && cfg.WindowPosition != nil {
		set("window-position", strconv.Itoa(cfg.WindowPosition.X)+","+strconv.Itoa(cfg.WindowPosition.Y))
	}
	if cfg.IgnoreCertificateErrors {
		set("ignore-certificate-errors", "")
	}
	if cfg.DisableSecurity {
		set("disable-web-security", "")
		set("disable-site-isolation-trials", "")
		set("allow-running-insecure-content", "")
		set("disable-features", "IsolateOrigins,site-per-process")
	}
	if cfg.Deterministic {
		set("deterministic-mode", "")
		set("js-flags", "--random-seed=1157259159")
		set("force-device-scale-factor", "1")
		set("font-render-hinting", "none")
		set("force-color-profile", "srgb")
	}
	if len(cfg.Extensions) > 0 {
		set("load-extension", strings.Join(cfg.Extensions, ","))
		set("disable-extensions-except", strings.Join(cfg.Extensions, ","))
	}
	if r != nil && r.server != "" {
		set("proxy-server", r.server)
		set("proxy-bypass-list", r.bypass)
		// Peer connections would go past the proxy.
		set("force-webrtc-ip-handling-policy", "disable_non_proxied_udp")
	}
	names := make([]string, 0, len(cfg.Flags))
	for name := range cfg.Flags {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		set(name, cfg.Flags[name])
	}
	var args []string
	for _, f := range flags {
		if slices.ContainsFunc(cfg.OmitFlags, func(o string) bool { return strings.TrimLeft(o, "-") == f.name }) {
			continue
		}
		if f.value == "" {
			args = append(args, "--"+f.name)
		} else {
			args = append(args, "--"+f.name+"="+f.value)
		}
	}
	return args
}

func mergeList(a, b string) string {
	var out []string
	for _, v := range strings.Split(a+","+b, ",") {
		if v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return strings.Join(out, ",")
}
