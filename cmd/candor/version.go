package main

import (
	"cmp"
	"fmt"
	"runtime/debug"
)

// version is set at build time by -ldflags "-X main.version=…"; else the
// program tells what Go noted of its source.
var version string

// versionCmd is candor version.
type versionCmd struct{}

// Run prints the version, as --version does.
func (versionCmd) Run(c console) error {
	_, err := fmt.Fprintln(c.out, "candor", built())
	return err
}

// built is what this program calls itself, in run.json too.
func built() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(version, info)
}

// versionOf is the version that was set; else the revision of the checkout
// that was built, with a mark if its files were changed; else the version that
// the module was fetched by; else devel.
func versionOf(set string, info *debug.BuildInfo) string {
	noted := map[string]string{}
	for _, s := range info.Settings {
		noted[s.Key] = s.Value
	}
	dirty := ""
	if noted["vcs.modified"] == "true" {
		dirty = "+dirty"
	}
	switch revision := noted["vcs.revision"]; {
	case set != "":
		return set
	case revision != "":
		return fmt.Sprintf("devel-%.12s%s", revision, dirty)
	case info.Main.Version != "(devel)":
		return cmp.Or(info.Main.Version, "devel")
	}
	return "devel"
}
