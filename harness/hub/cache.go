package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// cache is the folder of one data set in the cache:
//
//	datasets--ORG--NAME/refs/REVISION             the commit that it was
//	datasets--ORG--NAME/blobs/HASH                content
//	datasets--ORG--NAME/snapshots/COMMIT/PATH     links to it
//	.locks/datasets--ORG--NAME/HASH.lock          held while a blob is written
type cache struct {
	root    string
	name    string // datasets--ORG--NAME
	noLinks bool
}

func (c *Client) cache(repo string) cache {
	return cache{root: c.set.Cache, name: folderName(repo), noLinks: c.set.NoLinks}
}

func folderName(repo string) string { return "datasets--" + strings.ReplaceAll(repo, "/", "--") }

func (k cache) dir() string { return filepath.Join(k.root, k.name) }

func (k cache) ref(revision string) string {
	return filepath.Join(k.dir(), "refs", filepath.FromSlash(revision))
}
func (k cache) blob(hash string) string { return filepath.Join(k.dir(), "blobs", hash) }
func (k cache) lock(hash string) string {
	return filepath.Join(k.root, ".locks", k.name, hash+".lock")
}

// snapshot is the path of a file at a commit.
func (k cache) snapshot(commit, name string) string {
	return filepath.Join(k.dir(), "snapshots", commit, filepath.FromSlash(name))
}

// commit is the one that a revision was when it was last asked for, "" if it
// never was.
func (k cache) commit(revision string) (string, error) {
	if IsCommit(revision) {
		return revision, nil
	}
	b, err := os.ReadFile(k.ref(revision))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	commit := strings.TrimSpace(string(b))
	if err == nil && !isFileName(commit) {
		err = fmt.Errorf("cache: %s holds no commit: remove it", k.ref(revision))
	}
	return commit, err
}

// known lists the files of a commit: all that it has, where huggingface_hub left
// a list of them in trees/COMMIT.json, else those that the cache has.
func (k cache) known(commit string) ([]string, error) {
	here, err := k.files(commit)
	if err != nil || len(here) == 0 {
		return nil, err
	}
	var tree struct {
		Version int                        `json:"format_version"`
		Files   map[string]json.RawMessage `json:"files"`
	}
	b, err := os.ReadFile(filepath.Join(k.dir(), "trees", commit+".json"))
	if err != nil || json.Unmarshal(b, &tree) != nil || tree.Version != 1 {
		return here, nil
	}
	return slices.Sorted(maps.Keys(tree.Files)), nil
}

// files lists what the cache has of a commit. A link without its blob is not
// there.
func (k cache) files(commit string) ([]string, error) {
	top := k.snapshot(commit, "")
	var names []string
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if _, ok := size(p); !ok {
			return nil
		}
		name, err := filepath.Rel(top, p)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	slices.Sort(names)
	return names, err
}

// size is that of a file, links followed, if it is one.
func size(name string) (int64, bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// setRef records what commit a revision is. A commit hash needs no record, and
// one that is right is left alone: the cache may be read-only.
func (k cache) setRef(revision, commit string) error {
	if known, err := k.commit(revision); err == nil && known == commit || revision == commit {
		return nil
	}
	return k.replace(k.ref(revision), func(temporary string) error {
		return os.WriteFile(temporary, []byte(commit), 0o666)
	})
}

// point makes the snapshot's name of a file lead to its blob.
func (k cache) point(commit, name, hash string) error {
	pointer, blob := k.snapshot(commit, name), k.blob(hash)
	target, err := filepath.Rel(filepath.Dir(pointer), blob)
	if err != nil {
		return err
	}
	return k.replace(pointer, func(temporary string) error {
		if !k.noLinks && os.Symlink(target, temporary) == nil {
			return nil
		}
		// No symbolic links here: a hard link, or else a copy.
		if os.Link(blob, temporary) == nil {
			return nil
		}
		return copyFile(temporary, blob)
	})
}

// replace puts a file where another may be, whole or not at all: fill makes it
// elsewhere in the data set's folder, and it is renamed to its place.
func (k cache) replace(name string, fill func(temporary string) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(k.dir(), ".candor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	temporary := filepath.Join(dir, "new")
	if err := fill(temporary); err != nil {
		return err
	}
	return os.Rename(temporary, name)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// cacheTag marks the cache for programs that make backups; the text is that of
// the Cache Directory Tagging Specification.
const cacheTag = "Signature: 8a477f597d28d172789f06886806bc55\n# This is a cache of the Hugging Face Hub.\n"

// tag marks the cache unless it is marked. That it cannot be is no harm.
func (k cache) tag() {
	name := filepath.Join(k.root, "CACHEDIR.TAG")
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		_ = os.WriteFile(name, []byte(cacheTag), 0o666)
	}
}

// alike names the data sets of the cache with the same last name: after a
// renaming, what is sought may be there under another.
func (k cache) alike(repo string) []string {
	entries, _ := os.ReadDir(k.root)
	var names []string
	for _, e := range entries {
		rest, isSet := strings.CutPrefix(e.Name(), "datasets--")
		org, last, ok := strings.Cut(rest, "--")
		if name := org + "/" + last; isSet && ok && name != repo && strings.EqualFold(last, filepath.Base(repo)) {
			names = append(names, name)
		}
	}
	return names
}
