package imageproc

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrChanged marks an image whose bytes are no longer those that were checked.
var ErrChanged = errors.New("the image changed while the run was under way")

// Source gives the bytes of an image by its name in a set, and the name of its
// file for messages. It is called by many goroutines at once.
type Source interface {
	Open(ctx context.Context, name string) (data []byte, file string, err error)
}

// Limits bound what a Store holds of the bytes it has prepared.
type Limits struct {
	Memory int64 // bytes
	Disk   int64 // bytes in a file that no other program sees
}

// DefaultLimits hold all of POPE's images, by far.
func DefaultLimits() Limits { return Limits{Memory: 64 << 20, Disk: 2 << 30} }

// Store prepares the images of a set: Check decodes each of them once, equal
// files under two names included; Get gives what is to be sent, as often as it
// is asked. Between the two lie the bytes that were made, in memory as far as
// Limits allow, then in a temporary file; an image that passes through is read
// again from its source instead. Only beyond both limits is an image decoded
// once more. What grows with the set is some 500 bytes an image.
//
// Close gives the file back.
type Store struct {
	source   Source
	preparer *Preparer
	limits   Limits
	seed     maphash.Seed

	mu      sync.Mutex
	named   map[string]*stored
	content map[string]*stored // by SHA-256 of the source
	kept    int64              // bytes in memory
	spool   *spool
}

// stored is one image: what is known of it, and where its bytes are.
type stored struct {
	Prepared        // Data is nil unless it is in memory
	sum      uint64 // of the source, to tell quickly that it is the same
	place    place  // in the file; a length of 0 where it is not there
}

// NewStore returns a Store that has looked at nothing yet.
func NewStore(source Source, p *Preparer, l Limits) *Store {
	return &Store{
		source: source, preparer: p, limits: l, seed: maphash.MakeSeed(),
		named: map[string]*stored{}, content: map[string]*stored{}, spool: &spool{limit: l.Disk},
	}
}

// Close removes the temporary file, if there is one. Get must not be called
// after it.
func (s *Store) Close() error { return s.spool.close() }

// Check prepares every image named, as many at once as there are processors,
// and returns one error for each, in their order; nil is an image that can be
// sent. One that it accepted before is not looked at again. When ctx ends, it begins none of the rest, whose errors are ctx's, and
// returns when those under way are done.
func (s *Store) Check(ctx context.Context, names []string) []error {
	errs := make([]error, len(names))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(names); i = int(next.Add(1)) - 1 {
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = s.check(ctx, names[i])
				}
			}
		})
	}
	workers.Wait()
	return errs
}

func (s *Store) check(ctx context.Context, name string) error {
	if _, known := s.Facts(name); known {
		return nil
	}
	data, file, err := s.source.Open(ctx, name)
	if err != nil {
		return err
	}
	if e := s.equal(digest(data)); e != nil {
		s.put(name, e)
		return nil
	}
	p, err := s.preparer.Prepare(ctx, data)
	if err != nil {
		return fmt.Errorf("image %s: %w", file, err)
	}
	s.put(name, s.keep(p, data))
	return nil
}

// equal is the image of the same bytes, under another name; nil for none.
func (s *Store) equal(sha256 string) *stored {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.content[sha256]
}

func (s *Store) put(name string, e *stored) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.named[name], s.content[e.SourceSHA256] = e, e
}

// keep finds the bytes a place until they are asked for.
func (s *Store) keep(p *Prepared, source []byte) *stored {
	e := &stored{Prepared: *p, sum: maphash.Bytes(s.seed, source)}
	n := int64(len(p.Data))
	s.mu.Lock()
	room := s.kept+n <= s.limits.Memory
	if room {
		s.kept += n
	}
	s.mu.Unlock()
	if !room {
		e.Data = nil
		if !p.PassedThrough {
			e.place = s.spool.put(p.Data)
		}
	}
	return e
}

// Get returns an image that Check accepted, with the bytes to send. They are
// shared and must not be changed. An image whose source is no longer the same
// is ErrChanged.
func (s *Store) Get(ctx context.Context, name string) (*Prepared, error) {
	s.mu.Lock()
	e := s.named[name]
	s.mu.Unlock()
	if e == nil {
		return nil, fmt.Errorf("image %s was not checked", name)
	}
	out := e.Prepared
	var err error
	switch {
	case out.Data != nil:
	case e.place.length > 0:
		out.Data, err = s.spool.get(e.place)
	default:
		out.Data, err = s.again(ctx, name, e)
	}
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// again reads an image from its source once more, and prepares it if it does
// not pass through.
func (s *Store) again(ctx context.Context, name string, e *stored) ([]byte, error) {
	data, file, err := s.source.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	if maphash.Bytes(s.seed, data) != e.sum {
		return nil, fmt.Errorf("image %s: %w", file, ErrChanged)
	}
	if e.PassedThrough {
		return data, nil
	}
	p, err := s.preparer.Prepare(ctx, data)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", file, err)
	}
	return p.Data, nil
}

// Facts is what is known of an image that Check accepted, without its bytes.
func (s *Store) Facts(name string) (facts Prepared, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.named[name]
	if ok {
		facts = e.Prepared
		facts.Data = nil
	}
	return facts, ok
}
