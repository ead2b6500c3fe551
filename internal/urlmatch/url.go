// Package urlmatch is the one matcher of URL patterns: action domains, the
// browser's navigation policy and the domains of secrets all use it, so that a
// pattern means the same everywhere.
//
// A pattern is
//
//	[scheme://]host[:port][/path]
//
// and is compared with the parts of a URL as a browser reads them, never with
// the URL's text. See [Parse] for what each part may hold. It is the only
// importer of gobwas/glob.
package urlmatch

import (
	"net/netip"
	"strconv"
	"strings"
)

// URL is a URL taken apart and normalised the way browsers do it.
type URL struct {
	Scheme string     // lower case
	Host   string     // as [Host] returns it; empty for file: and opaque URLs
	IP     netip.Addr // set when the host is an address
	Port   uint16     // explicit or the scheme's default; 0 when there is none
	Path   string     // without query and fragment, dot segments resolved
	Opaque bool       // scheme:something without an authority, such as about:blank

	odd bool // the host holds what no host may hold
	tab bool // a browser's new-tab page
}

// defaultPorts of the schemes whose URLs browsers treat specially.
var defaultPorts = map[string]uint16{"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}

// ParseURL takes a URL apart. It reports false for what is not an absolute URL;
// such a text must be treated as not allowed, since nobody knows where a
// browser would go with it.
func ParseURL(s string) (URL, bool) {
	s = strings.Trim(s, " \t\r\n\f\v\x00")
	if strings.ContainsAny(s, "\t\r\n") {
		s = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(s)
	}
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || !isScheme(scheme) {
		return URL{}, false
	}
	u := URL{Scheme: strings.ToLower(scheme)}
	u.tab = isNewTab(u.Scheme, rest)
	_, special := defaultPorts[u.Scheme]
	if special || u.Scheme == "file" {
		rest = slashes(rest)
	}
	authority, ok := strings.CutPrefix(rest, "//")
	if !ok {
		if special || u.Scheme == "file" {
			return URL{}, false
		}
		u.Opaque, u.Path = true, rest
		return u, true
	}
	if special { // browsers skip any further slashes
		authority = strings.TrimLeft(authority, "/")
	}
	end := strings.IndexAny(authority, "/?#")
	path := ""
	if end >= 0 {
		authority, path = authority[:end], authority[end:]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	if !u.setHost(authority, special) {
		return URL{}, false
	}
	u.Path = cleanPath(path)
	return u, true
}

// setHost reads host and port.
func (u *URL) setHost(authority string, special bool) bool {
	host, port, ok := splitPort(authority)
	if !ok {
		return false
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return false
		}
		u.Port = uint16(n)
	} else {
		u.Port = defaultPorts[u.Scheme]
	}
	if host == "" {
		return u.Scheme == "file"
	}
	var err error
	if u.Host, err = Host(host); err != nil {
		if strings.HasPrefix(host, "[") || !special {
			return false
		}
		u.Host, u.odd = strings.ToLower(host), true
		return true
	}
	u.IP, _ = IP(u.Host)
	return true
}

// splitPort splits "host:port", "[v6]:port" and their forms without a port.
func splitPort(s string) (host, port string, ok bool) {
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return "", "", false
		}
		host, s = s[:end+1], s[end+1:]
		if s == "" {
			return host, "", true
		}
		port, ok = strings.CutPrefix(s, ":")
		return host, port, ok
	}
	host, port, _ = strings.Cut(s, ":")
	return host, port, !strings.Contains(port, ":")
}

// slashes turns the backslashes before the query into slashes.
func slashes(s string) string {
	end := strings.IndexAny(s, "?#")
	if end < 0 {
		end = len(s)
	}
	if strings.IndexByte(s[:end], '\\') < 0 {
		return s
	}
	return strings.ReplaceAll(s[:end], `\`, "/") + s[end:]
}

func isScheme(s string) bool {
	if s == "" || !isLetter(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// isNewTab reports whether a URL is the page that a browser shows in a new tab.
func isNewTab(scheme, rest string) bool {
	switch scheme {
	case "about":
		return rest == "blank"
	case "chrome":
		rest = strings.TrimSuffix(rest, "/")
		return rest == "//newtab" || rest == "//new-tab-page"
	default:
		return false
	}
}

// cleanPath normalises a path: without query and fragment, needless escapes
// undone, dot segments resolved.
func cleanPath(p string) string {
	if i := strings.IndexAny(p, "?#"); i >= 0 {
		p = p[:i]
	}
	p = unescape(p)
	if !strings.Contains(p, "/.") {
		if p == "" {
			return "/"
		}
		return p
	}
	var out []string
	parts := strings.Split(strings.TrimPrefix(p, "/"), "/")
	for i, part := range parts {
		last := i == len(parts)-1
		switch part {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, part)
		}
	}
	return "/" + strings.Join(out, "/")
}

// unescape undoes the percent escapes that stand for themselves; those of
// separators stay, in upper case.
func unescape(p string) string {
	if strings.IndexByte(p, '%') < 0 {
		return p
	}
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] != '%' || i+2 >= len(p) {
			b.WriteByte(p[i])
			continue
		}
		n, err := strconv.ParseUint(p[i+1:i+3], 16, 8)
		if err != nil {
			b.WriteByte('%')
			continue
		}
		if c := byte(n); strings.IndexByte("/\\?#%*", c) >= 0 || c < 0x20 || c == 0x7f {
			b.WriteString("%" + strings.ToUpper(p[i+1:i+3]))
		} else {
			b.WriteByte(c)
		}
		i += 2
	}
	return b.String()
}
