package ollama_test

import (
	"slices"
	"strings"
	"testing"

	"candor/infer/ollama"
)

// Every form of OLLAMA_HOST that Ollama understands leads to the address that
// its own client would use; the same forms do as --host.
func TestHost(t *testing.T) {
	tests := []struct{ host, want string }{
		{"", "http://127.0.0.1:11434"},
		{"  ", "http://127.0.0.1:11434"},
		{"gpu", "http://gpu:11434"},
		{"gpu:1234", "http://gpu:1234"},
		{" gpu:1234\n", "http://gpu:1234"},
		{`"gpu:1234"`, "http://gpu:1234"}, // quotes from an env file
		{":11434", "http://127.0.0.1:11434"},
		{":1234", "http://127.0.0.1:1234"},
		{"1.2.3.4", "http://1.2.3.4:11434"},
		// An address to listen at is no address to call.
		{"0.0.0.0", "http://127.0.0.1:11434"},
		{"0.0.0.0:1234", "http://127.0.0.1:1234"},
		{"http://0.0.0.0", "http://127.0.0.1"},
		{"http://0.0.0.0:1234", "http://127.0.0.1:1234"},
		{"::", "http://[::1]:11434"},
		{"[::]", "http://[::1]:11434"},
		{"[::]:1234", "http://[::1]:1234"},
		// IPv6, with and without brackets.
		{"::1", "http://[::1]:11434"},
		{"[::1]", "http://[::1]:11434"},
		{"[::1]:1234", "http://[::1]:1234"},
		{"https://[2001:db8::1]", "https://[2001:db8::1]"},
		{"2001:db8::1", "http://[2001:db8::1]:11434"},
		{"fe80::1%eth0", "http://[fe80::1%25eth0]:11434"},
		// URLs have the default port of their scheme.
		{"http://gpu", "http://gpu"},
		{"https://gpu", "https://gpu"},
		{"HTTPS://gpu:8443", "https://gpu:8443"},
		{"http://gpu:1234/", "http://gpu:1234"},
		{"https://gpu/ollama/", "https://gpu/ollama"},
		{"gpu/ollama", "http://gpu:11434/ollama"},
		// A password is used, not shown.
		{"https://me:secret@gpu", "https://gpu"},
	}
	for _, tt := range tests {
		t.Setenv("OLLAMA_HOST", tt.host)
		for _, from := range []string{tt.host, ""} {
			c, err := ollama.New(from)
			if err != nil {
				t.Errorf("%q: %v", tt.host, err)
				continue
			}
			if got := c.Endpoint(); got != tt.want && strings.TrimSpace(tt.host+from) != "" {
				t.Errorf("%q: endpoint %s; want %s", tt.host, got, tt.want)
			}
		}
	}
}

// What is no address is refused by the name of the setting, not replaced.
func TestHostRefused(t *testing.T) {
	bad := []string{
		"ftp://gpu", "http://", "https://", "unix:///run/ollama.sock", "http:/gpu", "http:gpu", "gpu:", "gpu:abc", "gpu:0", "gpu:70000",
		"gpu:-1", "a b", "[::1", "gpu:1:2", "http://gpu?model=x", "http://gpu/#top", "http://[::g]:1", "gpu,other", "\x00",
	}
	for _, host := range bad {
		t.Setenv("OLLAMA_HOST", "gpu")
		if c, err := ollama.New(host); err == nil {
			t.Errorf("%q: endpoint %s; want an error", host, c.Endpoint())
		} else if !strings.HasPrefix(err.Error(), "host ") {
			t.Errorf("%q: error %v does not name the host", host, err)
		}
		if strings.ContainsRune(host, 0) {
			continue // no environment can hold it
		}
		t.Setenv("OLLAMA_HOST", host)
		if _, err := ollama.New(""); err == nil || !strings.HasPrefix(err.Error(), "OLLAMA_HOST ") {
			t.Errorf("OLLAMA_HOST=%q: error %v; want one that names OLLAMA_HOST", host, err)
		}
	}
}

// OLLAMA_HOST may be a list, for what can use several.
func TestHosts(t *testing.T) {
	for env, want := range map[string][]string{
		"": nil, "gpu:11434": nil, "http://a:1,http://b:2": {"http://a:1", "http://b:2"}, ` "a,b" `: {"a", "b"},
	} {
		t.Setenv("OLLAMA_HOST", env)
		if got := ollama.Hosts(); !slices.Equal(got, want) {
			t.Errorf("%q names %q, want %q", env, got, want)
		}
	}
	if _, err := ollama.New("a,b"); err == nil || !strings.Contains(err.Error(), "several") {
		t.Errorf("a list for one server: %v", err)
	}
}
