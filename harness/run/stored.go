package run

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"candor/harness/claim"
	"candor/scoring"
)

// Stored is a run as its files tell it.
type Stored struct {
	Dir      string
	Manifest Manifest
	Traces   []Trace
	Failed   []string // tasks that ended in error and have no trace, by ID
}

// Read reads the run in dir and changes nothing there; the run may even be
// going on. Torn last lines are left out.
func Read(dir string) (*Stored, error) {
	s := &Stored{Dir: dir}
	var err error
	if s.Manifest, err = LoadManifest(dir); err != nil {
		return nil, err
	}
	s.Traces, err = ReadTraces(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a run may have ended before its first answer
		return nil, err
	}
	failed, err := readErrors(filepath.Join(dir, ErrorsFile))
	if err != nil {
		return nil, err
	}
	for _, t := range s.Traces {
		delete(failed, t.TaskID)
	}
	s.Failed = slices.Sorted(maps.Keys(failed))
	return s, nil
}

// Rows are the run's tasks as the metrics see them, those in error included.
func (s *Stored) Rows() []scoring.Row {
	rows := make([]scoring.Row, 0, len(s.Traces)+len(s.Failed))
	for _, t := range s.Traces {
		rows = append(rows, t.Row())
	}
	for _, id := range s.Failed {
		split, _, _ := strings.Cut(id, "/")
		rows = append(rows, scoring.Row{ID: id, Split: split, Outcome: scoring.Errored})
	}
	return rows
}

// Missing counts the tasks that are neither recorded nor in error.
func (s *Stored) Missing() int { return s.Manifest.Tasks - len(s.Traces) - len(s.Failed) }

// Circumstances are the warnings that come from how far the run got and from
// what it was made under; every figure made from it inherits them.
func (s *Stored) Circumstances() []scoring.Warning {
	var ws []scoring.Warning
	if s.Missing() > 0 {
		ws = append(ws, partial(len(s.Traces), s.Manifest.Tasks))
	}
	return append(ws, circumstances(s.Manifest)...)
}

// Payment is the rule and the payoff that the run's prompt stated.
func (s *Stored) Payment() (scoring.Payment, error) { return s.Manifest.Config.Payment() }

// LabelSets are those that come with the run's data set, which only a set made
// here has: the demo's. There are none where this version makes other claims
// than the run was asked.
func (s *Stored) LabelSets() ([]claim.LabelSet, error) {
	return s.labelSets(func() (*claim.Set, error) { return claim.Load(s.Manifest.Config.Dataset, "") })
}

func (s *Stored) labelSets(load func() (*claim.Set, error)) ([]claim.LabelSet, error) {
	if _, isDemo, _ := claim.DemoSeed(s.Manifest.Config.Dataset); !isDemo {
		return nil, nil
	}
	set, err := load()
	if err != nil || set.Revision != s.Manifest.Dataset.Revision {
		return nil, err
	}
	claims := make(map[string]claim.Claim, len(set.Claims))
	for _, c := range set.Claims {
		claims[c.ID] = c
	}
	for _, t := range s.Traces {
		if c := claims[t.TaskID]; c.Text != t.Claim || c.ImageSource != t.ImageSource || string(c.Label) != t.Label {
			return nil, nil
		}
	}
	return set.LabelSets, nil
}
