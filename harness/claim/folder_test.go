package claim

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolderFindsImages(t *testing.T) {
	dir := write(t, map[string]string{
		"COCO_1.jpg": "one", "COCO_2.JPEG": "two", "sub/a.Png": "three", "plain": "four",
		"twice.jpg": "five", "twice.png": "six", "photo.v2.webp": "seven", "notes.txt": "no image",
	})
	f, err := NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"COCO_1": "one", "COCO_1.jpg": "one", "COCO_2": "two", "COCO_2.jpg": "two", "sub/a": "three", `sub\a.png`: "three",
		"plain": "four", "twice.png": "six", "photo.v2": "seven", "./COCO_1": "one",
	}
	for source, want := range tests {
		data, name, err := f.Open(context.Background(), source)
		if string(data) != want || err != nil || name == "" {
			t.Errorf("Open(%q) = %q, %q, %v; want %q", source, data, name, err, want)
		}
	}
	if _, _, err := f.Open(context.Background(), "twice"); err == nil || !strings.Contains(err.Error(), "twice.jpg and twice.png") {
		t.Errorf("twice: %v", err)
	}
	for _, source := range []string{"notes", "COCO_3", "sub", "nosub/a"} {
		if _, _, err := f.Open(context.Background(), source); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), dir) {
			t.Errorf("Open(%q): %v; want not found in the folder", source, err)
		}
	}
	for _, source := range []string{"../x", "/etc/passwd", "sub/../../x", `..\x`, "..", ""} {
		if data, _, err := f.Open(context.Background(), source); err == nil {
			t.Errorf("Open(%q) read %q", source, data)
		}
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := f.Open(done, "COCO_1"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The name the data set published decides between two files of one stem.
func TestLoadPOPEOpensWhatWasPublished(t *testing.T) {
	row := `{"question_id": 1, "image": "a.jpg", "text": "Is there a dog in the image?", "label": "yes"}` + "\n"
	missing := strings.NewReplacer("1", "2", "a.jpg", "gone.jpg").Replace(row)
	dir := write(t, map[string]string{"p.json": row + missing, "img/a.jpg": "right", "img/a.png": "wrong"})
	set, err := LoadPOPE([]string{filepath.Join(dir, "p.json")}, filepath.Join(dir, "img"))
	if err != nil {
		t.Fatal(err)
	}
	if data, name, err := set.Claims[0].Open(context.Background(), set.Images); string(data) != "right" || name != "a.jpg" || err != nil {
		t.Errorf("%q, %q, %v", data, name, err)
	}
	_, _, err = set.Claims[1].Open(context.Background(), set.Images)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%v; want not found", err)
	}
	var m *MissingError
	if !errors.As(err, &m) || m.Image != "gone.jpg" || m.Folder != filepath.Join(dir, "img") {
		t.Errorf("%+v; want the image as the file writes it, and the folder", m)
	}
	for _, part := range []string{"p/2", "gone.jpg", filepath.Join(dir, "img")} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %s", err, part)
		}
	}
	if _, err := LoadPOPE([]string{filepath.Join(dir, "p.json")}, filepath.Join(dir, "p.json")); err == nil {
		t.Error("a file was taken for a folder")
	}
	set, _ = LoadPOPE([]string{filepath.Join(dir, "p.json")}, "")
	if _, _, err := set.Claims[0].Open(context.Background(), set.Images); !errors.Is(err, ErrNoImages) {
		t.Errorf("without a folder: %v", err)
	}
}

// Without a folder of images they are looked for beside the data, be these a
// file or a folder; where none of them is there, the set has none.
func TestImagesBesideTheData(t *testing.T) {
	row := `{"question_id": 1, "file_name": "img/a.jpg", "claim": "A dog.", "label": "yes"}` + "\n" + `{"question_id": 2, "file_name": "img/gone.jpg", "claim": "A cat.", "label": "yes"}`
	dir := write(t, map[string]string{"own/metadata.jsonl": row, "own/img/a.JPG": "beside", "bare/metadata.jsonl": row})
	for _, spec := range []string{"own", "own/metadata.jsonl"} {
		set, err := Load(filepath.Join(dir, spec), "")
		if err != nil {
			t.Fatal(err)
		}
		if data, _, err := set.Claims[0].Open(context.Background(), set.Images); string(data) != "beside" || err != nil {
			t.Errorf("%s: %q, %v", spec, data, err)
		}
		if _, _, err := set.Claims[1].Open(context.Background(), set.Images); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoImages) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	set, err := Load(filepath.Join(dir, "bare"), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := set.Claims[0].Open(context.Background(), set.Images); !errors.Is(err, ErrNoImages) {
		t.Errorf("nothing beside: %v", err)
	}
}
