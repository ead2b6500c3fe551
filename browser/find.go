package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// FindChrome returns the path of a Chrome or Chromium on this machine. The
// error matches ErrNoChrome and lists what was tried.
func FindChrome() (string, error) { return FindChannel("") }

// FindChannel is FindChrome for one channel: chromium, chrome, chrome-beta,
// chrome-dev, chrome-canary, msedge, msedge-beta, msedge-dev or msedge-canary.
// Empty is any.
func FindChannel(channel string) (string, error) {
	candidates := chromeCandidates(runtime.GOOS)
	if channel != "" {
		if candidates = channelCandidates(runtime.GOOS, channel); candidates == nil {
			return "", fmt.Errorf("browser: channel %q is unknown: use chromium, chrome or msedge, the latter two also with -beta, -dev or -canary", channel)
		}
	}
	for _, c := range candidates {
		if filepath.IsAbs(c) {
			if st, err := os.Stat(c); err == nil && !st.IsDir() {
				return c, nil
			}
			continue
		}
		if p, err := exec.LookPath(c); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("%w: tried %s; install Chromium (apt-get install chromium, brew install chromium) or set Config.ExecPath",
		ErrNoChrome, strings.Join(candidates, ", "))
}

// channelCandidates lists where a channel is installed, nil for an unknown one.
func channelCandidates(goos, channel string) []string {
	product, stage, _ := strings.Cut(channel, "-")
	known := map[string][]string{"chromium": {""}, "chrome": {"", "beta", "dev", "canary"}, "msedge": {"", "beta", "dev", "canary"}}
	if !slices.Contains(known[product], stage) {
		return nil
	}
	title := map[string]string{"": "", "beta": " Beta", "dev": " Dev", "canary": " Canary"}[stage]
	switch goos {
	case "darwin":
		app := map[string]string{"chromium": "Chromium", "chrome": "Google Chrome", "msedge": "Microsoft Edge"}[product] + title
		out := []string{filepath.Join("/Applications", app+".app", "Contents/MacOS", app)}
		if home, _ := os.UserHomeDir(); home != "" {
			out = append(out, filepath.Join(home, out[0]))
		}
		return out
	case "windows":
		dir := map[string]string{"chromium": `Chromium`, "chrome": `Google\Chrome`, "msedge": `Microsoft\Edge`}[product] + title
		if stage == "canary" {
			dir = strings.TrimSuffix(dir, title) + " SxS"
		}
		exe := map[string]string{"chromium": "chrome.exe", "chrome": "chrome.exe", "msedge": "msedge.exe"}[product]
		var out []string
		for _, env := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			if base := os.Getenv(env); base != "" {
				out = append(out, filepath.Join(base, dir, "Application", exe))
			}
		}
		return out
	}
	switch {
	case product == "chromium":
		return []string{"chromium", "chromium-browser", "/usr/bin/chromium", "/snap/bin/chromium"}
	case product == "chrome" && stage == "":
		return []string{"google-chrome-stable", "google-chrome", "/opt/google/chrome/chrome"}
	case product == "chrome":
		unstable := strings.ReplaceAll(stage, "dev", "unstable")
		return []string{"google-chrome-" + unstable, "/opt/google/chrome-" + unstable + "/chrome"}
	case stage == "":
		return []string{"microsoft-edge-stable", "microsoft-edge", "/opt/microsoft/msedge/msedge"}
	}
	return []string{"microsoft-edge-" + stage, "/opt/microsoft/msedge-" + stage + "/msedge"}
}

func chromeCandidates(goos string) []string {
	switch goos {
	case "darwin":
		apps := []string{
			"Google Chrome.app/Contents/MacOS/Google Chrome",
			"Chromium.app/Contents/MacOS/Chromium",
			"Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
			"Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary",
		}
		var out []string
		home, _ := os.UserHomeDir()
		for _, a := range apps {
			out = append(out, filepath.Join("/Applications", a))
			if home != "" {
				out = append(out, filepath.Join(home, "Applications", a))
			}
		}
		return append(out, "chromium", "google-chrome")
	case "windows":
		var out []string
		for _, env := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			base := os.Getenv(env)
			if base == "" {
				continue
			}
			out = append(out,
				filepath.Join(base, `Google\Chrome\Application\chrome.exe`),
				filepath.Join(base, `Chromium\Application\chrome.exe`),
				filepath.Join(base, `Microsoft\Edge\Application\msedge.exe`))
		}
		return append(out, "chrome.exe", "msedge.exe")
	default:
		return []string{
			"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
			"/usr/bin/chromium", "/usr/bin/google-chrome", "/opt/google/chrome/chrome",
			"/snap/bin/chromium", "microsoft-edge", "google-chrome-beta", "google-chrome-unstable",
		}
	}
}
