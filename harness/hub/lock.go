package hub

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// locked waits until no other process writes this blob: the lock is the one that
// huggingface_hub takes. Where a file system knows no locks the hash still
// finds what two writers spoil.
func (d *download) locked(ctx context.Context) (unlock func(), err error) {
	name := d.lock(d.etag)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o664))
	ok, err := l.TryLock()
	if err != nil {
		d.progress.Note(fmt.Sprintf("the cache cannot be locked (%v): do not download the same file twice at once", err))
		return func() {}, nil
	}
	if !ok {
		d.progress.Note(fmt.Sprintf("another process downloads %s: waiting for it", d.name))
		if _, err := l.TryLockContext(ctx, 200*time.Millisecond); err != nil {
			return nil, err
		}
	}
	return func() { _ = l.Close() }, nil
}
