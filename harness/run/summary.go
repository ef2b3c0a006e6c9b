package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"candor/harness/relabel"
	"candor/infer/preflight"
	"candor/scoring"
)

// Summary is summary.json: the metrics, of which model they are and how fast
// they were made.
type Summary struct {
	scoring.Summary
	Model      ModelInfo  `json:"model"`
	Throughput Throughput `json:"throughput"`
}

// ModelInfo identifies the model that was asked.
type ModelInfo struct {
	Name          string `json:"name"` // the server's
	Digest        string `json:"digest"`
	WeightsDigest string `json:"weights_digest"`
	Embedded      bool   `json:"embedded"` // part of the program
}

// Throughput is over all sessions of a run, preflight excluded. Latencies are
// the server's own account of a request, of answered requests only.
type Throughput struct {
	Seconds          float64            `json:"seconds"`
	TasksPerSecond   *float64           `json:"tasks_per_second"`
	PromptTokensPerS *float64           `json:"prompt_tokens_per_second"`
	OutputTokensPerS *float64           `json:"output_tokens_per_second"`
	LatencySeconds   map[string]float64 `json:"latency_seconds"` // p50, p90, p99
	Retried          int                `json:"retried"`         // tasks that took more than one attempt
	PromptTokens     int                `json:"prompt_tokens"`
	OutputTokens     int                `json:"output_tokens"`
	DistinctImages   int                `json:"distinct_images"`
	Cached           int                `json:"cached"` // tasks that took over an equal one's answer; not in the above
	// Sources is what each source of confidence cost beyond the answer that is
	// scored; absent where that is all that was asked for.
	Sources map[string]Cost `json:"sources,omitempty"`
}

// summarize computes a run's summary from its journal and its tasks in error,
// by the labels of its data and by every other label set.
func summarize(ctx context.Context, m Manifest, p *Plan, entries []entry, failed []scoring.Row) (Summary, error) {
	rows := make([]scoring.Row, 0, len(entries)+len(failed))
	for _, e := range entries {
		rows = append(rows, e.row)
	}
	rows = append(rows, failed...)
	opt := scoring.Options{Bins: m.Config.Bins, Bootstrap: m.Config.Bootstrap, Seed: uint64(m.Config.Seed)}
	opt.Source, opt.Sources = m.Config.Sources()
	s, err := scoring.Summarize(ctx, rows, p.Payment, opt)
	if err != nil {
		return Summary{}, err
	}
	if s.ByLabels, err = relabel.Summaries(ctx, rows, p.labels, p.Payment, opt); err != nil {
		return Summary{}, err
	}
	for _, l := range p.keptLabels {
		s.ByLabels[l.Name] = l.summary
	}
	if missing := m.Tasks - len(rows); missing > 0 {
		s.Complete = false
		s.Warnings = append(s.Warnings, partial(len(entries), m.Tasks))
	}
	s.Warnings = append(s.Warnings, circumstances(m)...)
	m.Blind.Mark(s)
	model := ModelInfo{Name: m.Model.Model, Digest: m.Model.Digest, WeightsDigest: m.Model.WeightsDigest, Embedded: m.Model.Embedded}
	return Summary{Summary: *s, Model: model, Throughput: throughput(m, entries)}, nil
}

func partial(recorded, tasks int) scoring.Warning {
	return scoring.Warning{Code: "partial", Message: fmt.Sprintf("PARTIAL: %d of %d tasks are recorded; figures and intervals are over those", recorded, tasks)}
}

// circumstances are the warnings that come from what the run was made under.
func circumstances(m Manifest) []scoring.Warning {
	var ws []scoring.Warning
	add := func(code, format string, args ...any) {
		ws = append(ws, scoring.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if m.Model.RandomWeights {
		add("random_weights", "%s has random weights: its figures mean nothing, they only show that everything works", m.Model.Model)
	}
	for _, c := range m.ServerChanges {
		if c.Endpoint == "" {
			add("server_changed", "resumed on another server: %s was %s, then %s", c.What, c.From, c.To)
		} else {
			add("server_changed", "%s changed while it was asked: %s was %s, then %s; the answers may be of both",
				c.Endpoint, c.What, cmp.Or(c.From, "not told"), cmp.Or(c.To, "not told"))
		}
	}
	for _, f := range m.EndpointFaults {
		add(f.Code, "%s: %s", f.Endpoint, f.What)
	}
	if m.Preflight == nil {
		add("no_preflight", "the server's behaviour was not tested (--no-preflight)")
	} else {
		for _, f := range m.Preflight.Findings {
			if f.Severity == preflight.Serious {
				add("preflight_"+f.Check, "%s", briefly(f))
			}
		}
	}
	return append(ws, m.Warnings...)
}

// briefly is what a finding means for the figures; the question and the detail
// are in the manifest.
func briefly(f preflight.Finding) string {
	if f.Endpoint != "" {
		return f.Endpoint + ": " + f.Meaning
	}
	return f.Meaning
}

func throughput(m Manifest, entries []entry) Throughput {
	th := Throughput{LatencySeconds: map[string]float64{}}
	asked := 0 // a killed session left no time, so its tasks cannot count
	for _, s := range m.Sessions {
		th.Seconds += s.Seconds
		asked += s.Tasks
	}
	var latencies []float64
	images := map[string]bool{}
	taken := 0
	for _, e := range entries {
		if e.taken {
			taken++
			continue
		}
		th.PromptTokens += e.prompt + e.further.PromptTokens
		th.OutputTokens += e.output + e.further.OutputTokens
		if e.attempts > 1 {
			th.Retried++
		}
		images[e.sent] = true
		latencies = append(latencies, e.latency)
	}
	th.DistinctImages, th.Cached, th.Sources = len(images), taken, costs(m.Config.Confidence, entries)
	if n := len(entries) - taken; th.Seconds > 0 && n > 0 {
		share := float64(asked) / float64(n)
		per := func(n int) *float64 { x := share * float64(n) / th.Seconds; return &x }
		th.TasksPerSecond, th.PromptTokensPerS, th.OutputTokensPerS = per(n), per(th.PromptTokens), per(th.OutputTokens)
	}
	slices.Sort(latencies)
	for name, q := range map[string]float64{"p50": .5, "p90": .9, "p99": .99} {
		if n := len(latencies); n > 0 {
			th.LatencySeconds[name] = latencies[int(math.Ceil(q*float64(n)))-1]
		}
	}
	return th
}

func (s Summary) save(dir string) error { return saveJSON(filepath.Join(dir, SummaryFile), s) }
