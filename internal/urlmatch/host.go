package urlmatch

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// profile maps host names as browsers do (UTS 46, non-transitional): case,
// width and Unicode to what goes on the wire.
var profile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
)

// maxHost bounds the bytes of a host before it is mapped; the DNS allows 253.
const maxHost = 2048

var errHost = errors.New("not a host name")

// Host normalises a host: lower case, Punycode for other scripts, no trailing
// dot, IPv4 addresses in any of the notations that browsers accept (decimal,
// octal, hex, shortened) as four decimals, IPv6 ones in brackets and in their
// shortest form. Two hosts that a browser takes for one are equal.
func Host(s string) (string, error) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if !ok || err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", fmt.Errorf("%q: not an IPv6 address", s)
		}
		return "[" + addr.String() + "]", nil
	}
	if len(s) > maxHost {
		return "", fmt.Errorf("%q…: %w", s[:40], errHost)
	}
	if strings.IndexByte(s, '%') >= 0 {
		un, err := url.PathUnescape(s)
		if err != nil {
			return "", fmt.Errorf("%q: %w", s, errHost)
		}
		s = un
	}
	if !simple(s) {
		mapped, err := profile.ToASCII(s)
		if err != nil {
			return "", fmt.Errorf("%q: %w", s, errHost)
		}
		s = mapped
	}
	s = strings.TrimSuffix(s, ".")
	if s == "" || strings.ContainsAny(s, " #/:<>?@[\\]^|%\"`{}*\x7f") || strings.Contains(s, "..") || s[0] == '.' {
		return "", fmt.Errorf("%q: %w", s, errHost)
	}
	for i := range len(s) {
		if s[i] < 0x20 {
			return "", fmt.Errorf("%q: %w", s, errHost)
		}
	}
	if endsInNumber(s) {
		addr, ok := parseIPv4(s)
		if !ok {
			return "", fmt.Errorf("%q: not an IPv4 address", s)
		}
		return addr.String(), nil
	}
	return s, nil
}

// simple reports whether a host needs no mapping.
func simple(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return !strings.Contains(s, "xn--")
}

// IP returns the address that a host of [Host] stands for. Addresses of IPv4
// within IPv6 (::ffff:127.0.0.1) come back as IPv4. A name is not looked up.
func IP(host string) (netip.Addr, bool) {
	if host == "" || host[0] != '[' && !isDigit(host[len(host)-1]) {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if err != nil {
		return netip.Addr{}, false
	}
	return addr.Unmap(), true
}

// endsInNumber reports whether browsers read the host as an IPv4 address
// (WHATWG URL, "ends in a number").
func endsInNumber(s string) bool {
	last := s[strings.LastIndexByte(s, '.')+1:]
	if last == "" || !isDigit(last[0]) {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := ipv4Number(last)
	return ok
}

// ipv4Number reads one part of an IPv4 address: decimal, 0 octal, 0x hex.
func ipv4Number(s string) (uint64, bool) {
	base := 10
	switch {
	case len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x':
		base, s = 16, s[2:]
		if s == "" {
			return 0, true
		}
	case len(s) >= 2 && s[0] == '0':
		base, s = 8, s[1:]
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n, err == nil && s[0] != '+' && s[0] != '-'
}

// parseIPv4 reads an address of one to four parts, the last of which fills the
// bytes that are left.
func parseIPv4(s string) (netip.Addr, bool) {
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var out uint64
	for i, p := range parts {
		if p == "" {
			return netip.Addr{}, false
		}
		n, ok := ipv4Number(p)
		if !ok {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return netip.Addr{}, false
			}
			out |= n << (8 * (3 - i))
			continue
		}
		if n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		out |= n
	}
	return netip.AddrFrom4([4]byte{byte(out >> 24), byte(out >> 16), byte(out >> 8), byte(out)}), true
}
