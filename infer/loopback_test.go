package infer

import "testing"

func TestLoopback(t *testing.T) {
	for endpoint, want := range map[string]bool{
		"http://127.0.0.1:11434":      true,
		"http://127.9.0.1:1":          true, // the whole block
		"http://[::1]:11434":          true,
		"http://LocalHost:11434/p":    true,
		"http://10.0.0.2:11434":       false,
		"http://localhost.example:80": false, // only begins so
		"http://ollama:11434":         false, // another container
		"://":                         false,
		"":                            false,
	} {
		if got := Loopback(endpoint); got != want {
			t.Errorf("%q: %v; want %v", endpoint, got, want)
		}
	}
}
