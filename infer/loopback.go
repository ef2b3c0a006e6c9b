package infer

import (
	"net/netip"
	"net/url"
	"strings"
)

// Loopback tells whether an endpoint, a URL, is reached without leaving this
// machine. Behind a tunnel it may be another machine's all the same.
func Loopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(strings.Trim(u.Hostname(), "[]"))
	return err == nil && ip.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}
