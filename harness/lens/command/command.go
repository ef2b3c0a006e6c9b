package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"candor/harness/lens"
	"candor/harness/lens/compat"
	"candor/harness/lens/local"
	"candor/harness/openenv"
	"candor/harness/run"
	"candor/infer"
	"candor/scoring/lqs"
)

// Request is what is asked for.
type Request struct {
	Environment string // a URL, or local:NAME
	Token       string // for the server at the URL
	CA          string // file of certificates that are trusted there, besides the system's
	Agent       string // see [Request.agent]
	Judge       string // see [judge.Name]; "" for none
	Compat      string // "none", or a release
	Episodes    int
	Probes      []string // nil for all
	MaxSteps    int
	StepTimeout time.Duration
	// AgentTimeout is of one answer of the agent's.
	AgentTimeout time.Duration
	// Worst and Best declare what an episode is paid; both or neither.
	Worst, Best *float64
	// NoOp declares the action of somebody who does nothing, a JSON object; ""
	// declares none.
	NoOp    string
	Seed    uint64 // of the intervals
	Journal string // "" makes one under runs/lens
	Replay  string // a journal to compute anew; then nothing else counts but HTML
	HTML    string // file for the report as a page; "" for none

	Host    string // of ollama: agents and judges; "" is the usual one
	Profile string // their sampling options
	NumCtx  int
	// Threads is how many of the engine's threads a model had better have, 0 for
	// the server's choice.
	Threads func(model string) int
}

// Dependencies are what it takes from outside.
type Dependencies struct {
	// Model reaches an Ollama server.
	Model  func(host string) (infer.Model, error)
	Getenv func(string) string
	Now    func() time.Time
	Log    io.Writer // what agents write to their standard error
	Played func(lens.Event)
	// Client reaches OpenAI, Groq and Anthropic, and what speaks like them; nil
	// is http.DefaultClient. Sleep is between tries there; nil is real.
	Client *http.Client
	Sleep  func(context.Context, time.Duration) error
}

// Result is one report; the other is nil.
type Result struct {
	Report *lens.Report
	Compat *compat.Report
	// Journal is where it was recorded, if that was not asked for by name.
	Journal string
}

// Run measures, or replays.
func Run(ctx context.Context, r Request, d Dependencies) (_ Result, err error) {
	if r.Replay != "" {
		replayed, err := lens.Replay(ctx, r.Replay)
		if err != nil {
			return Result{}, err
		}
		out := Result{Report: replayed.Report, Compat: replayed.Compat}
		return out, r.html(out)
	}
	release, err := r.release()
	if err != nil {
		return Result{}, err
	}
	at, err := r.environment(ctx)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, at.close()) }()
	act, err := r.agent(at.schema, d)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, act.close()) }()
	o := lens.Options{
		Episodes:     r.Episodes,
		Probes:       r.Probes,
		MaxSteps:     r.MaxSteps,
		StepTimeout:  r.StepTimeout,
		AgentTimeout: r.AgentTimeout,
		Seed:         r.Seed,
		AgentName:    r.agentName(d),
		Played:       d.Played,
		Now:          d.Now,
	}
	if o.Judge, o.JudgeName, err = r.judge(release, d); err != nil {
		return Result{}, err
	}
	if o.Journal, err = r.journal(d.Now()); err != nil {
		return Result{}, err
	}
	out := Result{Journal: o.Journal}
	if release == "" {
		out.Report, err = at.lens.Evaluate(ctx, act.agent, o)
	} else {
		out.Compat, err = at.lens.EvaluateAs(ctx, release, act.agent, o)
	}
	if err != nil {
		return out, usage(err)
	}
	return out, r.html(out)
}

// usage marks mistakes in what was asked for.
func usage(err error) error {
	var option lens.OptionError
	var config compat.ConfigError
	if errors.As(err, &option) || errors.As(err, &config) {
		return &run.UsageError{Err: err}
	}
	return err
}

func usagef(format string, args ...any) error {
	return &run.UsageError{Err: fmt.Errorf(format, args...)}
}

func (r Request) release() (lqs.Release, error) {
	switch release := lqs.Release(r.Compat); release {
	case "", "none":
		return "", nil
	case lqs.Release013, lqs.Release021:
		return release, nil
	}
	return "", usagef("--compat is %q; it must be none, %s or %s", r.Compat, lqs.Release013, lqs.Release021)
}

// opened is an environment to look through.
type opened struct {
	lens   *lens.Lens
	schema []byte // of actions; nil where not known
	close  func() error
}

func (r Request) environment(ctx context.Context) (opened, error) {
	name, isLocal := strings.CutPrefix(r.Environment, "local:")
	if err := r.checkDeclared(); err != nil {
		return opened{}, err
	}
	switch {
	case r.Environment == "":
		return opened{}, usagef("which environment? Give a URL, or one of local:%s", strings.Join(local.Names(), ", local:"))
	case isLocal:
		e, err := local.Find(ctx, name)
		if err != nil {
			return opened{}, &run.UsageError{Err: err}
		}
		return opened{e.Lens().Declare(r.declared(e.Declared)), e.Spec.Schemas.Action, e.Close}, nil
	}
	options := openenv.DialOptions{Token: r.Token}
	if r.CA != "" {
		trusting, err := openenv.TrustFile(r.CA)
		if err != nil {
			return opened{}, usagef("--ca: %w", err)
		}
		options.TLS = trusting
	}
	at := opened{lens: lens.WrapWith(r.Environment, options), close: nothing}
	remote, err := openenv.NewRemote(r.Environment, options)
	if err != nil {
		return opened{}, &run.UsageError{Err: err}
	}
	var d lens.Declaration
	if spec, err := remote.Spec(ctx); err == nil {
		at.schema, d = spec.Schemas.Action, told(spec)
	} else if schemas, err := remote.Schemas(ctx); err == nil { // else the evaluation says what is wrong
		at.schema = schemas.Action
	}
	at.lens.Declare(r.declared(d))
	return at, nil
}

// journal makes a file of its own for a measurement, unless one is named.
func (r Request) journal(now time.Time) (string, error) {
	if r.Journal != "" {
		return r.Journal, os.MkdirAll(filepath.Dir(r.Journal), 0o755)
	}
	plain := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' {
			return c
		}
		return '-'
	}, r.Environment+"-"+r.Agent)
	name := filepath.Join("runs", "lens", now.UTC().Format("20060102-150405.000")+"-"+plain[:min(len(plain), 100)]+".jsonl")
	return name, os.MkdirAll(filepath.Dir(name), 0o755)
}
