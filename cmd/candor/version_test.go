package main

import (
	"runtime/debug"
	"testing"
)

// Each row is what was set and what Go noted, and what the program says of it.
func TestVersionOf(t *testing.T) {
	checkout := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "1f58c9d0123456789abcdef"}, {Key: "vcs.modified", Value: modified}}
	}
	for _, row := range []struct {
		name, set, module string
		settings          []debug.BuildSetting
		want              string
	}{
		{"set", "v1.2.3", "(devel)", checkout("true"), "v1.2.3"},
		{"a checkout", "", "v0.0.0-20260101000000-1f58c9d01234", checkout("false"), "devel-1f58c9d01234"},
		{"a changed checkout", "", "(devel)", checkout("true"), "devel-1f58c9d01234+dirty"},
		{"fetched", "", "v0.9.1", nil, "v0.9.1"},
		{"no checkout", "", "(devel)", nil, "devel"},
		{"nothing noted", "", "", nil, "devel"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: row.module}, Settings: row.settings}
		if got := versionOf(row.set, info); got != row.want {
			t.Errorf("%s: %q; want %q", row.name, got, row.want)
		}
	}
}
