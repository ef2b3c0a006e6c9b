package run

import (
	"context"
	"errors"
	"sync"

	"candor/harness/claim"
	"candor/imageproc"
)

// Shared keeps what runs that are carried out one after another have in common:
// each data set is loaded once, and each of its images read and prepared once
// for a model family, however many of the runs ask about it. What is kept is
// what was found first: a file that changes meanwhile changes no later run.
//
// The zero value is ready, and nil keeps nothing. Close gives back what the
// images take on disk.
type Shared struct {
	mu      sync.Mutex
	commits map[string]string
	sets    map[setKey]*claim.Set
	images  map[imagesKey]*sharedImages
	sums    map[*claim.Set]map[string]fileSum
}

type setKey struct{ spec, images, commit string }

type imagesKey struct {
	set    *claim.Set
	family imageproc.Family
	policy imageproc.Policy
}

// sharedImages are the images of a set, as far as they were asked about.
type sharedImages struct {
	*imageproc.Store
	sound map[string]bool // names of which each has one picture
}

// Pin makes runs that begin take a commit of a data set on the Hub, in the place
// of the newest; the first one given stays.
func (s *Shared) Pin(dataset, commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.commits == nil {
		s.commits = map[string]string{}
	}
	if commit != "" && s.commits[dataset] == "" {
		s.commits[dataset] = commit
	}
}

// Plan is NewPlan of a data set that is loaded once. If begun is not nil, it is
// held against that run: what differs is the error of [Plan.Changed].
func (s *Shared) Plan(ctx context.Context, cfg Config, hub claim.Hub, begun *Stored) (*Plan, error) {
	p, err := newPlan(ctx, cfg, claim.Loader{Hub: hub}, s, earlierLabels{})
	if p != nil && begun != nil { // a changed file may be why there is no plan
		if changed := p.otherFiles(begun); changed != nil {
			return nil, changed
		}
	}
	if err != nil {
		return nil, err
	}
	if begun != nil {
		err = p.Changed(ctx, begun)
	}
	return p, err
}

// LabelSets are those of [Stored.LabelSets], of a data set that is loaded once.
func (s *Shared) LabelSets(ctx context.Context, of *Stored) ([]claim.LabelSet, error) {
	cfg := of.Manifest.Config
	return of.labelSets(func() (*claim.Set, error) { return s.load(ctx, claim.Loader{Images: cfg.Images}, cfg.Dataset) })
}

// load loads a data set unless it is here.
func (s *Shared) load(ctx context.Context, l claim.Loader, spec string) (*claim.Set, error) {
	if s == nil {
		return l.Load(ctx, spec)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.Commit == "" {
		l.Commit = s.commits[spec]
	}
	key := setKey{spec, l.Images, l.Commit}
	if set := s.sets[key]; set != nil {
		return set, nil
	}
	set, err := l.Load(ctx, spec)
	if err != nil {
		return nil, err
	}
	if s.sets == nil {
		s.sets = map[setKey]*claim.Set{}
	}
	s.sets[key] = set
	return set, nil
}

// of is the store of a set's images, prepared for one family.
func (s *Shared) of(set *claim.Set, f imageproc.Family, policy imageproc.Policy, l imageproc.Limits) (*sharedImages, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := imagesKey{set, f, policy}
	if s.images[key] == nil {
		p, err := imageproc.NewPreparer(f, policy)
		if err != nil {
			return nil, err
		}
		if s.images == nil {
			s.images = map[imagesKey]*sharedImages{}
		}
		s.images[key] = &sharedImages{imageproc.NewStore(set.Images, p, l), map[string]bool{}}
	}
	return s.images[key], nil
}

// Close ends the use of the images. Runs that share them must have ended.
func (s *Shared) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, i := range s.images {
		errs = append(errs, i.Close())
	}
	s.images, s.sets, s.sums = nil, nil, nil
	return errors.Join(errs...)
}
