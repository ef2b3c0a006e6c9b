package ollama

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// hostURL is the server's address: host, or OLLAMA_HOST when host is empty.
func hostURL(host string) (*url.URL, error) {
	if host != "" {
		return parseHost("host", host)
	}
	return parseHost("OLLAMA_HOST", os.Getenv("OLLAMA_HOST"))
}

// Hosts are the servers that OLLAMA_HOST names with commas between them, nil if
// it names no more than one: that is for New("").
func Hosts() []string {
	hosts := strings.Split(strings.Trim(strings.TrimSpace(os.Getenv("OLLAMA_HOST")), `"'`), ",")
	if len(hosts) == 1 {
		return nil
	}
	return hosts
}

// parseHost understands what Ollama itself does in OLLAMA_HOST, including the
// addresses that only a server can listen at (0.0.0.0, ::, :11434), which name
// this machine here. It refuses what Ollama would replace by a default. what
// names the setting in errors.
func parseHost(what, s string) (*url.URL, error) {
	refuse := func(why string) error {
		return fmt.Errorf("%s %q: %s; want an address such as 127.0.0.1:11434 or http://gpu:11434", what, s, why)
	}
	if strings.Contains(s, ",") {
		return nil, refuse("it names several servers, and one is wanted here")
	}
	scheme, rest, hasScheme := strings.Cut(strings.Trim(strings.TrimSpace(s), `"'`), "://")
	if !hasScheme {
		scheme, rest = "http", scheme
	}
	if scheme = strings.ToLower(scheme); scheme != "http" && scheme != "https" {
		return nil, refuse("the scheme must be http or https")
	}
	hostport, path, _ := strings.Cut(rest, "/")
	u, err := url.Parse(scheme + "://" + bracketed(hostport, hasScheme) + "/" + path)
	switch {
	case err != nil || u.Hostname() == "" || strings.HasSuffix(u.Host, ":") || strings.ContainsAny(u.Hostname(), ",;*"):
		return nil, refuse("no host and port can be read from it")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, refuse("it holds more than an address")
	}
	port := u.Port()
	if port == "" && !hasScheme {
		port = "11434"
	}
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) {
		return nil, refuse("the port must be from 1 to 65535")
	}
	u.Host = joined(reachable(u.Hostname()), port)
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// bracketed gives an IPv6 address the brackets that a URL needs, and a missing
// host (":11434", or nothing at all) this machine's.
func bracketed(hostport string, hasScheme bool) string {
	if a, err := netip.ParseAddr(hostport); err == nil && a.Is6() {
		return "[" + strings.Replace(hostport, "%", "%25", 1) + "]"
	}
	if strings.HasPrefix(hostport, ":") || hostport == "" && !hasScheme {
		return "127.0.0.1" + hostport
	}
	return hostport
}

// reachable turns an address to listen at into one to connect to.
func reachable(name string) string {
	a, err := netip.ParseAddr(name)
	switch {
	case err != nil || !a.IsUnspecified():
		return name
	case a.Is4():
		return "127.0.0.1"
	}
	return "::1"
}

func joined(name, port string) string {
	switch {
	case port != "":
		return net.JoinHostPort(name, port)
	case strings.Contains(name, ":"):
		return "[" + name + "]"
	}
	return name
}
