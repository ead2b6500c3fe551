package browser

import (
	"fmt"
	"net/url"
	"strings"
)

// CaptchaFound is sent when a page asks whether its visitor is a person.
// Nothing here tries to answer: a person has to, in a headful Chrome, or the
// task ends.
type CaptchaFound struct {
	Tab  string
	Kind string // whose: "reCAPTCHA", "hCaptcha", "Turnstile", ...
	URL  string // of the page
}

func (CaptchaFound) event() {}

func (e CaptchaFound) String() string {
	return fmt.Sprintf("%s at %s asks whether its visitor is a person; that cannot be answered here: a person has to, or find another way", e.Kind, e.URL)
}

// Captcha returns what the current tab's page asks at this moment, nil when it
// asks nothing. The event comes once; this lasts as long as the captcha does.
func (s *Session) Captcha() *CaptchaFound {
	t := s.currentTab()
	if t == nil {
		return nil
	}
	kind := ""
	t.mu.Lock()
	for _, f := range t.frames {
		// The lowest name, so that two at once do not take turns.
		if k := captchaKind(f.url); k != "" && (kind == "" || k < kind) {
			kind = k
		}
	}
	page := t.url
	t.mu.Unlock()
	if kind == "" {
		return nil
	}
	return &CaptchaFound{Tab: s.shortID(t), Kind: kind, URL: shortURL(page)}
}

// captchaKind recognises the frame or page of a captcha by its address. Those
// that only watch in the background are none.
func captchaKind(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host, path, q := u.Hostname(), u.Path, u.Query()
	below := func(domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }
	switch {
	case (below("google.com") || below("recaptcha.net")) && strings.Contains(path, "/recaptcha/") && strings.HasSuffix(path, "/anchor"):
		if q.Get("size") != "invisible" {
			return "reCAPTCHA"
		}
	case below("google.com") && strings.HasPrefix(path, "/sorry/"):
		return "Google's check"
	case below("hcaptcha.com") && strings.Contains(path, "/static/") && strings.Contains(u.Fragment, "frame=checkbox") && !strings.Contains(u.Fragment, "size=invisible"):
		return "hCaptcha"
	case host == "challenges.cloudflare.com" && !strings.Contains(path, "/invisible/"):
		return "Turnstile"
	case below("arkoselabs.com") || below("funcaptcha.com"):
		return "Arkose"
	case below("captcha-delivery.com"):
		return "DataDome"
	case below("geetest.com"), below("px-captcha.net"), below("perimeterx.net") && strings.Contains(path, "captcha"):
		return "a captcha"
	case below("awswaf.com") && strings.Contains(path, "captcha"):
		return "AWS WAF"
	}
	return ""
}

// noteCaptcha reports a captcha once for each document of the tab.
func (t *tab) noteCaptcha(address string) {
	kind := captchaKind(address)
	if kind == "" {
		return
	}
	t.mu.Lock()
	key := kind + string(t.life.loader)
	known := t.captcha == key
	t.captcha = key
	page := t.url
	t.mu.Unlock()
	if !known {
		t.emit(CaptchaFound{Tab: t.owner.shortID(t), Kind: kind, URL: shortURL(page)})
	}
}
