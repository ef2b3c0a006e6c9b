package ollama_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// One model has one content digest wherever it is served, and every part that
// answers depend on changes it.
func TestContentDigest(t *testing.T) {
	shown := func(change func(map[string]any)) string {
		show := map[string]any{
			"modelfile":  "FROM /here/blobs/sha256-aaa\nFROM /here/blobs/sha256-bbb\n",
			"template":   "{{ .Prompt }}",
			"parameters": "stop \"a\"\ntop_k 20",
			"system":     "Be brief.",
			"renderer":   "qwen3.5",
		}
		change(show)
		text, err := json.Marshal(show)
		if err != nil {
			t.Fatal(err)
		}
		id, err := canned(t, map[string]string{"/api/version": `{"version":"1"}`, "/api/show": string(text), "/api/tags": "{}"}).Identify(t.Context(), "m")
		if err != nil {
			t.Fatal(err)
		}
		return id.ContentDigest
	}
	set := func(key, value string) func(map[string]any) { return func(m map[string]any) { m[key] = value } }
	model := shown(func(map[string]any) {})
	if !strings.HasPrefix(model, "sha256:") {
		t.Fatalf("content digest %q", model)
	}
	tests := []struct {
		name   string
		change func(map[string]any)
		same   bool
	}{
		{"another place on the disk", set("modelfile", "# Modelfile\nFROM D:\\models\\sha256-aaa\nFROM \"/there/sha256-bbb\"\n"), true},
		{"parameters in another order", set("parameters", "top_k 20\nstop \"a\""), true},
		{"another licence", set("license", "MIT"), true},
		{"other weights", set("modelfile", "FROM /here/blobs/sha256-ccc\nFROM /here/blobs/sha256-bbb\n"), false},
		{"another projector", set("modelfile", "FROM /here/blobs/sha256-aaa\nFROM /here/blobs/sha256-ccc\n"), false},
		{"an adapter", set("modelfile", "FROM /here/blobs/sha256-aaa\nADAPTER sha256-ddd\nFROM /here/blobs/sha256-bbb\n"), false},
		{"another template", set("template", "{{ .System }}{{ .Prompt }}"), false},
		{"another system text", set("system", "Be verbose."), false},
		{"another parameter", set("parameters", "top_k 40"), false},
		{"another renderer", set("renderer", "qwen3-vl"), false},
		{"another parser", set("parser", "qwen3"), false},
		{"an example", func(m map[string]any) { m["messages"] = []map[string]string{{"role": "user", "content": "hi"}} }, false},
	}
	for _, tt := range tests {
		if got := shown(tt.change); (got == model) != tt.same {
			t.Errorf("%s: same %v, want %v", tt.name, got == model, tt.same)
		}
	}
	if got := shown(set("modelfile", "FROM qwen3.5:4b\n")); got != "" {
		t.Errorf("weights that are not told have the content digest %s", got)
	}
}
