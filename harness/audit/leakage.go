package audit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"candor/harness/claim"
	"candor/harness/regular"
	"candor/harness/run"
)

// Leakage is what runs that were made tell of images on both sides of the
// partition.
type Leakage struct {
	Runs []RunSide `json:"runs"`
	// Misplaced images were asked in a run on the other partition.
	Misplaced int `json:"misplaced_images"`
	// Shared images were asked in a run on eval and in one on train.
	Shared int `json:"shared_images"`
	// Repeated images have the bytes of one on the other side, by another name.
	Repeated int `json:"repeated_images"`
}

// RunSide is one run.
type RunSide struct {
	Dir       string `json:"dir"`
	Partition string `json:"partition"`
	Tasks     int    `json:"tasks"` // recorded
	Images    int    `json:"images"`
}

// Runs looks over the tasks that runs have recorded, as if they were a data
// set, and at what crosses from one partition to the other. A task of several
// runs counts once.
func Runs(ctx context.Context, dirs []string, opt Options) (*Report, error) {
	var stored []*run.Stored
	for _, dir := range dirs {
		s, err := run.Read(dir)
		if err != nil {
			return nil, err
		}
		stored = append(stored, s)
	}
	if err := opt.takeEvalIDs(stored); err != nil {
		return nil, err
	}
	set, err := asked(stored)
	if err != nil {
		return nil, err
	}
	r, err := look(ctx, set, opt)
	if err != nil {
		return nil, err
	}
	r.leakage(stored, opt)
	return r, nil
}

// takeEvalIDs takes the list that the runs were made by, unless one is given.
func (o *Options) takeEvalIDs(stored []*run.Stored) error {
	for _, s := range stored {
		name := s.Manifest.Config.EvalIDs
		if name == "" || o.EvalIDs != nil {
			continue
		}
		f, err := regular.Open(name)
		if err != nil {
			return fmt.Errorf("%s was made with --eval-ids: %w; give the list with --eval-ids", s.Dir, err)
		}
		defer f.Close()
		if o.EvalIDs, err = claim.ReadEvalIDs(f); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// asked is the claims of the runs' tasks. Their images are not looked at anew:
// the runs' traces have the hash of each.
func asked(stored []*run.Stored) (*claim.Set, error) {
	set := &claim.Set{Name: stored[0].Dir, Revision: stored[0].Manifest.Dataset.Revision, Images: unopened{}}
	if len(stored) > 1 {
		set.Name = fmt.Sprintf("%s and %d more", set.Name, len(stored)-1)
	}
	seen := map[string]claim.Claim{}
	for _, s := range stored {
		for _, t := range s.Traces {
			c := claim.Claim{ID: t.TaskID, Split: t.Split, QuestionID: t.QuestionID, ImageSource: t.ImageSource, Text: t.Claim, Label: claim.Label(t.Label)}
			if before, again := seen[c.ID]; again && before != c {
				return nil, fmt.Errorf("%s asked another claim as %s than a run before it: the runs are of different data sets", s.Dir, c.ID)
			}
			seen[c.ID] = c
		}
	}
	set.Claims = slices.SortedFunc(maps.Values(seen), func(a, b claim.Claim) int { return cmp.Compare(a.ID, b.ID) })
	return set, nil
}

// unopened has no images.
type unopened struct{}

func (unopened) Open(context.Context, string) ([]byte, string, error) {
	return nil, "", claim.ErrNoImages
}

// leakage finds images on both sides.
func (r *Report) leakage(stored []*run.Stored, opt Options) {
	l := &Leakage{Runs: []RunSide{}}
	askedIn, hashes := map[string]map[string]bool{}, map[string]map[string]bool{} // image → partitions; hash → images
	misplaced := map[string]bool{}
	for _, s := range stored {
		partition := s.Manifest.Config.Partition
		images := map[string]bool{}
		for _, t := range s.Traces {
			images[t.ImageSource] = true
			put(askedIn, t.ImageSource, partition)
			if t.Image.SourceSHA256 != "" {
				put(hashes, t.Image.SourceSHA256, t.ImageSource)
			}
			if partition == string(claim.Eval) && !opt.inEval(t.ImageSource) || partition == string(claim.Train) && opt.inEval(t.ImageSource) {
				misplaced[t.ImageSource] = true
			}
		}
		l.Runs = append(l.Runs, RunSide{Dir: s.Dir, Partition: partition, Tasks: len(s.Traces), Images: len(images)})
		if s.Missing() > 0 || len(s.Failed) > 0 {
			r.warn("partial", "%s: %d of %d tasks are recorded; the others are not looked at", s.Dir, len(s.Traces), s.Manifest.Tasks)
		}
	}
	l.Misplaced = len(misplaced)
	l.Shared = count(askedIn, func(in map[string]bool) bool { return in[string(claim.Eval)] && in[string(claim.Train)] })
	for _, names := range hashes {
		eval := 0
		for name := range names {
			eval += one(opt.inEval(name))
		}
		if eval > 0 && eval < len(names) {
			l.Repeated += len(names)
		}
	}
	r.Leakage = l
	r.tellLeakage()
}

func (r *Report) tellLeakage() {
	l := r.Leakage
	for _, w := range []struct {
		n          int
		code, text string
	}{
		{l.Misplaced, "misplaced_images", "asked in a run on the partition that they do not belong to"},
		{l.Shared, "shared_images", "asked in a run on eval and in one on train: what is fitted on the one has seen the other"},
		{l.Repeated, "leaking_images", "of the same bytes under several names, in both partitions: what is fitted on train has seen them"},
	} {
		if w.n > 0 {
			r.warn(w.code, "%s: %s", plural(w.n, "image"), w.text)
		}
	}
}
