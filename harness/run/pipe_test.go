//go:build unix

package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"candor/harness/run"
)

// A pipe or a folder under the name of one of a run's files is refused by
// name, and never waited for; so are pipes among what a run reads.
func TestNotFiles(t *testing.T) {
	kinds := map[string]func(string) error{
		"a named pipe": func(name string) error { return syscall.Mkfifo(name, 0o644) },
		"a folder":     func(name string) error { return os.Mkdir(name, 0o755) },
	}
	for kind, put := range kinds {
		for _, file := range []string{run.ManifestFile, run.TracesFile, run.ErrorsFile, ".lock"} {
			b := half(t)
			name, before := filepath.Join(b.dir, file), len(b.server.Requests())
			if err := errors.Join(os.RemoveAll(name), put(name)); err != nil {
				t.Fatal(err)
			}
			b.fails(true, file+" is "+kind)
			if len(b.server.Requests()) != before {
				t.Errorf("%s: it asked", file)
			}
			if _, err := run.Read(b.dir); file != ".lock" && err == nil {
				t.Errorf("%s as %s was read", file, kind)
			}
		}
	}
	b := newBench(t)
	image, ids := filepath.Join(b.cfg.Images, "picture03.png"), filepath.Join(t.TempDir(), "ids")
	if err := errors.Join(os.Remove(image), syscall.Mkfifo(image, 0o644), syscall.Mkfifo(ids, 0o644)); err != nil {
		t.Fatal(err)
	}
	b.fails(false, "picture03.png is a named pipe", "1 of 6 images", "nothing was asked")
	b.cfg.EvalIDs = ids
	b.fails(false, "ids is a named pipe")
}
