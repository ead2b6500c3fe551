// Package scrub takes keys out of texts that leave the process: errors, logs,
// recordings.
package scrub

import (
	"regexp"
	"strings"
)

// keyShapes matches what providers' keys look like, for texts that may hold
// one that nobody told us about.
var keyShapes = regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{12,}|gsk_[A-Za-z0-9]{12,}|xai-[A-Za-z0-9]{12,}|AIza[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{16,}|csk-[A-Za-z0-9]{12,}|pplx-[A-Za-z0-9]{12,}|r8_[A-Za-z0-9]{16,})|(?i:bearer\s+)[A-Za-z0-9._~+/-]{12,}=*`)

// Text takes the given secrets, and everything that looks like a provider's
// key, out of a text.
func Text(s string, secrets []string) string {
	for _, x := range secrets {
		if len(x) >= 4 {
			s = strings.ReplaceAll(s, x, "[key]")
		}
	}
	return keyShapes.ReplaceAllString(s, "[key]")
}
