package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"candor/harness/claim"
	"candor/harness/verify"
)

// ErrChanged matches what [Plan.Changed] finds.
var ErrChanged = errors.New("changed since the run was begun")

// changedError is a difference in words.
type changedError string

func (e changedError) Error() string { return string(e) }

// Is makes it match ErrChanged.
func (changedError) Is(target error) bool { return target == ErrChanged }

// Changed holds a plan against a run that was begun under the same name, be it
// finished or not: whether it would be put the same tasks under the same
// conditions, from the same files. What differs is an error that matches
// [ErrChanged], names the file or the setting, and says what to do. Images are
// looked at as far as the run has answers about them, and where they are files;
// one that is not there any more is not a changed one.
func (p *Plan) Changed(ctx context.Context, s *Stored) error {
	for _, find := range []func(*Stored) error{p.otherSettings, p.otherFiles, p.otherLabels, p.otherTasks} {
		if err := find(s); err != nil {
			return err
		}
	}
	return p.otherImages(ctx, s)
}

func changedf(format string, args ...any) error { return changedError(fmt.Sprintf(format, args...)) }

// anew is what to do where answers and conditions part.
func anew(dir string) string {
	return fmt.Sprintf("put it back as it was; or, to ask anew, remove %s or give another --out", dir)
}

// otherSettings compares what the user decides.
func (p *Plan) otherSettings(s *Stored) error {
	was, is := s.Manifest.Config, p.Config
	settings := []struct{ name, was, is string }{
		{"model", was.Model, is.Model}, {"split", was.Split, is.Split}, {"partition", was.Partition, is.Partition},
		{"num-tasks", fmt.Sprint(was.NumTasks), fmt.Sprint(is.NumTasks)}, {"seed", fmt.Sprint(was.Seed), fmt.Sprint(is.Seed)},
		{"replicate", fmt.Sprint(was.Replicate), fmt.Sprint(is.Replicate)}, {"rule", was.Rule, is.Rule},
		{"abstain-reward", s.Manifest.Hashed["abstain_reward"], fmt.Sprint(p.Payment.Abstain)},
		{"format", was.Format, is.Format}, {"image-policy", was.ImagePolicy, is.ImagePolicy},
		{"confidence", strings.Join(was.Confidence, ","), strings.Join(is.Confidence, ",")},
	}
	for _, f := range settings {
		if f.was != f.is {
			return changedf("%s was %s when the run was begun, and is %s; %s", f.name, cmp.Or(f.was, "none"), f.is, anew(s.Dir))
		}
	}
	o := p.Options // less what the plan has yet to fit
	if o.NumCtx == 0 {
		o.NumCtx = s.Manifest.Options.NumCtx
	}
	if o.NumBatch == 0 {
		o.NumBatch = s.Manifest.Options.NumBatch
	}
	if o != s.Manifest.Options {
		return changedf("sampling options changed since the run was begun: %s; %s", changed(inJSON(s.Manifest.Options), inJSON(o)), anew(s.Dir))
	}
	if hash := p.Prompt.Hash(); hash != s.Manifest.Prompt.Hash {
		return changedf("prompt %s changed since the run was begun (its hash was %.12s, is %.12s); %s", cmp.Or(is.Prompt, verify.PromptDefault), s.Manifest.Prompt.Hash, hash, anew(s.Dir))
	}
	return nil
}

// otherFiles compares the data set's files.
func (p *Plan) otherFiles(s *Stored) error {
	m := s.Manifest.Dataset
	if p.Revision == m.Revision {
		return nil
	}
	was := map[string]string{}
	for _, f := range m.Files {
		was[f.Path] = f.SHA256
	}
	for _, f := range p.files {
		if sum, ok := was[f.Path]; ok && sum != f.SHA256 {
			return changedf("data file %s changed since the run was begun (its sha256 was %.12s, is %.12s); %s", f.Path, sum, f.SHA256, anew(s.Dir))
		}
	}
	return changedf("data set %s changed since the run was begun (its revision was %.12s, is %.12s); %s", p.Config.Dataset, m.Revision, p.Revision, anew(s.Dir))
}

// otherLabels compares label sets that the run's figures were made by.
func (p *Plan) otherLabels(s *Stored) error {
	for _, l := range p.labels {
		for _, was := range s.Manifest.Labels {
			if was.Name != l.Name || was.Revision == l.Revision {
				continue
			}
			arg := l.Name
			if i := slices.IndexFunc(p.Config.Labels, func(a string) bool { return labelsName(a) == l.Name }); i >= 0 {
				arg = p.Config.Labels[i]
			}
			return changedf("label file %s changed since the figures were made (its sha256 was %.12s, is %.12s); put it back as it was, or have the figures made by it: candor eval --resume %s", arg, was.Revision, l.Revision, s.Dir)
		}
	}
	return nil
}

// otherTasks compares the tasks themselves.
func (p *Plan) otherTasks(s *Stored) error {
	why := ""
	if p.Config.EvalIDs != "" {
		why = " (chosen by " + p.Config.EvalIDs + ")"
	}
	if len(p.Tasks) != s.Manifest.Tasks {
		return changedf("there were %d tasks when the run was begun, and are %d%s; %s", s.Manifest.Tasks, len(p.Tasks), why, anew(s.Dir))
	}
	tasks := make(map[string]Task, len(p.Tasks))
	for _, t := range p.Tasks {
		tasks[t.ID] = t
	}
	for _, t := range s.Traces {
		switch is, ok := tasks[t.TaskID]; {
		case !ok:
			return changedf("task %s was asked, and is not among the tasks any more%s; %s", t.TaskID, why, anew(s.Dir))
		case is.Text != t.Claim || string(is.Label) != t.Label || is.ImageSource != t.ImageSource:
			return changedf("task %s has another claim, label or image than when it was asked; %s", t.TaskID, anew(s.Dir))
		}
	}
	return nil
}

// otherImages compares the bytes of image files.
func (p *Plan) otherImages(ctx context.Context, s *Stored) error {
	if len(p.files) == 0 {
		return nil
	}
	was := map[string]string{}
	for _, t := range s.Traces {
		was[t.ImageSource] = t.Image.SourceSHA256
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		sum, file, err := p.images.shared.sum(ctx, p.images.set, name)
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, claim.ErrNoImages):
		case err != nil:
			return err
		case sum != was[name]:
			return changedf("image %s changed since the run was begun (its sha256 was %.12s, is %.12s); %s", file, was[name], sum, anew(s.Dir))
		}
	}
	return nil
}

// dataFiles are the set's, for the manifest.
func (p *Plan) dataFiles() []DataFile {
	var out []DataFile
	for _, f := range p.files {
		out = append(out, DataFile{f.Path, f.SHA256})
	}
	return out
}

// fileSum is an image's digest and file.
type fileSum struct{ sum, file string }

// sum is the digest of an image of a set, read once.
func (s *Shared) sum(ctx context.Context, set *claim.Set, name string) (sum, file string, err error) {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if known, ok := s.sums[set][name]; ok {
			return known.sum, known.file, nil
		}
	}
	data, file, err := set.Images.Open(ctx, name)
	if err != nil {
		return "", "", err
	}
	digest := sha256.Sum256(data)
	sum = hex.EncodeToString(digest[:])
	if s != nil {
		if s.sums == nil {
			s.sums = map[*claim.Set]map[string]fileSum{}
		}
		if s.sums[set] == nil {
			s.sums[set] = map[string]fileSum{}
		}
		s.sums[set][name] = fileSum{sum, file}
	}
	return sum, file, nil
}

// inJSON is plain data as text.
func inJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
