package browser

import (
	"net/netip"
	"strings"
)

// privateNets are the ranges that the standard library's predicates leave out.
var privateNets = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),      // this network; Linux connects it to itself
	netip.MustParsePrefix("100.64.0.0/10"),  // shared, RFC 6598; cloud metadata of some
	netip.MustParsePrefix("192.0.0.0/24"),   // protocol assignments, RFC 6890
	netip.MustParsePrefix("198.18.0.0/15"),  // benchmarks, RFC 2544
	netip.MustParsePrefix("240.0.0.0/4"),    // reserved and broadcast
	netip.MustParsePrefix("fec0::/10"),      // site-local, RFC 3879
	netip.MustParsePrefix("64:ff9b:1::/48"), // local NAT64, RFC 8215
	netip.MustParsePrefix("2001:db8::/32"),  // documentation
	netip.MustParsePrefix("::/96"),          // IPv4-compatible, deprecated
	netip.MustParsePrefix("fd00:ec2::/32"),  // cloud metadata
}

var (
	nat64 = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052
	sixTo = netip.MustParsePrefix("2002::/16")    // RFC 3056
)

// isPrivate reports whether an address is of this machine or its network:
// loopback, private, link-local, shared, unspecified or multicast, also when
// it is an IPv4 address inside an IPv6 one.
func isPrivate(ip netip.Addr) bool {
	ip = ip.WithZone("").Unmap()
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
		return true
	}
	for _, n := range privateNets {
		if n.Contains(ip) {
			return true
		}
	}
	if ip.Is6() {
		b := ip.As16()
		if nat64.Contains(ip) {
			return isPrivate(netip.AddrFrom4([4]byte(b[12:16])))
		}
		if sixTo.Contains(ip) {
			return isPrivate(netip.AddrFrom4([4]byte(b[2:6])))
		}
	}
	return false
}

// isLocalName recognises names that never leave the machine or its network
// (RFC 6761, RFC 6762).
func isLocalName(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		host == "local" || strings.HasSuffix(host, ".local") ||
		host == "localdomain" || strings.HasSuffix(host, ".localdomain")
}
