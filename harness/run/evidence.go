package run

import (
	"fmt"
	"math"
	"slices"

	"candor/harness/verify"
	"candor/scoring"
)

// Evidence is what the sources of a task's confidence other than the stated one
// were made of.
type Evidence struct {
	Logprob     *TokenEvidence     `json:"logprob,omitempty"`
	Consistency *AgreementEvidence `json:"consistency,omitempty"`
}

// TokenEvidence is what the tokens told: probabilities of the raw softmax, and
// the confidence they make, null where Missing says why there is none.
type TokenEvidence struct {
	verify.Masses
	Confidence *float64 `json:"confidence"`
}

// AgreementEvidence is what the further draws said, and what they cost.
type AgreementEvidence struct {
	Draws    []string `json:"draws"`    // verdicts in order; "" is malformed
	Answered int      `json:"answered"` // draws with a verdict other than ABSTAIN
	Agreed   int      `json:"agreed"`   // of those, with the verdict that is scored
	Cost     Cost     `json:"cost"`
}

// Cost is what was asked for a source of confidence beyond the answer that is
// scored, each attempt a request. Tokens and seconds are of the attempts that
// succeeded, the seconds by the server's own account, its queue included.
type Cost struct {
	Requests     int     `json:"requests"`
	PromptTokens int     `json:"prompt_tokens"`
	OutputTokens int     `json:"output_tokens"`
	Seconds      float64 `json:"seconds"`
}

func (c *Cost) add(o Cost) {
	c.Requests += o.Requests
	c.PromptTokens += o.PromptTokens
	c.OutputTokens += o.OutputTokens
	c.Seconds += o.Seconds
}

// cost is that of one task.
func (e *Evidence) cost() Cost {
	if e == nil || e.Consistency == nil {
		return Cost{}
	}
	return e.Consistency.Cost
}

// costs are those of a run by source; nil where nothing but the stated
// confidence was asked for. Stated confidence and log-probabilities come with
// the answer itself.
func costs(names []string, entries []entry) map[string]Cost {
	s, err := readSources(names)
	if err != nil || !s.logprob && s.draws == 0 {
		return nil
	}
	out := map[string]Cost{}
	for _, name := range names {
		var c Cost
		for _, e := range entries {
			if name == s.consistency && !e.taken {
				c.add(e.further)
			}
		}
		out[name] = c
	}
	return out
}

// newTrace makes the record of a task of its draws. What is paid is the first
// source's confidence; an answer that has none by that source is malformed, as
// one that states none is.
func (p *Plan) newTrace(j job) Trace {
	d := j.draws.of[0]
	t := Trace{
		Verdict: d.Verdict, Outcome: d.Outcome, Reason: d.Reason, Confidences: map[string]float64{},
		Sources: p.evidence(j.draws.of), Text: d.Text, Thinking: d.Thinking,
		PromptTokens: d.PromptTokens, OutputTokens: d.OutputTokens, Durations: d.Durations, Endpoint: d.Endpoint, Attempts: d.Attempts,
		Image: TraceImage{SourceSHA256: j.image.SourceSHA256, SentSHA256: j.image.SentSHA256, Width: j.image.Width, Height: j.image.Height, Tokens: p.imageTokens(j)},
	}
	a := verify.Answer{Outcome: d.Outcome, NeededRepair: d.NeededRepair == 1, Reason: d.Reason}
	if d.Verdict != nil {
		a.Verdict = verify.Verdict(*d.Verdict)
	}
	if d.Outcome == scoring.Answered {
		t.Confidences = p.confidences(*d, t.Sources)
		if paid, ok := t.Confidences[p.sources().names[0]]; ok {
			a.Confidence, t.Confidence = &paid, &paid
		} else {
			a = verify.Answer{Outcome: scoring.Malformed, Reason: verify.ReasonMissingConfidence}
			t.Verdict, t.Outcome, t.Reason, t.Confidences = nil, a.Outcome, a.Reason, map[string]float64{}
		}
	}
	t.about(j.task)
	t.grade(verify.Grade(a, string(j.task.Label), p.Payment))
	return t
}

// evidence is nil where only what the model states was asked for.
func (p *Plan) evidence(draws []*Draw) *Evidence {
	if !p.sources().logprob && p.sources().draws == 0 {
		return nil
	}
	e := &Evidence{Logprob: draws[0].Logprob}
	if p.sources().draws > 0 {
		e.Consistency = agreement(*draws[0], draws[1:])
	}
	return e
}

// agreement counts the further draws that answer, and those of them that say
// what the scored one says. Abstentions and malformed draws are no answers.
func agreement(scored Draw, further []*Draw) *AgreementEvidence {
	e := &AgreementEvidence{}
	for _, d := range further {
		said := ""
		if d.Verdict != nil {
			said = *d.Verdict
		}
		e.Draws = append(e.Draws, said)
		if d.Outcome == scoring.Answered {
			e.Answered++
			e.Agreed += oneIf(scored.Verdict != nil && said == *scored.Verdict)
		}
		e.Cost.add(Cost{max(1, d.Attempts), d.PromptTokens, d.OutputTokens, d.Durations.Total})
	}
	return e
}

// confidences are those that the run's sources give an answered draw; a source
// that has none is absent.
func (p *Plan) confidences(d Draw, e *Evidence) map[string]float64 {
	out := map[string]float64{}
	for _, name := range p.sources().names {
		switch {
		case name == SourceVerbal && d.Confidence != nil:
			out[name] = *d.Confidence
		case name == SourceLogprob && e.Logprob != nil && e.Logprob.Confidence != nil:
			out[name] = *e.Logprob.Confidence
		case name == p.sources().consistency && e.Consistency.Answered > 0:
			out[name] = float64(e.Consistency.Agreed) / float64(e.Consistency.Answered)
		}
	}
	return out
}

// checkSources tells whether a trace's confidences are of the plan's sources,
// and agree with what they were made of.
func (p *Plan) checkSources(t Trace) error {
	for name, c := range t.Confidences {
		if !slices.Contains(p.sources().names, name) || !(c >= 0 && c <= 1) {
			return fmt.Errorf("confidence %v by %q is none of this run's", c, name)
		}
	}
	paid, ok := t.Confidences[p.sources().names[0]]
	if t.Confidence != nil && (!ok || !(math.Abs(paid-*t.Confidence) <= rounding)) {
		return fmt.Errorf("confidence is %v, but not by %s", *t.Confidence, p.sources().names[0])
	}
	if p.sources().draws > 0 && (t.Sources == nil || t.Sources.Consistency == nil || len(t.Sources.Consistency.Draws) != p.sources().draws) {
		return fmt.Errorf("it has not the %d draws of %s", p.sources().draws, p.sources().consistency)
	}
	if c, ok := t.Confidences[p.sources().consistency]; ok && t.Sources != nil && t.Sources.Consistency != nil {
		if e := t.Sources.Consistency; !(math.Abs(c*float64(e.Answered)-float64(e.Agreed)) <= 1e-6) {
			return fmt.Errorf("%s is %v, but %d of %d draws agree", p.sources().consistency, c, e.Agreed, e.Answered)
		}
	}
	return nil
}
