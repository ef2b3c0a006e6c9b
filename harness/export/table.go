package export

import (
	"strings"

	"candor/harness/run"
)

// Kind is a column's type.
type Kind string

const (
	Text    Kind = "text"    // UTF-8
	Integer Kind = "integer" // 64 bits
	Real    Kind = "real"    // 64 bits, never NaN
	Boolean Kind = "boolean"
)

// Column is one of the flat table of a run's traces.
type Column struct {
	Name     string
	Kind     Kind
	Nullable bool

	value func(t *run.Trace) any // string, int64, float64, bool, or nil for null
}

// Columns are those of the run's table, in order: which run it is, the keys of
// its traces with those of inner objects joined by "_", and the sources of
// confidence that it asked for, each in a column of its own.
func (r *Run) Columns() []Column {
	all := []Column{
		text("run_id", func(*run.Trace) string { return r.ID }),
		text("run", func(*run.Trace) string { return r.Name }),
		text("model", func(*run.Trace) string { return r.Manifest.Config.Model }),
	}
	all = append(all, task()...)
	all = append(all, answer()...)
	for _, name := range r.Manifest.Config.Confidence {
		all = append(all, source(name)...)
	}
	return append(all, cost()...)
}

// task are the columns of what was asked.
func task() []Column {
	return []Column{
		text("task_id", func(t *run.Trace) string { return t.TaskID }),
		text("claim_key", func(t *run.Trace) string { return t.ClaimKey }),
		text("split", func(t *run.Trace) string { return t.Split }),
		text("question_id", func(t *run.Trace) string { return t.QuestionID }),
		text("image_source", func(t *run.Trace) string { return t.ImageSource }),
		text("claim", func(t *run.Trace) string { return t.Claim }),
		text("label", func(t *run.Trace) string { return t.Label }),
	}
}

// answer are the columns of what was answered and what it earned.
func answer() []Column {
	return []Column{
		maybe("verdict", Text, func(t *run.Trace) any { return deref(t.Verdict) }),
		maybe("confidence", Real, func(t *run.Trace) any { return deref(t.Confidence) }),
		text("outcome", func(t *run.Trace) string { return string(t.Outcome) }),
		maybe("reason", Text, func(t *run.Trace) any { return unlessEmpty(t.Reason) }),
		integer("needed_repair", func(t *run.Trace) int { return t.NeededRepair }),
		integer("answered", func(t *run.Trace) int { return t.Answered }),
		integer("abstained", func(t *run.Trace) int { return t.Abstained }),
		integer("malformed", func(t *run.Trace) int { return t.Malformed }),
		integer("correct", func(t *run.Trace) int { return t.Correct }),
		real("confidence_sum", func(t *run.Trace) float64 { return t.ConfidenceSum }),
		real("brier_sum", func(t *run.Trace) float64 { return t.BrierSum }),
		real("reward", func(t *run.Trace) float64 { return t.Reward }),
		text("text", func(t *run.Trace) string { return t.Text }),
		maybe("thinking", Text, func(t *run.Trace) any { return unlessEmpty(t.Thinking) }),
	}
}

// cost are the columns of how the answer was had.
func cost() []Column {
	return []Column{
		integer("prompt_tokens", func(t *run.Trace) int { return t.PromptTokens }),
		integer("output_tokens", func(t *run.Trace) int { return t.OutputTokens }),
		{Name: "cached", Kind: Boolean, value: func(t *run.Trace) any { return t.Cached }},
		maybe("same_as", Text, func(t *run.Trace) any { return unlessEmpty(t.SameAs) }),
		real("durations_wait", func(t *run.Trace) float64 { return t.Durations.Wait }),
		real("durations_load", func(t *run.Trace) float64 { return t.Durations.Load }),
		real("durations_prompt", func(t *run.Trace) float64 { return t.Durations.Prompt }),
		real("durations_generate", func(t *run.Trace) float64 { return t.Durations.Generate }),
		real("durations_other", func(t *run.Trace) float64 { return t.Durations.Other }),
		real("durations_total", func(t *run.Trace) float64 { return t.Durations.Total }),
		text("image_source_sha256", func(t *run.Trace) string { return t.Image.SourceSHA256 }),
		text("image_sent_sha256", func(t *run.Trace) string { return t.Image.SentSHA256 }),
		integer("image_width", func(t *run.Trace) int { return t.Image.Width }),
		integer("image_height", func(t *run.Trace) int { return t.Image.Height }),
		integer("image_tokens", func(t *run.Trace) int { return t.Image.Tokens }),
		text("endpoint", func(t *run.Trace) string { return withoutSecrets(t.Endpoint) }),
		integer("attempts", func(t *run.Trace) int { return t.Attempts }),
		maybe("error", Text, func(t *run.Trace) any { return deref(t.Error) }),
	}
}

// source are the columns of one source of confidence: the confidence, and what
// it was made of.
func source(name string) []Column {
	cols := []Column{maybe("confidence_"+strings.ReplaceAll(name, ":", "_"), Real, func(t *run.Trace) any {
		if c, ok := t.Confidences[name]; ok {
			return c
		}
		return nil
	})}
	if name == run.SourceLogprob {
		cols = append(cols,
			token("logprob_supported", Real, func(e *run.TokenEvidence) any { return e.Supported }),
			token("logprob_refuted", Real, func(e *run.TokenEvidence) any { return e.Refuted }),
			token("logprob_abstain", Real, func(e *run.TokenEvidence) any { return e.Abstain }),
			token("logprob_bounded", Boolean, func(e *run.TokenEvidence) any { return e.Bounded }),
			token("logprob_missing", Text, func(e *run.TokenEvidence) any { return unlessEmpty(e.Missing) }))
	}
	if strings.HasPrefix(name, run.SourceConsistency+":") {
		cols = append(cols,
			draws("consistency_answered", func(e *run.AgreementEvidence) int { return e.Answered }),
			draws("consistency_agreed", func(e *run.AgreementEvidence) int { return e.Agreed }))
	}
	return cols
}

func token(name string, kind Kind, value func(*run.TokenEvidence) any) Column {
	return maybe(name, kind, func(t *run.Trace) any {
		if t.Sources == nil || t.Sources.Logprob == nil {
			return nil
		}
		return value(t.Sources.Logprob)
	})
}

func draws(name string, value func(*run.AgreementEvidence) int) Column {
	return maybe(name, Integer, func(t *run.Trace) any {
		if t.Sources == nil || t.Sources.Consistency == nil {
			return nil
		}
		return int64(value(t.Sources.Consistency))
	})
}

func text(name string, value func(*run.Trace) string) Column {
	return Column{Name: name, Kind: Text, value: func(t *run.Trace) any { return value(t) }}
}

func integer(name string, value func(*run.Trace) int) Column {
	return Column{Name: name, Kind: Integer, value: func(t *run.Trace) any { return int64(value(t)) }}
}

func real(name string, value func(*run.Trace) float64) Column {
	return Column{Name: name, Kind: Real, value: func(t *run.Trace) any { return value(t) }}
}

func maybe(name string, kind Kind, value func(*run.Trace) any) Column {
	return Column{Name: name, Kind: kind, Nullable: true, value: value}
}

func deref[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func unlessEmpty(s string) any {
	if s == "" {
		return nil
	}
	return s
}
