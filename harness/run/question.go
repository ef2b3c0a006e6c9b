package run

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"candor/infer"
	"candor/infer/preflight"
)

// question runs the preflight at each endpoint, unless an earlier session did
// or the user declined, and settles how many requests fly at once.
func (r *openedRun) question(ctx context.Context, p *Plan, s *servers, deps Dependencies) error {
	ctx, cancel := infer.UntilStopped(ctx, deps.Stop)
	defer cancel()
	for _, b := range s.backends {
		if !p.Config.Preflight || slices.Contains(r.manifest.Questioned, b.Endpoint()) || s.absent(b) != nil {
			continue
		}
		deps.Observer.Notice("questioning " + b.Endpoint() + " first, some forty short requests")
		report, err := preflight.Run(ctx, b, s.identity, p.preflightConfig(deps, s.identity))
		if ctx.Err() != nil {
			return ErrInterrupted
		}
		if err != nil {
			if err = s.without(b, err); err != nil {
				return err
			}
			deps.Observer.Notice(fmt.Sprintf("%s takes no part until it answers: %v", b.Endpoint(), s.absent(b)))
			continue
		}
		deps.Observer.Preflighted(report)
		if err := p.tellsLogprobs(b, report); err != nil {
			return err
		}
		if f, ok := report.Find(preflight.CheckResidency); ok && f.Advice != "" {
			deps.Observer.Notice(f.Detail + "; " + f.Advice)
		}
		r.take(b, report)
	}
	n, err := r.parallelism(p.Config)
	if err != nil {
		return err
	}
	r.manifest.Parallel, r.manifest.State, r.manifest.Error = n, Running, ""
	return r.manifest.save(r.dir)
}

// without lets a run go on without an endpoint that failed under its preflight,
// if there are others that have not.
func (s *servers) without(b infer.Backend, err error) error {
	if len(s.backends) == 1 {
		return err
	}
	s.lose(b, err)
	if infer.ClassOf(err) != infer.ClassRetry || len(s.away) == len(s.backends) {
		return fmt.Errorf("%s: %w", b.Endpoint(), err)
	}
	return nil
}

// parallelism settles the number of requests in flight at each endpoint: what
// the user said, if it leaves the answers alone, else what the preflight
// found.
func (r *openedRun) parallelism(cfg Config) (int, error) {
	pf := r.manifest.Preflight
	if cfg.Parallel == AutoParallel {
		if pf == nil {
			return 2, nil // one served, one waiting: safe anywhere but on a server that mixes its slots
		}
		return pf.Parallel, nil
	}
	n, err := strconv.Atoi(cfg.Parallel)
	if err != nil {
		return 0, usage(err)
	}
	if pf != nil && n > 1 && !cfg.Force {
		if f, ok := pf.Find(preflight.CheckParallel); ok && f.Measures[preflight.Changed] > 0 {
			return 0, usagef("--parallel %d: %s; %s. --force-parallel runs all the same", n, f.Detail, f.Advice)
		}
	}
	return n, nil
}

// take notes an endpoint's report: the first one whole, of every further one
// what is worse than what the others showed. Nothing that it finds stops the
// run; what is serious becomes a warning beside the figures.
func (r *openedRun) take(b infer.Backend, report preflight.Report) {
	m := &r.manifest
	if m.Limits == nil {
		m.Limits = map[string]int{}
	}
	m.Limits[b.Endpoint()] = report.Parallel
	if len(m.Questioned) == 0 {
		m.Preflight = &report
	} else {
		worst(m.Preflight, report, b.Endpoint())
	}
	m.Questioned = append(m.Questioned, b.Endpoint())
}

// worst puts the findings of another endpoint that are more severe in the
// place of all's, naming it.
func worst(all *preflight.Report, other preflight.Report, endpoint string) {
	severities := []preflight.Severity{preflight.Fine, preflight.Note, preflight.Serious}
	for i, was := range all.Findings {
		f, ok := other.Find(was.Check)
		if ok && slices.Index(severities, f.Severity) > slices.Index(severities, was.Severity) {
			f.Endpoint, f.Detail = endpoint, "at "+endpoint+": "+f.Detail
			all.Findings[i] = f
		}
	}
	all.Parallel = min(all.Parallel, other.Parallel)
}
