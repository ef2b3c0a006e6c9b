package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"candor/harness/claim"
	"candor/imageproc"

	"golang.org/x/sync/semaphore"
)

// keepBytes is how much of the prepared images stays in memory between their
// check and their use; the rest is prepared again when its turn comes.
const keepBytes = 64 << 20

// mostMissing is how many missing images a message names: where the folder is
// the wrong one, that is all of them.
const mostMissing = 10

// imageStore prepares each image of a plan once, however many claims it has.
type imageStore struct {
	source claim.Images
	names  []string          // distinct, in the order of asking
	user   map[string]string // image → a claim that needs it, for messages

	family imageproc.Family
	policy imageproc.Policy

	mu    sync.Mutex
	facts map[string]imageproc.Prepared // without Data, unless it was kept
	kept  int
}

func newImageStore(source claim.Images, claims []claim.Claim) *imageStore {
	s := &imageStore{source: source, user: map[string]string{}, facts: map[string]imageproc.Prepared{}}
	for _, c := range claims {
		if _, seen := s.user[c.ImageSource]; !seen {
			s.names = append(s.names, c.ImageSource)
			s.user[c.ImageSource] = c.ID
		}
	}
	return s
}

// verify prepares every image, as many at once as there are processors, and
// names every one that cannot be read.
func (s *imageStore) verify(ctx context.Context, f imageproc.Family, policy imageproc.Policy, o Observer) error {
	s.family, s.policy = f, policy
	errs := make([]error, len(s.names))
	workers := int64(runtime.GOMAXPROCS(0))
	sem := semaphore.NewWeighted(workers)
	for i, name := range s.names {
		if err := sem.Acquire(ctx, 1); err != nil {
			return ErrInterrupted
		}
		go func() {
			defer sem.Release(1)
			errs[i] = s.check(ctx, name)
		}()
	}
	if err := sem.Acquire(ctx, workers); err != nil {
		return ErrInterrupted
	}
	if err := s.refusal(errs); err != nil {
		return err
	}
	o.ImagesReady(len(s.names))
	return nil
}

// refusal is one error for all images that cannot be used; errs are in the
// order of s.names. What is wrong with many of them alike is said once.
func (s *imageStore) refusal(errs []error) error {
	var bad, missing []string
	folder := ""
	for i, err := range errs {
		var m *claim.MissingError
		switch {
		case err == nil:
		case errors.Is(err, claim.ErrNoImages):
			return fmt.Errorf("%w; nothing was asked", claim.ErrNoImages)
		case errors.As(err, &m):
			missing, folder = append(missing, fmt.Sprintf("%s, needed by claim %s", m.Image, s.user[s.names[i]])), m.Folder
		default:
			bad = append(bad, err.Error())
		}
	}
	n := len(bad) + len(missing)
	if n == 0 {
		return nil
	}
	lines := firstOf(bad, mostListed)
	if len(missing) > 0 {
		lines = append(lines, fmt.Sprintf("%d not in folder %s, %s:", len(missing), folder, claim.Sought()))
		lines = append(lines, firstOf(missing, mostMissing)...)
	}
	return fmt.Errorf("%d of %d images cannot be used; nothing was asked:\n  %s", n, len(s.names), strings.Join(lines, "\n  "))
}

func (s *imageStore) check(ctx context.Context, name string) error {
	p, err := s.make(ctx, name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fact := *p
	fact.Data = nil
	if s.kept+len(p.Data) <= keepBytes {
		fact.Data = p.Data
		s.kept += len(p.Data)
	}
	s.facts[name] = fact
	return nil
}

func (s *imageStore) make(ctx context.Context, name string) (*imageproc.Prepared, error) {
	data, file, err := s.source.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%w (needed by claim %s)", err, s.user[name])
	}
	p, err := imageproc.Prepare(data, s.family, s.policy)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w (needed by claim %s)", file, err, s.user[name])
	}
	return p, nil
}

// ErrImageChanged marks an image that is no longer the one that was checked.
var ErrImageChanged = errors.New("the image changed while the run was under way")

// get returns a prepared image, anew if it was not kept.
func (s *imageStore) get(ctx context.Context, name string) (*imageproc.Prepared, error) {
	s.mu.Lock()
	fact := s.facts[name]
	s.mu.Unlock()
	if fact.Data != nil {
		return &fact, nil
	}
	p, err := s.make(ctx, name)
	if err != nil {
		return nil, err
	}
	if p.SourceSHA256 != fact.SourceSHA256 {
		return nil, fmt.Errorf("image %s: %w", name, ErrImageChanged)
	}
	return p, nil
}

func (s *imageStore) sourceHash(name string) string { return s.facts[name].SourceSHA256 }

func (s *imageStore) mostTokens() int {
	most := 0
	for _, f := range s.facts {
		most = max(most, f.Tokens)
	}
	return most
}

// typicalSize is the commonest size of the images sent, in pixels, the first in the
// order of asking among equals.
func (s *imageStore) typicalSize() (w, h int) {
	count, best := map[[2]int]int{}, 0
	for _, f := range s.facts {
		count[[2]int{f.Width, f.Height}]++
	}
	for _, n := range s.names {
		f := s.facts[n]
		if c := count[[2]int{f.Width, f.Height}]; c > best {
			best, w, h = c, f.Width, f.Height
		}
	}
	return w, h
}
