package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// FindChrome returns the path of a Chrome or Chromium on this machine. The
// error matches ErrNoChrome and lists what was tried.
func FindChrome() (string, error) {
	candidates := chromeCandidates(runtime.GOOS)
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
