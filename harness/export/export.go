// Package export writes a run for other people's tools: its traces as one flat
// table (CSV, Parquet), as the run folder of another evaluation framework
// (verifiers), or as a run of an experiment tracker (MLflow).
//
// Each format is one [Format] in a file of its own. Beside what each asks for,
// all keep four rules: the same run gives the same bytes; null stays null; no
// password or token leaves the run's folder; and nothing is overwritten but an
// older export of the same run, which [Run.ID] tells. Files and folders are
// written under another name first, so that nobody finds one half done.
package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"candor/harness/regular"
	"candor/harness/run"
)

// Format is a form that other tools open, with the place to write to.
type Format interface {
	// Export writes the run and tells where it is then. What stands in the way
	// is an *ExistsError.
	Export(ctx context.Context, r *Run) (place string, err error)
}

// Run is what is exported.
type Run struct {
	*run.Stored
	// ID names the run, 32 hex digits: the same after it went on, was moved or
	// copied, and another for one made anew under the same configuration.
	ID   string
	Name string // of its directory
}

// ErrNothing is the error of a run without a single answer.
var ErrNothing = errors.New("no task was answered: there is nothing to export")

// Read reads the run in dir, which may still be going on.
func Read(dir string) (*Run, error) {
	s, err := run.Read(dir)
	if err != nil {
		return nil, err
	}
	if len(s.Traces) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNothing)
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	id, err := identify(filepath.Join(dir, run.TracesFile))
	if err != nil {
		return nil, err
	}
	r := &Run{Stored: s, ID: id, Name: filepath.Base(whole)}
	for i, host := range r.Manifest.Config.Hosts {
		r.Manifest.Config.Hosts[i] = withoutSecrets(host)
	}
	return r, nil
}

// identify hashes a run's first trace: the journal only grows, and the measured
// times in a line make it the only one of its kind.
func identify(traces string) (string, error) {
	f, err := regular.Open(traces)
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%s: %w", traces, err)
	}
	sum := sha256.Sum256(bytes.TrimSuffix(line, []byte("\n")))
	return hex.EncodeToString(sum[:16]), nil
}

// withoutSecrets is a host as the user wrote it, less a name and password.
func withoutSecrets(host string) string {
	scheme, rest, ok := strings.Cut(host, "://")
	if !ok {
		scheme, rest = "", host
	} else {
		scheme += "://"
	}
	authority, path, slash := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	if path, _, _ = strings.Cut(path, "?"); slash { // a query may hold a key
		path = "/" + path
	}
	return scheme + authority + path
}

// beside is where an export lies unless told otherwise: next to the run.
func (r *Run) beside(out, ending string) string {
	if out != "" {
		return filepath.Clean(out)
	}
	dir, err := filepath.Abs(r.Dir)
	if err != nil {
		dir = r.Dir
	}
	if filepath.IsAbs(r.Dir) || r.Dir == "." || strings.HasPrefix(filepath.Clean(r.Dir), "..") {
		return dir + ending
	}
	return filepath.Clean(r.Dir) + ending
}

// Options are what a user may say about an export; not every format takes all.
type Options struct {
	Out         string // file or folder; "": beside the run
	Spreadsheet bool   // CSV
	// MLflow's server and experiment, and the environment, which may tell both
	// and the password.
	URL, Experiment string
	Getenv          func(string) string
}

// Result tells what was exported, and where to.
type Result struct {
	Run     string `json:"run"` // its directory
	RunID   string `json:"run_id"`
	To      string `json:"to"` // the format's name
	Place   string `json:"place"`
	Traces  int    `json:"traces"`
	Failed  int    `json:"failed"`  // tasks that ended in error, and
	Missing int    `json:"missing"` // those not asked yet: neither has a trace
}

// Export writes the run in dir in the format of this name.
func Export(ctx context.Context, dir, to string, o Options) (Result, error) {
	format, err := New(to, o)
	if err != nil {
		return Result{}, err
	}
	r, err := Read(dir)
	if err != nil {
		return Result{}, err
	}
	place, err := format.Export(ctx, r)
	return Result{Run: dir, RunID: r.ID, To: to, Place: place, Traces: len(r.Traces), Failed: len(r.Failed), Missing: r.Missing()}, err
}

// String is a line that says so.
func (r Result) String() string {
	s := fmt.Sprintf("%s of %s: %s", counted(r.Traces, "trace"), r.Run, r.Place)
	if r.Failed > 0 {
		s += fmt.Sprintf("\nnot in it: %s that ended in error", counted(r.Failed, "task"))
	}
	if r.Missing > 0 {
		s += fmt.Sprintf("\nnot in it: %s not asked yet; export again when the run has gone on", counted(r.Missing, "task"))
	}
	return s
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// makers are the formats by name.
func makers() map[string]func(Options) Format {
	return map[string]func(Options) Format{
		"csv":     func(o Options) Format { return CSV{Out: o.Out, Spreadsheet: o.Spreadsheet} },
		"parquet": func(o Options) Format { return Parquet{Out: o.Out} },
		"mlflow": func(o Options) Format {
			env := func(name string) string {
				if o.Getenv == nil {
					return ""
				}
				return o.Getenv("MLFLOW_" + name)
			}
			return MLflow{
				URL: cmp.Or(o.URL, env("TRACKING_URI"), "http://127.0.0.1:5000"), Experiment: cmp.Or(o.Experiment, env("EXPERIMENT_NAME")),
				Token: env("TRACKING_TOKEN"), Username: env("TRACKING_USERNAME"), Password: env("TRACKING_PASSWORD"),
			}
		},
		"verifiers": func(o Options) Format { return Verifiers{Out: o.Out} },
	}
}

// New makes the format of this name; one that does not exist, or an option
// that it does not take, is a usage error.
func New(name string, o Options) (Format, error) {
	make, ok := makers()[name]
	if !ok {
		return nil, &run.UsageError{Err: fmt.Errorf("--to %q is not one of %s", name, strings.Join(Names(), ", "))}
	}
	if o.Spreadsheet && name != "csv" {
		return nil, &run.UsageError{Err: fmt.Errorf("--spreadsheet is for --to csv")}
	}
	if name != "mlflow" && (o.URL != "" || o.Experiment != "") {
		return nil, &run.UsageError{Err: fmt.Errorf("--url and --experiment are for --to mlflow")}
	}
	if o.Out != "" && name == "mlflow" {
		return nil, &run.UsageError{Err: fmt.Errorf("--out is for files; --to mlflow takes --url")}
	}
	return make(o), nil
}

// Names are those of the formats.
func Names() []string {
	var names []string
	for name := range makers() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
