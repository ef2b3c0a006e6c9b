package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"candor/harness/claim"
)

// absolute makes a path hold from any working directory, so that a run can be
// resumed from another one. Names and what is no path here are left alone.
func absolute(path string, names ...string) string {
	if slices.Contains(names, path) || !exists(path) {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// absoluteData does so for a data set, which may be several files.
func absoluteData(spec string) string {
	if _, isDemo, _ := claim.DemoSeed(spec); isDemo {
		return spec
	}
	if exists(spec) {
		return absolute(spec)
	}
	paths := claim.SplitList(spec)
	for i, p := range paths {
		if !exists(p) {
			return spec
		}
		paths[i] = absolute(p)
	}
	return strings.Join(paths, ",")
}

// absoluteLabels does so for the files of label sets.
func absoluteLabels(args []string) []string {
	var out []string
	for _, a := range args {
		if name, file, isFile := strings.Cut(a, "="); isFile {
			a = name + "=" + absoluteData(file)
		}
		out = append(out, a)
	}
	return out
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
