package claim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"candor/harness/regular"
)

// maxImageFile is the most bytes an image file may have.
const maxImageFile = 256 << 20

// Folder gives images by name from a directory. No name leads out of it; links
// in it are followed wherever they lead, for whoever keeps the folder made them,
// as the cache of the Hub and stores of images shared by several sets do. It is
// safe for concurrent use.
type Folder struct {
	dir   string
	names map[string]string // image source → name as published, tried first

	mu       sync.Mutex
	listings map[string]map[string][]string // subfolder → image source → files
}

// NewFolder returns the images below a directory, which must exist.
func NewFolder(dir string) (*Folder, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("images folder: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("images folder %s is not a folder", dir)
	}
	return &Folder{dir: dir, listings: make(map[string]map[string][]string)}, nil
}

// Open reads an image by its source, with or without extension and with any of
// the known ones, in upper or lower case. Two files that differ only in that
// are refused unless one bears the very name the data set published. A missing
// image matches fs.ErrNotExist.
func (f *Folder) Open(ctx context.Context, imageSource string) (data []byte, name string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	stem := Stem(imageSource)
	if !local(stem) {
		return nil, "", fmt.Errorf("image %q is outside the images folder", imageSource)
	}
	if name, err = f.find(imageSource, stem); err != nil {
		return nil, "", err
	}
	data, err = ReadImage(filepath.Join(f.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, "", fmt.Errorf("image %s: %w", name, err)
	}
	return data, name, nil
}

// find returns the slash path below the folder of the file that holds an image.
func (f *Folder) find(asked, stem string) (string, error) {
	for _, name := range []string{f.names[stem], asked} {
		name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
		if info, err := os.Stat(filepath.Join(f.dir, filepath.FromSlash(name))); local(name) && err == nil && (!info.IsDir() || isImageName(name)) {
			return name, nil
		}
	}
	sub := path.Dir(stem)
	listing, err := f.list(sub)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("image %s: %w", stem, err)
	}
	switch files := listing[path.Base(stem)]; len(files) {
	case 0:
		return "", &MissingError{Image: cmp.Or(f.names[stem], asked), Folder: f.dir}
	case 1:
		return path.Join(sub, files[0]), nil
	default:
		return "", fmt.Errorf("image %s: folder %s holds %s: keep one", stem, f.dir, strings.Join(files, " and "))
	}
}

// MissingError is an image that its folder does not hold. It matches
// fs.ErrNotExist.
type MissingError struct {
	Image  string // as the data set writes it
	Folder string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("image %s: %v in folder %s (%s)", e.Image, fs.ErrNotExist, e.Folder, Sought())
}

// Unwrap returns fs.ErrNotExist.
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }

// Sought says under which names a folder's images are looked for.
func Sought() string {
	return "looked for with the extensions " + strings.Join(extensions(), " ")
}

// list reads a subfolder once: file names by their stem.
func (f *Folder) list(sub string) (map[string][]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.listings[sub]; ok {
		return known, nil
	}
	entries, err := os.ReadDir(filepath.Join(f.dir, filepath.FromSlash(sub)))
	if err != nil {
		return nil, err
	}
	files, folders := make(map[string][]string), make(map[string][]string)
	for _, e := range entries {
		of := files
		if e.IsDir() {
			of = folders
		}
		if stem := Stem(e.Name()); isImageName(e.Name()) {
			of[stem] = append(of[stem], e.Name())
		}
	}
	for stem, names := range folders {
		if len(files[stem]) == 0 { // to be refused by name, not taken for missing
			files[stem] = names
		}
	}
	f.listings[sub] = files
	return files, nil
}

// ReadImage reads an image file of a folder or elsewhere. Above 256 MiB it is
// refused.
func ReadImage(name string) ([]byte, error) {
	file, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxImageFile+1))
	if err == nil && len(data) > maxImageFile {
		err = fmt.Errorf("larger than %d MiB", maxImageFile>>20)
	}
	return data, err
}

// openFolder returns a data set's images; names are as the set published them.
func openFolder(dir string, names map[string]string) (Images, error) {
	if dir == "" {
		return noImages{}, nil
	}
	f, err := NewFolder(dir)
	if err != nil {
		return nil, err
	}
	f.names = names
	return f, nil
}

// beside is the folder of the data files if they are in one and any of the
// images is there too, else "".
func beside(paths []string, names map[string]string) string {
	dir := filepath.Dir(paths[0])
	for _, p := range paths {
		if filepath.Dir(p) != dir {
			return ""
		}
	}
	f, err := NewFolder(dir)
	if err != nil {
		return ""
	}
	f.names = names
	for stem, name := range names {
		if _, err := f.find(name, stem); err == nil {
			return dir
		}
	}
	return ""
}

// ErrNoImages is returned for any image of a set loaded without a folder.
var ErrNoImages = errors.New("no images folder was given: name it with --images")

type noImages struct{}

func (noImages) Open(_ context.Context, imageSource string) ([]byte, string, error) {
	return nil, "", fmt.Errorf("image %s: %w", imageSource, ErrNoImages)
}
