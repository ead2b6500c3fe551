package demosite

import (
	"net/http"
	"strconv"
	"time"
)

const (
	// maxDelay bounds what a page can be asked to wait.
	maxDelay = time.Minute
	// maxHang is how long the image that never ends is held open.
	maxHang = 10 * time.Minute
)

// pause waits, and reports whether the visitor is still there.
func pause(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// milliseconds reads a delay from the address, or takes the default.
func milliseconds(r *http.Request, key string, otherwise time.Duration) time.Duration {
	n, err := strconv.Atoi(r.URL.Query().Get(key))
	if err != nil || n < 0 {
		return otherwise
	}
	return min(time.Duration(n)*time.Millisecond, maxDelay)
}

func (s *Site) slow(w http.ResponseWriter, r *http.Request, v *visitor) {
	delay := milliseconds(r, "ms", 0)
	if !pause(r, delay) {
		return
	}
	s.render(w, v, http.StatusOK, "slow", view{Title: "Slow page", Section: "bench", Data: struct {
		Delay, Content int64
		Hang           bool
	}{delay.Milliseconds(), milliseconds(r, "content", 1500*time.Millisecond).Milliseconds(), r.URL.Query().Has("hang")}})
}

// slowContent is the part of the page that is fetched after it.
func (s *Site) slowContent(w http.ResponseWriter, r *http.Request) {
	if pause(r, milliseconds(r, "ms", 1500*time.Millisecond)) {
		s.write(w, http.StatusOK, "slow", "late", nil)
	}
}

// slowHang starts an image and never finishes it, which keeps the page's load
// event from firing.
func (s *Site) slowHang(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "no-store")
	_ = http.NewResponseController(w).Flush()
	pause(r, maxHang)
}
