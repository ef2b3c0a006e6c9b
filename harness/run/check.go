package run

import (
	"errors"
	"fmt"
	"math"

	"candor/harness/verify"
	"candor/scoring"
)

// rounding is what two machines may differ by in a figure of one answer.
const rounding = 1e-9

// consistent tells whether a trace agrees with itself: a line that was damaged
// and is still JSON must not count as an answer that nobody gave.
func (t Trace) consistent() error {
	if t.TaskID == "" {
		return errors.New("it names no task")
	}
	if t.Label != string(verify.Supported) && t.Label != string(verify.Refuted) {
		return fmt.Errorf("label %q is neither SUPPORTED nor REFUTED", t.Label)
	}
	if t.Cached != (t.SameAs != "") {
		return fmt.Errorf("cached is %v, but same_as %q", t.Cached, t.SameAs)
	}
	verdict := "null"
	if t.Verdict != nil {
		verdict = *t.Verdict
	}
	stated := t.Confidence != nil
	switch t.Outcome {
	case scoring.Answered:
		if verdict != string(verify.Supported) && verdict != string(verify.Refuted) {
			return fmt.Errorf("outcome answered, but verdict %q", verdict)
		}
		if !stated || !(*t.Confidence >= 0 && *t.Confidence <= 1) {
			return errors.New("outcome answered, but no confidence in [0, 1]")
		}
	case scoring.Abstained:
		if verdict != string(verify.Abstain) || stated {
			return fmt.Errorf("outcome abstained, but verdict %q, or a confidence", verdict)
		}
	case scoring.Malformed:
		if t.Verdict != nil || stated {
			return errors.New("outcome malformed, but a verdict or a confidence")
		}
	default:
		return fmt.Errorf("outcome %q is not answered, abstained or malformed", t.Outcome)
	}
	return t.indicators(t.Outcome == scoring.Answered && verdict == t.Label)
}

// indicators tells whether the seven agree with the outcome.
func (t Trace) indicators(correct bool) error {
	confidence, miss := 0.0, 0.0
	if t.Confidence != nil {
		confidence = *t.Confidence
		miss = confidence - float64(oneIf(correct))
	}
	for _, f := range []struct {
		name      string
		got, want float64
	}{
		{"answered", float64(t.Answered), float64(oneIf(t.Outcome == scoring.Answered))},
		{"abstained", float64(t.Abstained), float64(oneIf(t.Outcome == scoring.Abstained))},
		{"malformed", float64(t.Malformed), float64(oneIf(t.Outcome == scoring.Malformed))},
		{"correct", float64(t.Correct), float64(oneIf(correct))},
		{"confidence_sum", t.ConfidenceSum, confidence},
		{"brier_sum", t.BrierSum, miss * miss},
		{"needed_repair", float64(t.NeededRepair), float64(oneIf(t.NeededRepair == 1))},
	} {
		if !(math.Abs(f.got-f.want) <= rounding) {
			return fmt.Errorf("%s is %v, but the outcome, verdict, label and confidence make it %v", f.name, f.got, f.want)
		}
	}
	if (t.Outcome == scoring.Malformed) != (t.Reason != "") {
		return fmt.Errorf("outcome %s, but reason %q", t.Outcome, t.Reason)
	}
	return nil
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// check returns what tells whether a trace is one of the plan's tasks, put and
// paid as the plan says.
func (p *Plan) check() func(Trace) error {
	tasks := make(map[string]Task, len(p.Tasks))
	for _, t := range p.Tasks {
		tasks[t.ID] = t
	}
	return func(t Trace) error {
		task, ok := tasks[t.TaskID]
		if !ok {
			return fmt.Errorf("task %q is not of this run", t.TaskID)
		}
		for _, f := range []struct{ name, got, want string }{
			{"split", t.Split, task.Split}, {"question_id", t.QuestionID, task.QuestionID}, {"image_source", t.ImageSource, task.ImageSource},
			{"claim_key", t.ClaimKey, task.Key()}, {"claim", t.Claim, task.Text}, {"label", t.Label, string(task.Label)},
		} {
			if f.got != f.want {
				return fmt.Errorf("%s is %q, but %q in the data", f.name, f.got, f.want)
			}
		}
		if err := t.consistent(); err != nil {
			return err
		}
		if err := p.checkEqual(t, tasks); err != nil {
			return err
		}
		if err := p.checkSources(t); err != nil {
			return err
		}
		confidence := 0.0
		if t.Confidence != nil {
			confidence = *t.Confidence
		}
		if want := p.Payment.Reward(t.Outcome, confidence, t.Correct == 1); !(math.Abs(t.Reward-want) <= rounding) {
			return fmt.Errorf("reward is %v, but %s pays %v", t.Reward, p.Payment.Rule.Name(), want)
		}
		return nil
	}
}
