// Package preflight questions a server before a run does, with requests of
// its own, so that a report can say what its figures were really made under:
// is the answer schema applied, are penalties honoured, does a seed repeat,
// does the image matter, do parallel requests help and leave the answers
// alone, is the image's prompt prefix reused, is the model on the GPU.
//
// Servers accept options that they ignore, so nothing is believed; each check
// compares answers that must differ, or must be equal, if the behaviour is
// there. A check that cannot tell says unknown.
package preflight

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"candor/infer"
)

// Status is a check's answer to its own question.
type Status string

const (
	Yes     Status = "yes"
	No      Status = "no"
	Partly  Status = "partly"  // of several things asked about, some
	Unknown Status = "unknown" // the server's answers do not tell
)

// Severity says what a finding means for the figures.
type Severity string

const (
	Fine    Severity = "fine"    // nothing to heed
	Note    Severity = "note"    // costs time, or must be said beside the figures
	Serious Severity = "serious" // the figures are not what they seem
)

// Finding is what one check found.
type Finding struct {
	Check    string   `json:"check"`
	Question string   `json:"question"`
	Status   Status   `json:"status"`
	Severity Severity `json:"severity"`
	Detail   string   `json:"detail"`
	Meaning  string   `json:"meaning,omitempty"` // for the figures, understood without the rest
	Advice   string   `json:"advice,omitempty"`  // what to do
	// Measures are what the check measured; names that end in _seconds or _bytes
	// say their unit, logprob_difference is in nats.
	Measures map[string]float64 `json:"measures,omitempty"`
	// Endpoint is the one of several that it was found at; "" where all were
	// found the same or there is but one.
	Endpoint string `json:"endpoint,omitempty"`
}

// Report is a whole preflight.
type Report struct {
	Identity  infer.Identity  `json:"identity"`
	Residency infer.Residency `json:"residency"`
	Findings  []Finding       `json:"findings"`
	// Parallel is the number of requests in flight, the waiting one included,
	// that keeps this server busy without changing its answers.
	Parallel int `json:"parallel"`
}

// Find returns the finding of the named check.
func (r Report) Find(check string) (Finding, bool) {
	for _, f := range r.Findings {
		if f.Check == check {
			return f, true
		}
	}
	return Finding{}, false
}

// Config is what the run will ask for.
type Config struct {
	Model   string
	Options infer.Options // the run's own; load-time options are kept as they are
	System  string        // the run's system text, a prefix of every prompt
	Prompt  string        // a user's text of the run, whose tokens are counted; "" for none
	Schema  json.RawMessage
	// Width and Height are the probe images' size in pixels; 0 means the
	// constants of these names.
	Width, Height int
	// ImageTokens predicts the tokens of an image of the given size; nil when
	// the model's image processor is not known.
	ImageTokens func(width, height int) int
	// Logprobs is how many alternatives a token the run asks for; 0 asks for no
	// log-probabilities, and leaves their check out.
	Logprobs int
	Retry    infer.RetryPolicy
	// Patience is how long the model may take to load before Notice is told
	// why, and a server that holds it for another client is asked to let go;
	// 0 means 20 s.
	Patience time.Duration
	Notice   func(string) // nil tells nobody
	Answered func()       // called after every answer; nil is not
}

// Width and Height are the probe images' size in pixels, unless told.
const Width, Height = 640, 480

// Check names, in the order in which they are run.
const (
	CheckGrammar   = "grammar"
	CheckImage     = "image"
	CheckSeed      = "seed"
	CheckPenalties = "penalties"
	CheckPrefix    = "prefix"
	CheckParallel  = "parallel"
	CheckResidency = "residency"
	CheckContext   = "context"
	CheckLogprobs  = "logprobs" // the first one, where the run needs them
)

// TextTokens is the measure of CheckImage that holds the prompt tokens of the
// run's own text without an image.
const TextTokens = "text_tokens"

// ImageTokens is the measure of CheckImage that holds what an image adds to the
// prompt tokens of a text.
const ImageTokens = "image_tokens"

// Changed is the measure of CheckParallel that counts the answers which other
// requests at the same time changed.
const Changed = "changed"

// silence is how long Notice hears nothing while the checks go on.
const silence = 3 * time.Second

// check asks its requests and says what they show.
type check struct {
	name string
	run  func(context.Context, *prober, *Report) (Finding, error)
}

// Run asks every check's requests of the backend, about forty short ones,
// and returns what was found; of a server that lacks the log-probabilities
// that the run is about, only that. A server that does not answer ends it with an
// error; a behaviour that is missing does not.
func Run(ctx context.Context, b infer.Backend, id infer.Identity, cfg Config) (Report, error) {
	if cfg.Width == 0 || cfg.Height == 0 {
		cfg.Width, cfg.Height = Width, Height
	}
	r := Report{Identity: id, Parallel: 1}
	p := &prober{backend: b, cfg: cfg}
	if err := p.warm(ctx); err != nil {
		return r, fmt.Errorf("preflight: %w", err)
	}
	checks := []check{
		{CheckGrammar, grammar}, {CheckImage, imageMatters}, {CheckSeed, seedRepeats}, {CheckPenalties, penalties},
		{CheckPrefix, prefixReused}, {CheckParallel, parallel}, {CheckResidency, residency}, {CheckContext, contextFits},
	}
	if cfg.Logprobs > 0 {
		checks = slices.Insert(checks, 0, check{CheckLogprobs, logprobsTold})
	}
	told := time.Now()
	for i, c := range checks {
		if time.Since(told) > silence {
			told = time.Now()
			p.notice("questioning the server: %s, %d of %d", c.name, i+1, len(checks))
		}
		f, err := c.run(ctx, p, &r)
		if err != nil {
			return r, fmt.Errorf("preflight: %w", err)
		}
		r.Findings = append(r.Findings, f)
		if f.Check == CheckLogprobs && f.Status == No {
			return r, nil // the run cannot be: nothing else is worth asking
		}
	}
	return r, nil
}
