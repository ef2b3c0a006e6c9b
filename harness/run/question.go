package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"candor/infer"
	"candor/infer/preflight"
)

// question runs the preflight at every endpoint, unless an earlier session did
// or the user declined, and settles how many requests fly at once. An endpoint
// that fails under it is put aside where others do not; one that is not done
// when all others are takes part later. The interviews go on with the session.
func (r *openedRun) question(ctx context.Context, p *Plan, s *servers, deps Dependencies) (*interviews, error) {
	all := newInterviews(ctx, func(ctx context.Context, iv *interview) (preflight.Report, error) {
		return p.interview(ctx, iv, s, deps)
	})
	err := r.interview(ctx, p, s, deps, all)
	if err == nil {
		r.manifest.Parallel, err = r.parallelism(p.Config)
	}
	if err == nil {
		r.manifest.State, r.manifest.Error = Running, ""
		err = r.manifest.save(r.dir)
	}
	if err != nil {
		all.close()
	}
	return all, err
}

// interview is the preflight of one endpoint.
func (p *Plan) interview(ctx context.Context, iv *interview, s *servers, deps Dependencies) (preflight.Report, error) {
	cfg := p.preflightConfig(deps, s.identity)
	if len(s.backends) > 1 {
		cfg.Notice = func(text string) { deps.Observer.Notice(iv.backend.Endpoint() + ": " + text) }
	}
	cfg.Answered = iv.answered
	cfg.Retry.Retrying = func(a infer.Attempt, _ time.Duration) { iv.falter(errors.New(a.Message)) }
	report, err := preflight.Run(ctx, iv.backend, s.identity, cfg)
	if err == nil {
		err = p.tellsLogprobs(report)
	}
	return report, err
}

// interview questions the endpoints that were not, and takes up what they say.
func (r *openedRun) interview(ctx context.Context, p *Plan, s *servers, deps Dependencies, all *interviews) error {
	ctx, cancel := infer.UntilStopped(ctx, deps.Stop)
	defer cancel()
	var list []*interview
	var names []string
	for _, b := range s.backends {
		if p.Config.Preflight && !r.questioned(b) && s.absent(b) == nil {
			names = append(names, b.Endpoint())
			list = append(list, all.at(b))
		}
	}
	if len(list) == 0 {
		return nil
	}
	deps.Observer.Notice("questioning " + strings.Join(names, ", ") + " first, some forty short requests" + each(len(names)))
	all.wait(ctx, list)
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	if len(s.backends) == 1 && list[0].err != nil {
		return list[0].err
	}
	serving := len(s.backends) - len(s.away) - len(list) // those that an earlier session questioned
	for _, iv := range list {
		if iv.failure() == nil {
			serving++
		}
	}
	if serving == 0 {
		return mostHelpful(list)
	}
	for _, iv := range list {
		switch err := iv.failure(); {
		case err == nil:
			r.took(iv.backend, iv.report, deps)
		case infer.ClassOf(err) == infer.ClassRetry || errors.Is(err, errUnquestioned):
			s.lose(iv.backend, err)
			deps.Observer.Notice(fmt.Sprintf("%s takes no part until it answers: %v", iv.backend.Endpoint(), err))
		default:
			s.refuse(iv.backend.Endpoint())
			r.blame(deps, iv.backend.Endpoint(), faultOut, "gets no tasks: %v", err)
		}
	}
	return nil
}

func each(n int) string {
	if n > 1 {
		return " each"
	}
	return ""
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
	if pf != nil {
		err = bearable(n, *pf, cfg)
	}
	return n, err
}

// bearable refuses requests at once that change a server's answers.
func bearable(n int, report preflight.Report, cfg Config) error {
	f, ok := report.Find(preflight.CheckParallel)
	if ok && n > 1 && !cfg.Force && f.Measures[preflight.Changed] > 0 {
		return usagef("--parallel %d: %s; %s. --force-parallel runs all the same", n, f.Detail, f.Advice)
	}
	return nil
}

func (r *openedRun) questioned(b infer.Backend) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.manifest.Questioned, b.Endpoint())
}

// took takes up an endpoint's report, and says what the user can mend.
func (r *openedRun) took(b infer.Backend, report preflight.Report, deps Dependencies) {
	deps.Observer.Preflighted(report)
	if f, ok := report.Find(preflight.CheckResidency); ok && f.Advice != "" {
		deps.Observer.Notice(f.Detail + "; " + f.Advice)
	}
	r.take(b, report)
}

// take notes an endpoint's report: the first one whole, of every further one
// what is worse than what the others showed. Nothing that it finds stops the
// run; what is serious becomes a warning beside the figures.
func (r *openedRun) take(b infer.Backend, report preflight.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := &r.manifest
	if m.Limits == nil {
		m.Limits = map[string]int{}
	}
	m.Limits[b.Endpoint()] = report.Parallel
	if len(m.Questioned) == 0 {
		report.Findings = slices.Clone(report.Findings)
		m.Preflight = &report
	} else {
		worst(m.Preflight, report, b.Endpoint())
	}
	m.Questioned = append(m.Questioned, b.Endpoint())
	if f, ok := report.Find(preflight.CheckImage); ok && f.Measures[preflight.ImageTokens] > 0 {
		m.count(b.Endpoint(), int(f.Measures[preflight.TextTokens]))
	}
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
