//go:build unix

package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"candor/harness/regular"
)

// Only files are opened, through links too; nothing is waited for.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	link := func(to, name string) {
		if err := os.Symlink(at(to), at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(at("file"), []byte("x"), 0o644), os.Mkdir(at("folder"), 0o755), syscall.Mkfifo(at("pipe"), 0o644)); err != nil {
		t.Fatal(err)
	}
	link("file", "to file")
	link("pipe", "to pipe")
	link("folder", "to folder")
	for name, want := range map[string]string{
		"file": "", "to file": "", "pipe": "pipe is a named pipe", "to pipe": "to pipe is a named pipe",
		"folder": "folder is a folder", "to folder": "to folder is a folder",
	} {
		data, err := regular.ReadFile(at(name))
		var bad *regular.NotFileError
		if want == "" && (err != nil || string(data) != "x") {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		if want != "" && (!errors.As(err, &bad) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
	if _, err := regular.Open("/dev/null"); err == nil || !strings.Contains(err.Error(), "a device") {
		t.Errorf("a device: %v", err)
	}
	if _, err := regular.Open(at("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
}
