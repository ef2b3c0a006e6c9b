package run

import (
	"errors"
	"fmt"
	"sync"

	"candor/harness/claim"
	"candor/harness/verify"
	"candor/infer"
	"candor/scoring"
)

// Draw is one answer to a task of a run that asks for several, one line of
// draws.jsonl: draw 0 is the answer that is scored, the others only show how
// often the model says the same. A task's trace is made of its draws when all
// are there; until then a resumed run asks for those that are missing.
type Draw struct {
	TaskID       string          `json:"task_id"`
	Draw         int             `json:"draw"`
	Seed         int32           `json:"seed"`
	Verdict      *string         `json:"verdict"`    // null when malformed
	Confidence   *float64        `json:"confidence"` // stated; null unless answered
	Outcome      scoring.Outcome `json:"outcome"`
	Reason       string          `json:"reason"` // why it is malformed
	NeededRepair int             `json:"needed_repair"`
	Logprob      *TokenEvidence  `json:"logprob,omitempty"`
	Text         string          `json:"text"`
	Thinking     string          `json:"thinking"`
	PromptTokens int             `json:"prompt_tokens"`
	OutputTokens int             `json:"output_tokens"`
	Durations    TraceDurations  `json:"durations"`
	Endpoint     string          `json:"endpoint"`
	Attempts     int             `json:"attempts"`
}

func (d Draw) name() string { return fmt.Sprintf("draw %d of task %s", d.Draw, d.TaskID) }
func (d Draw) kind() string { return "draw" }

func (t Trace) name() string { return "task " + t.TaskID }
func (t Trace) kind() string { return "trace" }

// drawing gathers the draws of one task, which may come at the same time.
type drawing struct {
	mu     sync.Mutex
	of     []*Draw
	left   int
	failed bool
}

// add takes a draw and tells whether it was the last one missing.
func (d *drawing) add(one Draw) (last bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of[one.Draw] == nil {
		d.of[one.Draw] = &one
		d.left--
	}
	return d.left == 0
}

// fail tells the first draw that gets no answer from any after it.
func (d *drawing) fail() (first bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first, d.failed = !d.failed, true
	return first
}

// seed is that of one draw of a task.
func (p *Plan) seed(t Task, draw int) int32 {
	if draw == 0 {
		return t.Seed
	}
	return claim.SamplingSeed(p.Config.Seed, p.Config.Replicate, draw, t.Split, t.QuestionID)
}

// newDraw parses one response.
func (p *Plan) newDraw(j job, resp infer.Response) Draw {
	reply := verify.Reply{Text: resp.Text, Thinking: resp.Thinking, DoneReason: string(resp.Stop)}
	a := verify.Parse(reply)
	dur := resp.Durations
	d := Draw{
		TaskID: j.task.ID, Draw: j.draw, Seed: p.seed(j.task, j.draw), Confidence: a.Confidence, Outcome: a.Outcome, Reason: a.Reason,
		NeededRepair: oneIf(a.NeededRepair), Text: resp.Text, Thinking: resp.Thinking,
		PromptTokens: resp.PromptTokens, OutputTokens: resp.OutputTokens,
		Durations: TraceDurations{
			Load: dur.Load.Seconds(), Prompt: dur.Prompt.Seconds(), Generate: dur.Generate.Seconds(),
			Other: dur.Other.Seconds(), Total: dur.Total.Seconds(),
		},
	}
	if a.Verdict != "" {
		v := string(a.Verdict)
		d.Verdict = &v
	}
	if p.alternatives(j.draw) > 0 && a.Outcome == scoring.Answered {
		confidence, masses := verify.TokenConfidence(reply, a.Verdict, resp.Logprobs)
		d.Logprob = &TokenEvidence{Masses: masses, Confidence: confidence}
	}
	return d
}

// checkDraw returns what tells whether a line is a draw of the plan's.
func (p *Plan) checkDraw() func(Draw) error {
	tasks := make(map[string]Task, len(p.Tasks))
	for _, t := range p.Tasks {
		tasks[t.ID] = t
	}
	return func(d Draw) error {
		task, ok := tasks[d.TaskID]
		switch {
		case !ok:
			return fmt.Errorf("task %q is not of this run", d.TaskID)
		case d.Draw < 0 || d.Draw > p.sources().draws:
			return fmt.Errorf("draw %d is not one of 0 to %d", d.Draw, p.sources().draws)
		case d.Seed != p.seed(task, d.Draw):
			return fmt.Errorf("seed is %d, but %d for %s", d.Seed, p.seed(task, d.Draw), d.name())
		}
		return d.consistent()
	}
}

// consistent tells whether a draw agrees with its own text: unlike a trace it
// can be read again, but for what ended it.
func (d Draw) consistent() error {
	ended := ""
	switch d.Reason {
	case verify.ReasonTruncated:
		ended = "length"
	case verify.ReasonRepeated:
		ended = string(infer.StopRepeated)
	}
	a := verify.Parse(verify.Reply{Text: d.Text, Thinking: d.Thinking, DoneReason: ended})
	verdict := verify.Verdict("")
	if d.Verdict != nil {
		verdict = verify.Verdict(*d.Verdict)
	}
	if a.Verdict != verdict || a.Outcome != d.Outcome || a.Reason != d.Reason || (a.Confidence == nil) != (d.Confidence == nil) {
		return errors.New("verdict, confidence, outcome and reason are not those of its text")
	}
	if a.Confidence != nil && *a.Confidence != *d.Confidence {
		return fmt.Errorf("confidence is %v, but %v in its text", *d.Confidence, *a.Confidence)
	}
	return nil
}
