package preview

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"candor/harness/claim"
)

// Files are the files that names stand for: a folder stands for those in it, in
// their order, but for subfolders and hidden ones. A name that is neither is
// kept, for Images to say so.
func Files(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.IsDir() {
			out = append(out, name)
			continue
		}
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, fmt.Errorf("folder %s: %w", name, err)
		}
		n := len(out)
		for _, e := range entries {
			if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				out = append(out, filepath.Join(name, e.Name()))
			}
		}
		if len(out) == n {
			return nil, fmt.Errorf("folder %s holds no file", name)
		}
	}
	return out, nil
}

// Folder keeps what would be sent, for people to look at: each image under the
// name of its file, with .png behind it where it became one.
type Folder struct {
	dir   string
	taken map[string]string // name here → file it was made of
}

// NewFolder makes the folder if there is none. Of the files that are to be kept
// in it no two may have one name.
func NewFolder(dir string, files []string) (*Folder, error) {
	names := map[string]string{}
	for _, f := range files {
		if other, ok := names[filepath.Base(f)]; ok && other != f {
			return nil, fmt.Errorf("%s and %s have one name, and would be kept in one folder: take them one after the other, with a folder each", other, f)
		}
		names[filepath.Base(f)] = f
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &Folder{dir, map[string]string{}}, nil
}

// Keep writes the bytes that would be sent of an image. It writes over nothing:
// a file of that name must hold just these bytes.
func (f *Folder) Keep(img Image, sent []byte) error {
	name := filepath.Join(f.dir, filepath.Base(img.File))
	if !img.Passed && !strings.EqualFold(filepath.Ext(name), "."+img.SentFormat) {
		name += "." + img.SentFormat
	}
	if of, ok := f.taken[name]; ok && of != img.File {
		return fmt.Errorf("%s and %s would both become %s: take them one after the other, with a folder each", of, img.File, name)
	}
	f.taken[name] = img.File
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		if old, err := claim.ReadImage(name); err != nil || !bytes.Equal(old, sent) {
			return fmt.Errorf("%s is there already and holds something else: name another folder", name)
		}
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.Write(sent)
	return errors.Join(err, file.Close())
}
