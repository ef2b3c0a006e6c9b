package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"candor/harness/claim"
	"candor/harness/verify"
	"candor/imageproc"
	"candor/infer"
	"candor/scoring"
)

// Formats of an answer.
const (
	FormatSchema = "schema" // constrained to the answer schema
	FormatNone   = "none"   // free, as the published baseline ran
)

// AutoParallel lets the preflight choose the number of requests in flight.
const AutoParallel = "auto"

// Config is everything that a user decides about a run. Its JSON keys are the
// names of candor eval's flags, so that a manifest reads like a command line.
type Config struct {
	Model     string   `json:"model"`
	Hosts     []string `json:"host"`
	Dataset   string   `json:"dataset"`
	Images    string   `json:"images"`
	Split     string   `json:"split"`
	Partition string   `json:"partition"`
	NumTasks  int      `json:"num-tasks"` // 0: all
	Seed      int64    `json:"seed"`
	Replicate int      `json:"replicate"`
	EvalIDs   string   `json:"eval-ids"`
	Labels    []string `json:"labels"` // NAME=FILE, or the NAME of a set that comes with the data
	Rule      string   `json:"rule"`
	Abstain   *float64 `json:"abstain-reward"` // nil: the rule's default
	Prompt    string   `json:"prompt"`         // "": the default template
	Format    string   `json:"format"`
	Profile   string   `json:"profile"`
	Sampling
	NumThread    int      `json:"num-thread"`
	Parallel     string   `json:"parallel"` // a number or "auto"
	Force        bool     `json:"force-parallel"`
	ImagePolicy  string   `json:"image-policy"`
	Confidence   []string `json:"confidence"`
	Bins         int      `json:"bins"`
	Bootstrap    int      `json:"bootstrap"`
	Preflight    bool     `json:"preflight"`
	AcceptServer bool     `json:"accept-server-change"`
}

// Sampling holds the options that replace a profile's; nil keeps it.
type Sampling struct {
	Temperature      *float64 `json:"temperature,omitempty"`
	TopP             *float64 `json:"top-p,omitempty"`
	TopK             *int     `json:"top-k,omitempty"`
	MinP             *float64 `json:"min-p,omitempty"`
	PresencePenalty  *float64 `json:"presence-penalty,omitempty"`
	FrequencyPenalty *float64 `json:"frequency-penalty,omitempty"`
	RepeatPenalty    *float64 `json:"repeat-penalty,omitempty"`
	RepeatLastN      *int     `json:"repeat-last-n,omitempty"`
	NumPredict       *int     `json:"num-predict,omitempty"`
	NumCtx           *int     `json:"num-ctx,omitempty"`
	NumBatch         *int     `json:"num-batch,omitempty"`
	Think            *bool    `json:"think,omitempty"`
}

// DefaultConfig is what candor eval does when told nothing but a model.
func DefaultConfig() Config {
	return Config{
		Dataset: "demo", Split: "adversarial", Partition: string(claim.Eval), NumTasks: 100,
		Rule: "brier", Format: FormatSchema, Profile: infer.DefaultProfile, Parallel: AutoParallel,
		ImagePolicy: string(imageproc.PolicyReference), Confidence: []string{"verbal"},
		Bins: 15, Bootstrap: 10_000, Preflight: true,
	}
}

// UsageError is a mistake in what the user asked for, found before any work.
type UsageError struct {
	Err error
	Key string // of the setting to blame, as a Config's JSON has it; "" where that is not told
}

// Error is the mistake and what would be right.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

func usage(err error) error { return &UsageError{Err: err} }

// blamed is a usage error because of a setting.
func blamed(key string, err error) error { return &UsageError{err, key} }

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// Payment is the rule with its payoff.
func (c Config) Payment() (scoring.Payment, error) {
	rule, err := scoring.ParseRule(c.Rule)
	if err != nil {
		return scoring.Payment{}, usage(err)
	}
	pay, err := scoring.NewPayment(rule, c.Abstain)
	if err != nil {
		return scoring.Payment{}, usage(err)
	}
	return pay, nil
}

// Options are the profile's, with what the user set in their place. The
// load-time options may still be 0; the plan fits them.
func (c Config) Options() (infer.Options, error) {
	o, err := infer.Profile(c.Profile)
	if err != nil {
		return o, usage(err)
	}
	s := c.Sampling
	if s.Think != nil && *s.Think != o.Think {
		o.Think = *s.Think
		o.NumPredict = infer.DefaultNumPredict(o.Think)
	}
	set(&o.Temperature, s.Temperature)
	set(&o.TopP, s.TopP)
	set(&o.TopK, s.TopK)
	set(&o.MinP, s.MinP)
	set(&o.PresencePenalty, s.PresencePenalty)
	set(&o.FrequencyPenalty, s.FrequencyPenalty)
	set(&o.RepeatPenalty, s.RepeatPenalty)
	set(&o.RepeatLastN, s.RepeatLastN)
	set(&o.NumPredict, s.NumPredict)
	set(&o.NumCtx, s.NumCtx)
	set(&o.NumBatch, s.NumBatch)
	o.NumThread = c.NumThread
	if err := o.Validate(); err != nil {
		return o, usage(err)
	}
	return o, nil
}

func set[T any](dst *T, src *T) {
	if src != nil {
		*dst = *src
	}
}

// Validate checks everything that can be checked without data or server.
func (c Config) Validate() error {
	if strings.TrimSpace(c.Model) == "" {
		return usagef("no model named; give --model, such as --model qwen3.5:4b")
	}
	checks := []error{
		oneOf("format", c.Format, FormatSchema, FormatNone),
		oneOf("partition", c.Partition, string(claim.Eval), string(claim.Train), string(claim.All)),
		oneOf("image-policy", c.ImagePolicy, string(imageproc.PolicyReference), string(imageproc.PolicyServer)),
		atLeast("num-tasks", c.NumTasks, 0), atLeast("replicate", c.Replicate, 0),
		within("bins", c.Bins, 1, scoring.MaxBins), within("bootstrap", c.Bootstrap, 0, scoring.MaxBootstrap), c.checkParallel(), c.checkConfidence(),
	}
	if _, err := c.Payment(); err != nil {
		checks = append(checks, err)
	}
	if _, err := c.Options(); err != nil {
		checks = append(checks, err)
	}
	if err := errors.Join(checks...); err != nil {
		return usage(err)
	}
	return nil
}

func oneOf(flag, got string, want ...string) error {
	if slices.Contains(want, got) {
		return nil
	}
	return fmt.Errorf("--%s %q is not one of %s", flag, got, strings.Join(want, ", "))
}

func atLeast(flag string, got, least int) error {
	if got >= least {
		return nil
	}
	return fmt.Errorf("--%s is %d; it must be %d or more", flag, got, least)
}

func within(flag string, got, least, most int) error {
	if got >= least && got <= most {
		return nil
	}
	return fmt.Errorf("--%s is %d; it must be between %d and %d", flag, got, least, most)
}

func (c Config) checkParallel() error {
	if c.Parallel == AutoParallel {
		return nil
	}
	var n int
	if _, err := fmt.Sscanf(c.Parallel, "%d", &n); err != nil || n < 1 || fmt.Sprint(n) != c.Parallel {
		return fmt.Errorf("--parallel %q is neither a number of 1 or more nor auto", c.Parallel)
	}
	return nil
}

func (c Config) prompt() (verify.Prompt, error) {
	if c.Prompt == "" {
		return verify.DefaultPrompt(), nil
	}
	p, err := verify.LoadPrompt(c.Prompt)
	if err != nil {
		return p, blamed("prompt", err)
	}
	return p, nil
}
