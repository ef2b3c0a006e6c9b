package stored_test

import (
	"slices"
	"testing"

	"candor/harness/run"
	"candor/harness/stored"
)

// Each row is what a second run was made under, and the conditions in which it
// differs from the first.
func TestDiffering(t *testing.T) {
	made := func(hashed map[string]string) *stored.Answers {
		return &stored.Answers{Run: &run.Stored{Manifest: run.Manifest{Hashed: hashed}}}
	}
	first := map[string]string{"tasks": "t", "prompt": "p", "options": `{"temperature":0.7,"top_k":20}`}
	for _, row := range []struct {
		name  string
		other *stored.Answers
		want  []string
	}{
		{"the same", made(first), nil},
		{"other tasks", made(map[string]string{"tasks": "u", "prompt": "p", "options": first["options"]}), nil},
		{"one option", made(map[string]string{"prompt": "p", "options": `{"temperature":0,"top_k":20}`}), []string{"temperature"}},
		{"a manifest that tells nothing", made(nil), []string{"prompt", "temperature", "top_k"}},
		{"a file", &stored.Answers{}, nil},
	} {
		if got := stored.Differing(made(first), row.other); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v; want %v", row.name, got, row.want)
		}
		if got := stored.Differing(row.other, made(first)); !slices.Equal(got, row.want) {
			t.Errorf("%s, the other way round: %v; want %v", row.name, got, row.want)
		}
	}
	if made(nil).Conditions() == nil {
		t.Error("a run without conditions is taken for a file")
	}
}
