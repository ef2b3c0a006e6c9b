package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"candor/harness/claim"
	"candor/imageproc"
)

// mostMissing is how many missing images a message names: where the folder is
// the wrong one, that is all of them.
const mostMissing = 10

// ErrImageChanged marks an image that is no longer the one that was checked.
var ErrImageChanged = imageproc.ErrChanged

// imageStore is the images of a plan, each prepared once, however many claims
// it has.
type imageStore struct {
	source claim.Images
	names  []string          // distinct, in the order of asking
	user   map[string]string // image → a claim that needs it, for messages
	limits imageproc.Limits
	set    *claim.Set // whose images are kept in shared
	shared *Shared    // nil: they are this plan's alone

	store *sharedImages // once they are verified
}

func newImageStore(source claim.Images, claims []claim.Claim) *imageStore {
	s := &imageStore{source: source, user: map[string]string{}, limits: imageproc.DefaultLimits()}
	for _, c := range claims {
		if _, seen := s.user[c.ImageSource]; !seen {
			s.names = append(s.names, c.ImageSource)
			s.user[c.ImageSource] = c.ID
		}
	}
	return s
}

// verify prepares every image, as many at once as there are processors, and
// names every one that cannot be read. When it returns nothing is under way.
func (s *imageStore) verify(ctx context.Context, f imageproc.Family, policy imageproc.Policy, o Observer) error {
	if err := s.open(f, policy); err != nil {
		return err
	}
	if err := s.onePictureEach(ctx); err != nil {
		return err
	}
	errs := s.store.Check(ctx, s.names)
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	if err := s.refusal(errs); err != nil {
		return err
	}
	o.ImagesReady(len(s.names))
	return nil
}

// open finds the images a store: the runs' common one, or their own.
func (s *imageStore) open(f imageproc.Family, policy imageproc.Policy) (err error) {
	if s.shared != nil {
		s.store, err = s.shared.of(s.set, f, policy, s.limits)
		return err
	}
	p, err := imageproc.NewPreparer(f, policy)
	if err != nil {
		return err
	}
	s.close()
	s.store = &sharedImages{imageproc.NewStore(s.source, p, s.limits), map[string]bool{}}
	return nil
}

// onePictureEach refuses image sources whose rows hold several pictures.
func (s *imageStore) onePictureEach(ctx context.Context) error {
	var names []string
	for _, n := range s.names {
		if !s.store.sound[n] {
			names = append(names, n)
		}
	}
	if err := claim.CheckImages(ctx, s.source, names); err != nil {
		if ctx.Err() != nil {
			return ErrInterrupted
		}
		return fmt.Errorf("%w; nothing was asked", err)
	}
	for _, n := range names {
		s.store.sound[n] = true
	}
	return nil
}

// close gives back what the images take on disk, unless other runs share them.
func (s *imageStore) close() {
	if s.store != nil && s.shared == nil {
		_ = s.store.Close() // nothing is lost with it
	}
}

// close gives back what a plan holds; a nil one holds nothing.
func (p *Plan) close() {
	if p != nil && p.images != nil {
		p.images.close()
	}
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
			bad = append(bad, s.neededBy(s.names[i], err).Error())
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

// neededBy names a claim whose image cannot be had.
func (s *imageStore) neededBy(name string, err error) error {
	return fmt.Errorf("%w (needed by claim %s)", err, s.user[name])
}

// get returns an image as it is to be sent.
func (s *imageStore) get(ctx context.Context, name string) (*imageproc.Prepared, error) {
	p, err := s.store.Get(ctx, name)
	if err != nil {
		return nil, s.neededBy(name, err)
	}
	return p, nil
}

func (s *imageStore) sourceHash(name string) string {
	facts, _ := s.store.Facts(name)
	return facts.SourceSHA256
}

func (s *imageStore) fewestTokens() int {
	fewest := 0
	for i, n := range s.names {
		facts, _ := s.store.Facts(n)
		if i == 0 || facts.Tokens < fewest {
			fewest = facts.Tokens
		}
	}
	return fewest
}

func (s *imageStore) mostTokens() int {
	most := 0
	for _, n := range s.names {
		facts, _ := s.store.Facts(n)
		most = max(most, facts.Tokens)
	}
	return most
}

// typicalSize is the commonest size of the images sent, in pixels, the first in the
// order of asking among equals.
func (s *imageStore) typicalSize() (w, h int) {
	sizes, count := make([][2]int, len(s.names)), map[[2]int]int{}
	for i, n := range s.names {
		facts, _ := s.store.Facts(n)
		sizes[i] = [2]int{facts.Width, facts.Height}
		count[sizes[i]]++
	}
	best := 0
	for _, size := range sizes {
		if c := count[size]; c > best {
			best, w, h = c, size[0], size[1]
		}
	}
	return w, h
}
