//go:build unix

package claim

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What stands under the name of an image or a data file without being a file
// is refused by name, and never waited for.
func TestNotFiles(t *testing.T) {
	dir := write(t, map[string]string{"both.png": "file", "dir.txt": "x"})
	at := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(
		syscall.Mkfifo(at("pipe.png"), 0o644), syscall.Mkfifo(at("rows.jsonl"), 0o644), os.Symlink(at("pipe.png"), at("link.png")),
		os.Mkdir(at("folder.png"), 0o755), os.Mkdir(at("both.jpg"), 0o755), os.Mkdir(at("rows.json"), 0o755),
	)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"pipe": "pipe.png is a named pipe", "pipe.png": "pipe.png is a named pipe", "link": "link.png is a named pipe",
		"folder": "folder.png is a folder", "folder.png": "folder.png is a folder",
	} {
		if _, _, err := f.Open(context.Background(), source); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v; want %q", source, err, want)
		}
	}
	if data, _, err := f.Open(context.Background(), "both"); string(data) != "file" || err != nil {
		t.Errorf("a file beside a folder: %q, %v", data, err)
	}
	if _, err := Load(at("rows.jsonl"), ""); err == nil || !strings.Contains(err.Error(), "rows.jsonl is a named pipe") {
		t.Errorf("a pipe of rows: %v", err)
	}
	if _, err := LoadPOPE([]string{at("rows.json")}, ""); err == nil || !strings.Contains(err.Error(), "rows.json is a folder") {
		t.Errorf("a folder of rows: %v", err)
	}
}
