package wire

import (
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// retryAfter reads how long the provider asks to wait: the standard header
// (RFC 9110, section 10.2.3) in seconds or as a date, its millisecond form,
// Google's RetryInfo, and the reset headers of OpenAI-like and Anthropic
// endpoints. Zero means that it did not say.
func retryAfter(h http.Header, kind error, d detail) time.Duration {
	if kind != llm.ErrRateLimit && kind != llm.ErrServer && kind != llm.ErrTimeout && kind != llm.ErrQuota {
		return 0
	}
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return clamp(ms / 1000)
	}
	if v := h.Get("Retry-After"); v != "" {
		if s, err := strconv.ParseFloat(v, 64); err == nil {
			return clamp(s)
		}
		if t, err := http.ParseTime(v); err == nil {
			return clamp(time.Until(t).Seconds())
		}
	}
	if w, err := time.ParseDuration(d.delay); err == nil && w > 0 {
		return clamp(w.Seconds())
	}
	if kind != llm.ErrRateLimit {
		return 0
	}
	if w := resetHeader(h); w > 0 {
		return w
	}
	// "Please try again in 1m2.5s."
	if m := tryAgain.FindStringSubmatch(d.message); m != nil {
		if w, err := time.ParseDuration(m[1]); err == nil {
			return clamp(w.Seconds())
		}
	}
	return 0
}

var tryAgain = regexp.MustCompile(`(?i)try again in ([0-9hms.]*[0-9](?:ms|[hms]))`)

// resetHeader returns the latest reset among the limits that are spent.
func resetHeader(h http.Header) time.Duration {
	var longest time.Duration
	for _, p := range []struct{ left, reset string }{
		{"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
		{"X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
		{"Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
		{"Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
		{"Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Reset"},
		{"X-Ratelimit-Remaining", "X-Ratelimit-Reset"},
	} {
		if left, err := strconv.ParseFloat(h.Get(p.left), 64); err != nil || left > 0 {
			continue
		}
		if w := resetIn(h.Get(p.reset)); w > longest {
			longest = w
		}
	}
	return longest
}

// resetIn reads a duration ("6m0s", "20ms"), a date (RFC 3339), seconds, or
// the epoch in milliseconds (OpenRouter).
func resetIn(v string) time.Duration {
	if w, err := time.ParseDuration(v); err == nil {
		return clamp(w.Seconds())
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return clamp(time.Until(t).Seconds())
	}
	f, err := strconv.ParseFloat(v, 64)
	switch {
	case err != nil:
		return 0
	case f > 1e11:
		return clamp(time.Until(time.UnixMilli(int64(f))).Seconds())
	case f > 1e9:
		return clamp(time.Until(time.Unix(int64(f), 0)).Seconds())
	}
	return clamp(f)
}

func clamp(seconds float64) time.Duration {
	const day = 24 * 60 * 60
	if !(seconds > 0) { // also catches NaN
		return 0
	}
	return time.Duration(min(seconds, day) * float64(time.Second))
}
