package agent

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/publicsuffix"
)

// startURL finds the one address that a task plainly starts at. Two different
// addresses, none, or one that the task says not to visit give "".
func startURL(task string) string {
	var found []string
	for _, m := range candidate.FindAllStringIndex(task, -1) {
		raw := trimPunctuation(task[m[0]:m[1]])
		u := parseStart(raw)
		if u == "" {
			continue
		}
		if forbidden(task[:m[0]]) {
			return "" // where to start is then better left to the model
		}
		if !slices.Contains(found, u) {
			found = append(found, u)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// candidate is anything without white space or quotes that may hold an address;
// what it is, the URL parser and the list of public suffixes decide.
var candidate = regexp.MustCompile(`[^\s"'<>()\[\]{}|\\^` + "`" + `,;]+`)

func trimPunctuation(s string) string {
	s = strings.TrimLeft(s, "*_-–—:“”‘’„«»¿¡")
	return strings.TrimRight(s, ".!?:*_-–—“”‘’„«»…/")
}

// parseStart returns s as an absolute URL when it is one, or a host name with
// or without a path.
func parseStart(s string) string {
	if i := strings.Index(s, "://"); i >= 0 {
		u, err := url.Parse(s)
		if err != nil || u.User != nil {
			return ""
		}
		switch {
		case u.Scheme == "file" && u.Path != "":
			return s
		case (u.Scheme == "http" || u.Scheme == "https") && plausibleHost(u.Hostname(), true):
			return s
		}
		return ""
	}
	host, _, _ := strings.Cut(s, "/")
	host, _, _ = strings.Cut(host, "?")
	host, _, _ = strings.Cut(host, "#")
	if strings.Contains(s, "@") || !strings.Contains(host, ".") {
		return "" // an e-mail address, or a word
	}
	u, err := url.Parse("https://" + s)
	if err != nil || !plausibleHost(u.Hostname(), false) {
		return ""
	}
	return "https://" + s
}

// plausibleHost tells a host name from a file name, a version or a price. With
// a scheme written before it almost anything goes.
func plausibleHost(host string, scheme bool) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" || placeholder(host) {
		return false
	}
	if scheme {
		return true
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return false // 3.14.1.2 is a version as often as an address
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.HasPrefix(l, "-") || strings.HasSuffix(l, "-") {
			return false
		}
		for _, r := range l {
			if r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return false
			}
		}
	}
	if allDigits(labels[len(labels)-2]) && len(labels) == 2 {
		return false // 50.eur, 7.zip
	}
	suffix, icann := publicsuffix.PublicSuffix(host)
	if suffix == host || !icann && !strings.Contains(suffix, ".") {
		return false // a suffix alone, or no suffix that exists
	}
	// Suffixes that are file extensions first of all, unless it is plainly a host.
	if slices.Contains(fileSuffixes, labels[len(labels)-1]) && len(labels) == 2 {
		return false
	}
	if numeric(labels) {
		return false // 3.50.USD
	}
	return true
}

// fileSuffixes are extensions of files that exist as top-level domains too.
var fileSuffixes = []string{"md", "py", "sh", "rs", "pl", "zip", "mov", "cc", "so", "ps", "java", "cab"}

func numeric(labels []string) bool {
	for _, l := range labels[:len(labels)-1] {
		if !allDigits(l) {
			return false
		}
	}
	return true
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// placeholder reports hosts such as xxx.xxx.com that stand for another.
func placeholder(host string) bool {
	labels := strings.Split(host, ".")
	for _, l := range labels[:max(len(labels)-1, 1)] {
		if len(l) < 3 || strings.Trim(l, "x") != "" {
			return false
		}
	}
	return true
}

var never = regexp.MustCompile(`(?i)\b(never|not|don't|dont|don’t|avoid|except|without)\b[^.!?\n]{0,25}$`)

// forbidden reports whether the words before an address tell not to go there.
func forbidden(before string) bool {
	r := []rune(before)
	return never.MatchString(string(r[max(0, len(r)-60):]))
}
