package claim

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"candor/harness/hub"
	"candor/harness/parquet"
)

// Hub fetches data sets by name; a *hub.Client is one.
type Hub interface {
	Dataset(ctx context.Context, n hub.Name) (*hub.Dataset, error)
}

// ErrHub is returned for a name that can only be a data set on the Hub, where
// none may be fetched from there.
var ErrHub = errors.New("it could only be a data set on the Hub, and from there nothing is fetched here: give paths")

// Loader loads data sets by what a user calls them, those on the Hub included.
type Loader struct {
	Images string // folder of images, "" for none
	Hub    Hub    // nil: nothing is fetched
	// Commit is taken of a data set on the Hub instead of its newest, where
	// the user names no revision; "" is the newest.
	Commit string
}

// Load returns a data set: "demo"; a file or several; a folder; or, where no
// file has that name, one on the Hub (see hub.Name), whose Revision is then its
// commit.
func (l Loader) Load(ctx context.Context, spec string) (*Set, error) {
	n, ok := hubName(spec)
	if !ok {
		return l.local(ctx, spec)
	}
	if l.Hub == nil {
		return nil, fmt.Errorf("data set %s: there is no such file; %w", spec, ErrHub)
	}
	if l.Commit != "" && n.Revision == hub.MainRevision {
		n.Revision = l.Commit
	}
	d, err := l.Hub.Dataset(ctx, n)
	if errors.Is(err, hub.ErrNotFound) || errors.Is(err, hub.ErrUnreachable) {
		return nil, fmt.Errorf("%w; and there is no file or folder %s", err, spec)
	}
	if err != nil {
		return nil, err
	}
	files := make([]dataFile, len(d.Files))
	for i, f := range d.Files {
		files[i] = dataFile{path: f.Path, split: f.Split}
	}
	set, err := loadFiles(ctx, files, l.Images, true)
	if err != nil {
		return nil, fmt.Errorf("data set %s, commit %s: %w", n, d.Commit, ofCache(err))
	}
	for _, f := range files {
		set.Cached = append(set.Cached, f.path)
	}
	set.Name, set.Revision = hub.Name{Repo: d.Repo, Revision: hub.MainRevision, Config: n.Config, Split: n.Split}.String(), d.Commit
	return set, nil
}

// ofCache says of an error in a file of the cache which file to remove.
func ofCache(err error) error {
	bad := new(parquet.CorruptError)
	if !errors.As(err, &bad) {
		return err
	}
	return fmt.Errorf("%w; if the copy in the cache was damaged, remove %s and it is downloaded anew", err, hub.Blob(bad.File))
}

// hubName tells a name of a data set on the Hub from the path of a file: none is
// here of that name, and it does not end as files do.
func hubName(spec string) (hub.Name, bool) {
	n, err := hub.ParseName(spec)
	if err != nil || exists(spec) || slices.Contains(dataExtensions(), strings.ToLower(filepath.Ext(spec))) {
		return hub.Name{}, false
	}
	return n, true
}

func isHub(spec string) bool { _, ok := hubName(spec); return ok }

func dataExtensions() []string { return []string{".json", ".jsonl", ".csv", ".tsv", ".parquet"} }
