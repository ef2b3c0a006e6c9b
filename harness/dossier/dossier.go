// Package dossier gathers what a report shows of stored answers: the summary
// and what honesty would have earned, the figures that are drawn of them, the
// answers grouped by what they are about, and the tasks that cost the most with
// their pictures; of two runs the tasks that they ended otherwise, and of a sweep
// what is drawn of its table. It asks nothing and fetches nothing; what cannot be
// had again from where the run had it is left out, and told.
package dossier

import (
	"cmp"
	"context"
	"slices"

	"candor/harness/report/figure"
	"candor/harness/rescore"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// Options say how much is gathered.
type Options struct {
	Scoring scoring.Options
	Summary *scoring.Summary // with those options, where it is known already
	Traces  int              // the costliest tasks to keep; 0 = 200
	Images  int              // bytes of pictures, at most; 0 = 2 MiB, below 0 = none
}

const (
	defaultTraces = 200
	defaultImages = 2 << 20
)

func (o Options) filled() Options {
	o.Traces, o.Images = cmp.Or(o.Traces, defaultTraces), cmp.Or(o.Images, defaultImages)
	return o
}

// Dossier is everything that a report shows of one run or file.
type Dossier struct {
	Name      string
	Run       *run.Stored // nil for a file of answers
	Result    *rescore.Result
	Bins      int             // asked for in the ECE
	Figures   []figure.Figure // none where nothing was answered
	Sources   []Source        // of confidence; none unless there are several
	Objects   []Group         // by how many tasks they have; at most mostGroups
	Otherwise int             // objects beyond those
	Costliest []Costly
	Outcomes  map[string]int // tasks by kind, see Costly.Kind
	Tasks     int            // recorded, from which the costliest were taken
	Pictures  string         // why some are missing, "" where none is
}

// Of gathers what there is of the answers.
func Of(ctx context.Context, a *stored.Answers, opt Options) (*Dossier, error) {
	opt = opt.filled()
	result, err := rescore.Rescore(ctx, a, rescore.Request{Grid: true, Summary: opt.Summary, Options: opt.Scoring})
	if err != nil {
		return nil, err
	}
	d := &Dossier{Name: a.Name, Run: a.Run, Result: result, Bins: opt.Scoring.Bins}
	if d.Bins == 0 {
		d.Bins = 15
	}
	if d.Figures, err = figures(ctx, a, result, opt.Scoring); err != nil {
		return nil, err
	}
	if d.Sources, err = sources(ctx, a, result, opt.Scoring); err != nil {
		return nil, err
	}
	if a.Run == nil {
		return d, nil
	}
	d.Objects, d.Otherwise = objects(a.Run.Traces)
	d.Tasks = len(a.Run.Traces)
	d.Costliest, d.Outcomes = costliest(a.Run.Traces, opt.Traces)
	contradicted(d.Costliest, result.ByLabels)
	if opt.Images < 0 {
		return d, nil
	}
	var seen []wanted
	for i := range d.Costliest {
		seen = append(seen, wanted{d.Costliest[i].Trace, &d.Costliest[i].Image})
	}
	d.Pictures = pictures(ctx, a.Run.Manifest, seen, opt.Images)
	return d, nil
}

// Drawn are all figures, those of the sources of confidence last.
func (d *Dossier) Drawn() []figure.Figure {
	out := slices.Clone(d.Figures)
	for _, s := range d.Sources {
		out = append(out, s.Figures...)
	}
	return out
}
