// Package run is one run: the tasks of one configuration, asked, recorded and
// summed up in one directory. It goes plan → prepare → ask → record. The plan
// is a pure function of the configuration and the data, so that a run
// interrupted at any moment is resumed by asking what its journal lacks; the
// journal, one line a finished task, is the truth, and everything else is
// computed from it.
//
// What is wrong with the configuration, the data or a single image is said
// before any request is sent. A failure of the infrastructure is retried, then
// recorded as an error; it never counts as a wrong answer.
package run

import (
	"context"
	"errors"
	"time"

	"candor/harness/claim"
	"candor/harness/hub"
	"candor/imageproc"
	"candor/infer"
)

// Dependencies are what a run needs from outside.
type Dependencies struct {
	// Connect opens the server at host, "" for the default one.
	Connect func(host string) (infer.Backend, error)
	// DefaultHosts are the hosts of a run that names none; nil, or none, is what
	// Connect makes of "".
	DefaultHosts func() []string
	// Bundled is a model that servers are given when it is the run's; nil for
	// none.
	Bundled *Bundled
	// Hub fetches data sets by name; nil fetches none.
	Hub claim.Hub
	// Shared keeps data sets and images for the runs that follow; nil keeps none.
	Shared *Shared
	// Observer is told what happens; nil tells nobody.
	Observer Observer
	// InFlight is told of every change in the number of requests in flight at an
	// endpoint, where at most limit are, from several goroutines at once; nil
	// tells nobody.
	InFlight func(endpoint string, limit, by int)
	// Stop ends the run in good order when closed: what is in flight is
	// finished and recorded, and nothing more is asked.
	Stop <-chan struct{}
	// Retry bounds the attempts at a request; the zero value is
	// infer.DefaultRetry.
	Retry infer.RetryPolicy
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Version is recorded in the manifest.
	Version string
}

// Result is where a run stands when it ends.
type Result struct {
	Dir      string   `json:"dir"`
	Manifest Manifest `json:"manifest"`
	Summary  Summary  `json:"summary"`
}

// ErrInterrupted is returned by a run that was stopped, or whose context
// ended, before its last task. It can be resumed.
var ErrInterrupted = errors.New("interrupted")

// Execute carries out cfg: anew in dir, or, when resume is set, on with what
// the run in dir lacks. The Result is meaningful whenever a run was opened,
// also beside an error.
//
// ctx ends the run at once: requests in flight are given up, what is recorded
// stays recorded.
func Execute(ctx context.Context, cfg Config, dir string, resume bool, deps Dependencies) (Result, error) {
	deps = deps.withDefaults()
	known := ""
	if resume {
		known = dir
	}
	p, s, err := ready(ctx, cfg, known, deps)
	defer p.close()
	if err != nil {
		return Result{}, err
	}
	r, err := openRun(dir, resume, p, s, deps)
	if err != nil {
		return Result{}, err
	}
	defer r.close()
	err = r.ask(ctx, p, s, deps)
	r.lookAgain(ctx, s, deps)
	if err != nil {
		return r.finish(context.WithoutCancel(ctx), p, err)
	}
	return r.finish(ctx, p, nil)
}

// DryRun does what Execute does before its first request, and changes nothing,
// here or at a server. A server that cannot be reached is no error: the plan is
// then laid out for the published baseline's image family, and says so.
func DryRun(ctx context.Context, cfg Config, deps Dependencies) (*Plan, error) {
	deps = deps.withDefaults()
	ctx, cancel := infer.UntilStopped(ctx, deps.Stop)
	defer cancel()
	p, err := newPlan(ctx, cfg, claim.Loader{Hub: deps.Hub}, nil, earlierLabels{})
	if err != nil {
		return nil, err
	}
	s, err := connect(ctx, cfg, deps, false)
	switch {
	case err == nil:
		p.Lacking = s.lacking
	case errors.As(err, new(*UsageError)):
		return nil, err
	case deps.Bundled.is(cfg.Model):
		p.warn("no_server", "whether %s would have to be registered could not be looked at: %v", cfg.Model, err)
		s.identity = deps.Bundled.Identity
	default:
		p.warn("no_server", "planned for the image family of Qwen3.5, since the model could not be looked at: %v", err)
		s.identity = infer.Identity{Model: cfg.Model, Architecture: "qwen35"}
	}
	p.Model = s.identity
	p.images.limits = imageproc.Limits{} // nothing will be sent
	return p, p.prepare(ctx, s.identity, deps.Observer)
}

// ready does everything that comes before a run's directory is touched. known
// is the directory of the run to go on with, "" for none: one that lacks
// nothing can be looked at without a server.
func ready(ctx context.Context, cfg Config, known string, deps Dependencies) (*Plan, *servers, error) {
	ctx, cancel := infer.UntilStopped(ctx, deps.Stop)
	defer cancel()
	id, lacksNothing := whole(known)
	p, err := newPlan(ctx, cfg, claim.Loader{Hub: deps.Hub, Commit: commitOf(known)}, deps.Shared, labelsOf(known, lacksNothing))
	if err != nil {
		return nil, nil, err
	}
	s, err := connect(ctx, cfg, deps, !lacksNothing)
	if lacksNothing && (err != nil || len(s.lacking) > 0) {
		s, err = &servers{identity: id}, nil
	}
	if err == nil {
		err = p.prepare(ctx, s.identity, deps.Observer)
	}
	if ctx.Err() != nil {
		err = ErrInterrupted
	}
	return p, s, err
}

// commitOf is the commit of the Hub's data set that a run was begun on, so that
// it goes on with that and not with what the data set has become; "" for none.
func commitOf(dir string) string {
	if m, err := LoadManifest(dir); err == nil && hub.IsCommit(m.Dataset.Revision) {
		return m.Dataset.Revision
	}
	return ""
}

// whole tells a run that has every task recorded, and the model it asked; ""
// is no run.
func whole(dir string) (infer.Identity, bool) {
	if dir == "" {
		return infer.Identity{}, false
	}
	m, err := LoadManifest(dir)
	if err != nil || m.State != Finished {
		return infer.Identity{}, false
	}
	traces, err := ReadTraces(dir)
	return m.Model, err == nil && len(traces) == m.Tasks
}

func (d Dependencies) withDefaults() Dependencies {
	if d.Observer == nil {
		d.Observer = Silent{}
	}
	if d.Retry.Attempts == 0 {
		d.Retry = infer.DefaultRetry()
	}
	if d.InFlight == nil {
		d.InFlight = func(string, int, int) {}
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	return d
}
