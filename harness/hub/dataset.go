package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Dataset is a data set whose files are on this machine.
type Dataset struct {
	Repo   string // its name now
	Commit string // the revision, resolved
	Config string
	Files  []File
}

// File is one data file.
type File struct {
	Split string
	Name  string // its path in the data set
	Path  string // its path here
}

// Dataset returns a data set by its name, after downloading what the cache
// lacks of it.
//
// Offline, only the cache is read. So it is when the Hub cannot be reached, or
// refuses, and the cache has all that is needed: a Note then says of which
// commit. Errors match ErrNotFound, ErrGated, ErrToken, ErrNotCached or are a
// *HashError or *StatusError, and say what to do.
func (c *Client) Dataset(ctx context.Context, n Name) (*Dataset, error) {
	cached, cacheErr := c.cached(n)
	switch {
	case c.set.Offline:
		return cached, cacheErr
	case IsCommit(n.Revision) && cacheErr == nil:
		return cached, nil // what a commit holds never changes
	}
	attempts := min(c.retry.Attempts, 3) // to be told soon of a Hub that is not there
	if cacheErr == nil {
		attempts = 1 // there is something to fall back on
	}
	l, err := c.list(ctx, n, attempts)
	if err != nil && ctx.Err() == nil && cacheErr == nil && fallBack(err) {
		c.progress.Note(fmt.Sprintf("data set %s: read from the cache, commit %s, since %v", n, cached.Commit, err))
		return cached, nil
	}
	if err != nil {
		return nil, c.explain(n, err)
	}
	if l.repo != n.Repo {
		c.progress.Note(fmt.Sprintf("data set %s is now %s", n.Repo, l.repo))
	}
	d, err := c.download(ctx, n, l)
	if err != nil {
		return nil, c.explain(n, err)
	}
	return d, nil
}

// fallBack tells failures for which huggingface_hub, too, reads the cache. That
// something is not there any more is none of them.
func fallBack(err error) bool {
	var s *StatusError
	if errors.As(err, &s) {
		return s.Status >= 500 || s.Status == 429 || s.Status == 401 || s.Status == 403
	}
	return passes(err)
}

const cardName = "README.md"

// download fetches the card, sees by it what is needed, and fetches that.
func (c *Client) download(ctx context.Context, n Name, l *listing) (*Dataset, error) {
	k := c.cache(n.Repo)
	card := ""
	if slices.Contains(l.files, cardName) {
		at, err := c.fetch(ctx, k, l, cardName)
		if err != nil {
			return nil, err
		}
		if card, err = readCard(at); err != nil {
			return nil, err
		}
	}
	chosen, err := choose(n, card, l.files)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Repo: l.repo, Commit: l.commit, Config: chosen.config}
	for _, f := range chosen.files {
		at, err := c.fetch(ctx, k, l, f.name)
		if err != nil {
			return nil, err
		}
		d.Files = append(d.Files, File{Split: f.split, Name: f.name, Path: at})
	}
	// Last, so that a revision never leads to a commit of which files are missing.
	if err := k.setRef(n.Revision, l.commit); err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	return d, nil
}

// cached is what the cache has of a data set, if that is all of it.
func (c *Client) cached(n Name) (*Dataset, error) {
	k := c.cache(n.Repo)
	commit, err := k.commit(n.Revision)
	if err != nil {
		return nil, err
	}
	if commit == "" {
		return nil, c.notCached(n, k, "")
	}
	files, err := k.known(commit)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	if len(files) == 0 {
		return nil, c.notCached(n, k, "")
	}
	card, err := readCard(k.snapshot(commit, cardName))
	if err != nil {
		return nil, err
	}
	chosen, err := choose(n, card, files)
	if err != nil {
		return nil, c.notCached(n, k, fmt.Sprintf(" as a whole, at commit %s: %v", commit, err))
	}
	d := &Dataset{Repo: n.Repo, Commit: commit, Config: chosen.config}
	for _, f := range chosen.files {
		at := k.snapshot(commit, f.name)
		if _, ok := size(at); !ok {
			return nil, c.notCached(n, k, fmt.Sprintf(" as a whole: %s of commit %s is not there", f.name, commit))
		}
		d.Files = append(d.Files, File{Split: f.split, Name: f.name, Path: at})
	}
	return d, nil
}

// notCached says where was looked, and what to do.
func (c *Client) notCached(n Name, k cache, what string) error {
	s := fmt.Sprintf("data set %s: %v %s%s", n, ErrNotCached, c.set.Cache, what)
	if others := k.alike(n.Repo); len(others) > 0 {
		s += fmt.Sprintf("; it has %s", strings.Join(others, ", "))
	}
	if c.set.Offline {
		s += "; HF_HUB_OFFLINE forbids to download it: unset that, or name the cache that has it in HF_HOME"
	}
	return &notCachedError{s}
}

type notCachedError struct{ text string }

func (e *notCachedError) Error() string { return e.text }
func (e *notCachedError) Unwrap() error { return ErrNotCached }

// readCard reads a card; that there is none is no error.
func readCard(name string) (string, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil && info.Size() > maxCard {
		return "", nil
	}
	b, err := os.ReadFile(name)
	return string(b), err
}
