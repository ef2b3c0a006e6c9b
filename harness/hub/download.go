package hub

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// download is one file on its way into the cache.
type download struct {
	*Client
	cache
	repo, commit, name string // repo is the data set's name now
	metadata
}

// fetch returns the path of a file, downloaded if the cache lacks it.
func (c *Client) fetch(ctx context.Context, k cache, l *listing, name string) (string, error) {
	pointer := k.snapshot(l.commit, name)
	have, here := size(pointer)
	if told, ok := l.sizes[name]; here && IsCommit(l.commit) && (!ok || told == have) {
		return pointer, nil // what a commit holds never changes
	}
	m, err := c.metadata(ctx, l.repo, l.commit, name, c.retry.Attempts)
	if err != nil {
		return "", err
	}
	d := download{Client: c, cache: k, repo: l.repo, commit: l.commit, name: name, metadata: m}
	err = d.blobHere(ctx)
	if errors.As(err, new(*HashError)) {
		return "", err
	}
	if err != nil {
		return "", fmt.Errorf("file %s: %w", name, err)
	}
	if err := k.point(l.commit, name, m.etag); err != nil {
		return "", fmt.Errorf("file %s: cache: %w", name, err)
	}
	return pointer, nil
}

// blobHere sees to it that the cache has the blob. One process at a time
// writes it; the others find it when it is their turn.
func (d *download) blobHere(ctx context.Context) error {
	if d.whole() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(d.blob(d.etag)), 0o777); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	d.tag()
	unlock, err := d.locked(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if d.whole() || d.underNewName() {
		return nil
	}
	part := d.blob(d.etag) + ".incomplete"
	resumed, err := d.into(ctx, part)
	if err != nil {
		return d.explainWrite(err)
	}
	err = d.verify(part)
	if errors.As(err, new(*HashError)) && resumed {
		// What lay there already may have been bad: once more from nothing.
		d.progress.Note(fmt.Sprintf("%s: what was left of an earlier download is bad; downloading it anew", d.name))
		if _, err = d.into(ctx, part); err == nil {
			err = d.verify(part)
		}
	}
	if err != nil {
		return err
	}
	return os.Rename(part, d.blob(d.etag))
}

// whole tells a blob that is here in full.
func (d *download) whole() bool {
	n, ok := size(d.blob(d.etag))
	return ok && (d.size < 0 || n == d.size)
}

// underNewName shares a blob that the cache has under the name that the data
// set has now, where it is asked for by an older one.
func (d *download) underNewName() bool {
	other := cache{root: d.root, name: folderName(d.repo)}
	if n, ok := size(other.blob(d.etag)); other.name == d.cache.name || !ok || d.size >= 0 && n != d.size {
		return false
	}
	from, err := filepath.EvalSymlinks(other.blob(d.etag))
	return err == nil && os.Link(from, d.blob(d.etag)) == nil
}

// into downloads the file into part, behind what is there. It reports whether
// that was something.
func (d *download) into(ctx context.Context, part string) (resumed bool, err error) {
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	if d.size >= 0 && have > d.size {
		have = 0 // of another file, or spoilt
	}
	resumed = have > 0
	if err := checkSpace(filepath.Dir(part), d.size-have); err != nil {
		return false, err
	}
	d.progress.Started(d.name, have, d.size)
	defer d.progress.Finished(d.name)
	err = d.retried(ctx, d.retry.Attempts, func() (bool, error) {
		if d.size >= 0 && have == d.size {
			return false, f.Truncate(have)
		}
		got, err := d.attempt(ctx, f, have)
		progressed := got > have
		have = got
		return progressed, err
	})
	if err != nil {
		return resumed, err
	}
	return resumed, f.Sync()
}

// attempt asks for what is missing behind the first have bytes, and writes what
// comes. It returns how many bytes are then here.
func (d *download) attempt(ctx context.Context, f *os.File, have int64) (int64, error) {
	d.progress.Advanced(d.name, have)
	r := request{method: http.MethodGet, url: d.fileURL(d.repo, d.commit, d.name), header: http.Header{}}
	if have > 0 {
		r.header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	watching, w := d.watch(ctx)
	defer w.stop()
	resp, err := d.do(watching, r)
	var s *StatusError
	if errors.As(err, &s) && s.Status == http.StatusRequestedRangeNotSatisfiable && have > 0 {
		return 0, fmt.Errorf("%w: %w", errCut, err) // nothing is there to go on with
	}
	if err != nil {
		return have, err
	}
	defer resp.Body.Close()
	resp.Body = w.over(resp.Body)
	body, have, err := d.body(resp, have)
	if err != nil {
		return have, err
	}
	if err := f.Truncate(have); err != nil {
		return have, err
	}
	if _, err := f.Seek(have, io.SeekStart); err != nil {
		return have, err
	}
	return d.copy(f, body, have)
}

// body is the file's content from a response, and at which byte it begins.
func (d *download) body(resp *http.Response, have int64) (io.Reader, int64, error) {
	switch {
	case !identity(resp) && !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip"):
		return nil, 0, fmt.Errorf("the server compresses it in a way that was not asked for, %.40q", resp.Header.Get("Content-Encoding"))
	case resp.StatusCode == http.StatusPartialContent && !identity(resp):
		return nil, 0, fmt.Errorf("%w: a part of what was compressed cannot be used", errCut)
	case !identity(resp):
		z, err := gzip.NewReader(resp.Body)
		if err != nil {
			return nil, 0, fmt.Errorf("%w: %w", errCut, err)
		}
		return z, 0, nil
	case resp.StatusCode != http.StatusPartialContent:
		return resp.Body, 0, nil // the whole: it knows no ranges
	}
	from, total := contentRange(resp.Header.Get("Content-Range"))
	if from != have || total >= 0 && d.size >= 0 && total != d.size {
		return nil, 0, fmt.Errorf("%w: another part than the one asked for", errCut)
	}
	return resp.Body, have, nil
}

// contentRange reads "bytes FROM-TO/TOTAL"; what is not told is -1.
func contentRange(s string) (from, total int64) {
	rest, ok := strings.CutPrefix(s, "bytes ")
	span, all, ok2 := strings.Cut(rest, "/")
	first, _, ok3 := strings.Cut(span, "-")
	from, err := strconv.ParseInt(first, 10, 64)
	if !ok || !ok2 || !ok3 || err != nil {
		return -1, -1
	}
	if total, err = strconv.ParseInt(all, 10, 64); err != nil {
		total = -1
	}
	return from, total
}

// copy writes what comes and counts it. A body that ends early is errCut.
func (d *download) copy(f io.Writer, body io.Reader, have int64) (int64, error) {
	buf := make([]byte, 1<<18)
	for {
		n, err := body.Read(buf)
		if d.size >= 0 && have+int64(n) > d.size {
			return 0, fmt.Errorf("the server sends more than the %d bytes that the Hub names", d.size)
		}
		if _, err := f.Write(buf[:n]); err != nil {
			return have, err
		}
		have += int64(n)
		d.progress.Advanced(d.name, have)
		switch {
		case errors.Is(err, io.EOF) && d.size >= 0 && have < d.size:
			return have, fmt.Errorf("%w after %d of %d bytes", errCut, have, d.size)
		case errors.Is(err, io.EOF):
			return have, nil
		case err != nil:
			return have, fmt.Errorf("%w after %d bytes: %w", errCut, have, err)
		}
	}
}

// explainWrite says of a full disk which it is.
func (d *download) explainWrite(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("no room left in the cache %s; what is there stays and is gone on with: make room, or name another folder in HF_HOME (%w)", d.root, err)
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("the cache %s cannot be written: name another folder in HF_HOME (%w)", d.root, err)
	}
	return err
}
