package dossier

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"candor/harness/report/figure"
	"candor/harness/rescore"
	"candor/harness/stored"
	"candor/scoring"
)

// Source is one source of confidence in the same verdicts, over the answered
// tasks for which it has one.
type Source struct {
	Name    string
	Paid    bool // the one that the rewards are of
	Missing int  // answered tasks without it
	// Summary is of those answers alone: its coverage and reward mean nothing.
	Summary *scoring.Summary
	Figures []figure.Figure
}

// sources sets the sources beside each other where there are several: the one
// that is paid first, the others by name.
func sources(ctx context.Context, a *stored.Answers, r *rescore.Result, opt scoring.Options) (out []Source, err error) {
	if len(r.Sources) < 2 {
		return nil, nil
	}
	scored := cmp.Or(opt.Source, "verbal")
	for _, name := range slices.Sorted(maps.Keys(r.Sources)) {
		s := Source{Name: name, Paid: name == scored}
		rows := having(a.Rows, name, s.Paid)
		s.Missing = r.Answered - len(rows)
		pay, err := scoring.NewPayment(scoring.Brier{}, nil) // its rewards are not shown
		if err != nil {
			return nil, err
		}
		if s.Summary, err = scoring.Summarize(ctx, rows, pay, opt); err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			if s.Figures, err = s.drawn(ctx, opt, float64(r.N)); err != nil {
				return nil, err
			}
		}
		if s.Paid {
			out = append([]Source{s}, out...)
		} else {
			out = append(out, s)
		}
	}
	return out, nil
}

// having are the answered rows that have a confidence from the source, with
// that as theirs.
func having(rows []scoring.Row, source string, paid bool) []scoring.Row {
	var out []scoring.Row
	for _, row := range rows {
		if row.Outcome != scoring.Answered {
			continue
		}
		if c, ok := row.Sources[source]; !paid && ok {
			row.Confidence = c
		} else if !paid {
			continue
		}
		row.Sources, row.Split = nil, ""
		out = append(out, row)
	}
	return out
}

func (s Source) drawn(ctx context.Context, opt scoring.Options, tasks float64) ([]figure.Figure, error) {
	p, err := ofLevels(ctx, s.Summary.Levels, opt, tasks)
	if err != nil {
		return nil, err
	}
	stem := strings.ReplaceAll(s.Name, ":", "-")
	p.reliability.Name, p.reliability.Title = "reliability-"+stem, "Reliability of "+s.Name
	p.risk.Name, p.risk.Title = "risk-coverage-"+stem, "Risk against coverage by "+s.Name
	return []figure.Figure{p.reliability.Figure(), p.risk.Figure()}, nil
}
