// Package stored reads answers that were given before, whoever asked for them:
// a run of Candor's by its directory, anyone else's by a file of JSON Lines.
// What is made of them afterwards (other payments, comparisons,
// recalibration) need not know which it was.
package stored

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"candor/harness/answers"
	"candor/harness/claim"
	"candor/harness/run"
	"candor/scoring"
)

// Answers are the tasks of a run or of a file.
type Answers struct {
	Name string // as the user called it
	Rows []scoring.Row
	Run  *run.Stored // nil for a file, which tells nothing of how it was made

	oddities []scoring.Warning // of a file
}

// Read reads the run in the directory path, or the answers in the file path.
func Read(path string) (*Answers, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		r, err := run.Read(path)
		if err != nil {
			return nil, err
		}
		return &Answers{Name: path, Rows: r.Rows(), Run: r}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadFile(f, path)
}

// ReadFile reads the answers in an open file; name is its name.
func ReadFile(r io.Reader, name string) (*Answers, error) {
	rows, oddities, err := answers.Read(r, name)
	if err != nil {
		return nil, err
	}
	return &Answers{Name: name, Rows: rows, oddities: oddities}, nil
}

// Payment is the payment to score by: the rule and payoff given; without a
// rule the run's own, of a file Brier's. A payoff that is not given is the
// run's own under its own rule, else the rule's default. A refused payoff is a
// usage error.
func (a *Answers) Payment(rule string, abstain *float64) (scoring.Payment, error) {
	cfg := run.Config{Rule: rule, Abstain: abstain}
	if a.Run != nil {
		own := a.Run.Manifest.Config
		if rule == "" {
			cfg.Rule = own.Rule
		}
		if abstain == nil && cfg.Rule == own.Rule {
			cfg.Abstain = own.Abstain
		}
	}
	if cfg.Rule == "" {
		cfg.Rule = scoring.Brier{}.Name()
	}
	return cfg.Payment()
}

// Seed is the one that the run's own summary was computed with, 0 for a file.
func (a *Answers) Seed() uint64 {
	if a.Run == nil {
		return 0
	}
	return uint64(a.Run.Manifest.Config.Seed)
}

// Sources are the source of the confidence that is scored and those beside it;
// a file does not tell which it is: none.
func (a *Answers) Sources() (scored string, others []string) {
	if a.Run == nil {
		return "", nil
	}
	return a.Run.Manifest.Config.Sources()
}

// GivenUnder says under which rule and payoff the answers were given.
func (a *Answers) GivenUnder() string {
	if a.Run == nil {
		return "a rule and a payoff that the file does not tell"
	}
	pay, err := a.Run.Payment()
	if err != nil {
		return "a rule and a payoff that the manifest does not tell"
	}
	return fmt.Sprintf("%s, %.6g", pay.Rule.Name(), pay.Abstain)
}

// AsIf is the line that marks rewards under pay as hypothetical; "" where the
// answers were given under pay. A file, which does not tell, is taken to be
// paid as [Answers.Payment] pays it by default.
func (a *Answers) AsIf(pay scoring.Payment) string {
	own, err := a.Payment("", nil)
	if err == nil && own.Rule.Name() == pay.Rule.Name() && own.Abstain == pay.Abstain {
		return ""
	}
	return AsIfGiven + a.GivenUnder()
}

// AsIfGiven begins what says under which rule and payoff answers were given.
const AsIfGiven = "as if: answers given under "

// Reasons counts why a run's answers were malformed; nil for a file, which does
// not tell.
func (a *Answers) Reasons() map[string]int {
	if a.Run == nil {
		return nil
	}
	out := map[string]int{}
	for _, t := range a.Run.Traces {
		if t.Outcome == scoring.Malformed {
			out[cmp.Or(t.Reason, "for no reason told")]++
		}
	}
	return out
}

// Texts are the sentences of a run's claims by the rows' IDs; of a file, which
// does not tell, none.
func (a *Answers) Texts() map[string]string {
	texts := map[string]string{}
	if a.Run != nil {
		for _, t := range a.Run.Traces {
			texts[t.TaskID] = t.Claim
		}
	}
	return texts
}

// LabelSets are the label sets that come with a run's data; see
// run.Stored.LabelSets. Of a file there are none.
func (a *Answers) LabelSets() ([]claim.LabelSet, error) {
	if a.Run == nil {
		return nil, nil
	}
	return a.Run.LabelSets()
}

// Circumstances are the warnings that the answers bring along.
func (a *Answers) Circumstances() []scoring.Warning {
	if a.Run == nil {
		return a.oddities
	}
	return a.Run.Circumstances()
}

// Inherit makes a summary of the answers say what they bring along.
func (a *Answers) Inherit(s *scoring.Summary) {
	s.Complete = s.Complete && (a.Run == nil || a.Run.Missing() == 0)
	if a.Run != nil {
		a.Run.Manifest.Blind.Mark(s)
	}
	for _, w := range a.Circumstances() {
		if w.Code == scoring.WarnNoTasks { // names the file, which the summary cannot
			s.Warnings = slices.DeleteFunc(s.Warnings, func(own scoring.Warning) bool { return own.Code == w.Code })
		}
		s.Warnings = append(s.Warnings, w)
	}
}
