package openenv

import (
	"strings"
	"testing"
)

func TestURLs(t *testing.T) {
	for _, row := range []struct{ given, socket, health string }{
		{"http://host:8000", "ws://host:8000/ws", "http://host:8000/health"},
		{"https://host", "wss://host/ws", "https://host/health"},
		{"ws://host", "ws://host/ws", "http://host/health"},
		{"wss://host", "wss://host/ws", "https://host/health"},
		{"HTTPS://Host", "wss://Host/ws", "https://Host/health"},
		// A bare host, with and without what could be taken for a scheme.
		{"host", "ws://host/ws", "http://host/health"},
		{"localhost:8000", "ws://localhost:8000/ws", "http://localhost:8000/health"},
		{"127.0.0.1:8000/", "ws://127.0.0.1:8000/ws", "http://127.0.0.1:8000/health"},
		{"[::1]:8000", "ws://[::1]:8000/ws", "http://[::1]:8000/health"},
		{" http://host \n", "ws://host/ws", "http://host/health"},
		// Slashes at the end, and paths.
		{"http://host/", "ws://host/ws", "http://host/health"},
		{"http://host///", "ws://host/ws", "http://host/health"},
		{"https://host/proxy/env/", "wss://host/proxy/env/ws", "https://host/proxy/env/health"},
		{"https://host/a%2Fb/", "wss://host/a%2Fb/ws", "https://host/a%2Fb/health"},
		{"https://org-space.hf.space", "wss://org-space.hf.space/ws", "https://org-space.hf.space/health"},
		// A query goes with every request.
		{"https://host/env/?key=1", "wss://host/env/ws?key=1", "https://host/env/health?key=1"},
	} {
		remote, err := NewRemote(row.given, DialOptions{})
		if err != nil {
			t.Errorf("%s: %v", row.given, err)
			continue
		}
		if got := remote.socketURL(); got != row.socket {
			t.Errorf("the sessions of %s are at %s", row.given, got)
		}
		if got := remote.at("/health"); got != row.health {
			t.Errorf("the health of %s is at %s", row.given, got)
		}
	}
}

// What cannot be meant is told, without a password.
func TestURLsThatAreNone(t *testing.T) {
	for _, given := range []string{
		"", "http://", "ftp://host", "unix:///run/env.sock", "http://host:port", "http://ho st", "http://host/#top",
		"http://user:secret@host", "http://user:secret@host:x", "http://secret@host", "user:secret@host",
	} {
		remote, err := NewRemote(given, DialOptions{})
		if err == nil {
			t.Errorf("%q is %v", given, remote)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", given, err)
		}
	}
}

// A bare IPv6 address could have a port or not.
func TestBareIPv6(t *testing.T) {
	for _, given := range []string{"::1", "http://::1", "::1:8000", "ws://fe80::a/env"} {
		if _, err := NewRemote(given, DialOptions{}); err == nil || !strings.Contains(err.Error(), "brackets") {
			t.Errorf("%q: %v", given, err)
		}
	}
}

func TestRemoteIsShownWithoutQuery(t *testing.T) {
	remote, err := NewRemote("https://host/env/?key=secret", DialOptions{Token: "secret"})
	if err != nil || remote.String() != "https://host/env" {
		t.Errorf("%v %v", remote, err)
	}
}
