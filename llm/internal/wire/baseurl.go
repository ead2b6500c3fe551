package wire

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// BaseURL reads a base URL, or fallback when it is empty, and takes off the
// endings that people paste along with it.
func BaseURL(s, fallback string, endings ...string) (*url.URL, error) {
	if s = strings.TrimSpace(s); s == "" {
		s = fallback
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("Config.BaseURL is not a URL") // which url.Error would quote, password and all
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("Config.BaseURL %q needs a scheme and a host, such as %s", u.Redacted(), fallback)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	for _, e := range endings {
		u.Path = strings.TrimSuffix(u.Path, e)
	}
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// HeaderSecrets returns the values of headers that are long enough to be
// credentials.
func HeaderSecrets(h map[string]string) []string {
	var out []string
	for _, v := range h {
		if len(v) >= 12 {
			out = append(out, v)
		}
	}
	return out
}

// Redact returns a URL without its query and password.
func Redact(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "[not a URL]"
	}
	u.RawQuery = ""
	return u.Redacted()
}
