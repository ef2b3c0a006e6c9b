package run

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"candor/harness/verify"
	"candor/infer"
	"candor/infer/preflight"
)

// Sources of confidence, by the names that --confidence takes. That of agreement
// is followed by the number of further draws, as in consistency:5.
const (
	SourceVerbal      = "verbal"  // what the model states
	SourceLogprob     = "logprob" // what it would have said otherwise, by its tokens
	SourceConsistency = "consistency"
)

// MostDraws is the most further draws of a task.
const MostDraws = 1000

// sources are those of a run.
type sources struct {
	names       []string // the first is scored
	logprob     bool
	consistency string // its whole name, "" for none
	draws       int    // further ones of each task
}

// readSources takes the names apart.
func readSources(names []string) (sources, error) {
	s := sources{names: names}
	for i, name := range names {
		kind, k, counted := strings.Cut(name, ":")
		switch {
		case slices.Contains(names[:i], name):
			return s, fmt.Errorf("--confidence names %s twice", name)
		case name == SourceVerbal:
		case name == SourceLogprob:
			s.logprob = true
		case kind == SourceConsistency && s.draws > 0:
			return s, fmt.Errorf("--confidence names %s and %s; one number of draws is enough", s.consistency, name)
		case kind == SourceConsistency:
			n, err := strconv.Atoi(k)
			if !counted || err != nil || strconv.Itoa(n) != k || n < 1 || n > MostDraws {
				return s, fmt.Errorf("--confidence %s: say how many further draws of each task, 1 to %d, as in %s:5", name, MostDraws, SourceConsistency)
			}
			s.consistency, s.draws = name, n
		default:
			return s, fmt.Errorf("--confidence %q is not one of %s, %s, %s:K", name, SourceVerbal, SourceLogprob, SourceConsistency)
		}
	}
	if len(names) == 0 {
		return s, fmt.Errorf("--confidence names no source; the usual one is %s", SourceVerbal)
	}
	return s, nil
}

// Sources are the source that is paid and scored, and those reported beside it.
func (c Config) Sources() (scored string, others []string) {
	if len(c.Confidence) == 0 {
		return SourceVerbal, nil
	}
	return c.Confidence[0], c.Confidence[1:]
}

// checkConfidence refuses sources that tell nothing: greedy draws all agree.
func (c Config) checkConfidence() error {
	s, err := readSources(c.Confidence)
	if err != nil {
		return err
	}
	o, err := c.Options()
	if err != nil || s.draws == 0 {
		return nil // the options' own mistakes are told elsewhere
	}
	switch {
	case o.Temperature == 0:
		return fmt.Errorf("--confidence %s: at temperature 0 all draws are the same; raise --temperature or leave it out", s.consistency)
	case o.TopK == 1:
		return fmt.Errorf("--confidence %s: with top_k 1 all draws are the same; raise --top-k or leave it out", s.consistency)
	}
	return nil
}

// alternatives is how many tokens are asked for beside each of a draw.
func (p *Plan) alternatives(draw int) int {
	if p.sources().logprob && draw == 0 {
		return verify.Alternatives
	}
	return 0
}

// silent refuses an answer without log-probabilities where they were asked for:
// a server that tells none for one tells none for the next.
func (p *Plan) silent(j job, resp infer.Response) error {
	if p.alternatives(j.draw) == 0 || len(resp.Logprobs) > 0 || resp.Text == "" || resp.Stop == infer.StopRepeated {
		return nil
	}
	return noLogprobs(fmt.Errorf("the answer came without log-probabilities"))
}

// tellsLogprobs refuses a server that the preflight found to tell none.
func (p *Plan) tellsLogprobs(report preflight.Report) error {
	f, ok := report.Find(preflight.CheckLogprobs)
	if !ok || f.Status != preflight.No {
		return nil
	}
	return noLogprobs(errors.New(f.Detail))
}

func noLogprobs(err error) error {
	return &infer.Failure{
		Class: infer.ClassFatal, Err: err,
		Hint: "leave logprob out of --confidence, or use a server that tells them (Ollama from v0.12.11 on)",
	}
}

// sources are those of a configuration that was checked.
func (p *Plan) sources() sources {
	s, _ := readSources(p.Config.Confidence)
	return s
}
