package lens

import (
	"context"
	"errors"
	"time"

	"candor/harness/lens/compat"
	"candor/harness/lens/play"
	"candor/harness/openenv"
	"candor/scoring/lqs"
)

// EvaluateAs measures as a published release does, defects and all. Of the
// options it heeds Episodes, Probes, MaxSteps, the thresholds, Judge, Journal
// and what is told of progress.
func (l *Lens) EvaluateAs(ctx context.Context, release lqs.Release, agent Agent, o Options) (_ *compat.Report, err error) {
	bench, c, o, err := l.published(ctx, release, agent, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bench.Close()) }()
	return compat.Evaluate(ctx, bench, release, c, o.Episodes)
}

// ProbeAs runs one published probe and returns its score.
func (l *Lens) ProbeAs(ctx context.Context, release lqs.Release, name string, agent Agent, o Options) (_ float64, err error) {
	if err := compat.CheckProbe(name); err != nil {
		return 0, err
	}
	bench, c, o, err := l.published(ctx, release, agent, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, bench.Close()) }()
	return compat.Probe(ctx, bench, release, c, name, o.Episodes)
}

func (l *Lens) published(ctx context.Context, release lqs.Release, agent Agent, o Options) (*play.Bench, compat.Config, Options, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, compat.Config{}, o, err
	}
	c := compat.DefaultConfig()
	c.Probes, c.HackThreshold, c.CoreThreshold, c.MaxSteps = o.Probes, o.HackThreshold, o.CoreThreshold, o.MaxSteps
	if err := c.Validate(release); err != nil {
		return nil, c, o, err
	}
	w, err := l.ready(ctx)
	if err != nil {
		return nil, c, o, err
	}
	raw, err := openenv.Marshal(c)
	if err != nil {
		return nil, c, o, err
	}
	header := play.Header{Kind: "lens", Format: play.Format, Environment: w.Name, Agent: o.AgentName, Judge: o.JudgeName, Compat: string(release),
		Episodes: o.Episodes, Started: o.Now().UTC().Format(time.RFC3339Nano), Config: raw}
	bench, err := play.New(o.setup(w, agent, header, true))
	return bench, c, o, err
}
