package fetch

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// dial connects to a server on the allow-list as it is, to any other only at a
// public address.
func (f *Fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := f.dialer
	if slices.Contains(f.allow, strings.ToLower(address)) {
		d.ControlContext = nil
	}
	return d.DialContext(ctx, network, address)
}

// publicOnly runs after the name is resolved and before the connection is made:
// what it sees is what is connected to.
func publicOnly(_ context.Context, network, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return ErrAddress
	}
	if !Public(at.Addr()) {
		return ErrAddress.With(nil, "the address leads into a private network")
	}
	return nil
}

// private are the networks besides those that netip knows, by the registries of
// special-purpose addresses (RFC 6890), and those that carry another address
// inside, which could be any.
var private = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT, cloud metadata
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),        // IPv4-compatible
	netip.MustParsePrefix("64:ff9b::/96"), // NAT64
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), // Teredo and others
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4
	netip.MustParsePrefix("fec0::/10"),
}

// Public says whether an address is one of the public internet.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	return !slices.ContainsFunc(private, func(p netip.Prefix) bool { return p.Contains(a) })
}
