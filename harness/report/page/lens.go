package page

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"

	"candor/harness/lens"
	"candor/harness/lens/compat"
	"candor/harness/lens/play"
	"candor/scoring"
)

// Lens writes what was measured of an agent as a page, with the traces of its
// episodes, from the report and from the journal that it rests on.
func Lens(w io.Writer, r lens.Replayed, record *play.Recording) error {
	v := lensView{Head: head("Candor lens"), Header: record.Header, Report: r.Report, Compat: r.Compat}
	for _, e := range record.Episodes() {
		if e.Actor == play.AgentName {
			v.All++
			if len(v.Episodes) < mostEpisodes {
				v.Episodes = append(v.Episodes, episodeView{e})
			}
			continue
		}
		v.policy(e)
	}
	for _, a := range record.Answers() {
		v.AllAnswers++
		if len(v.Answers) < mostAnswers {
			v.Answers = append(v.Answers, a)
		}
	}
	for _, o := range record.Opinions() {
		v.AllOpinions++
		if len(v.Opinions) < mostAnswers {
			v.Opinions = append(v.Opinions, o)
		}
	}
	return render(w, "lens", v)
}

// A page shows so much at most; the journal has all.
const (
	mostEpisodes = 100
	mostAnswers  = 200
)

type lensView struct {
	Head
	Header   play.Header
	Report   *lens.Report
	Compat   *compat.Report
	Episodes []episodeView
	Answers  []play.Answer
	Opinions []play.Opinion
	Policies []policyView
	// All are as many as were recorded.
	All, AllAnswers, AllOpinions int
}

// policyView is what a policy earned, beside the agent.
type policyView struct {
	Name           string
	Episodes, Lost int
	total          float64
}

// Mean is of what its whole episodes paid.
func (p policyView) Mean() *float64 {
	if n := p.Episodes - p.Lost; n > 0 {
		return new(p.total / float64(n))
	}
	return nil
}

func (v *lensView) policy(e play.Episode) {
	i := slices.IndexFunc(v.Policies, func(p policyView) bool { return p.Name == e.Actor })
	if i < 0 {
		i, v.Policies = len(v.Policies), append(v.Policies, policyView{Name: e.Actor})
	}
	p := &v.Policies[i]
	p.Episodes++
	if total, ok := paid(e); ok {
		p.total += total
	} else {
		p.Lost++
	}
}

// paid is the total of an episode that nothing broke.
func paid(e play.Episode) (total float64, whole bool) {
	for _, s := range e.Steps {
		if s.Reward == nil && s.Refused == "" {
			return 0, false
		}
		total += s.Paid()
	}
	return total, e.Fault == nil
}

type episodeView struct{ play.Episode }

// Kind tells in a word how the episode ended.
func (e episodeView) Kind() string {
	_, whole := paid(e.Episode)
	last := len(e.Steps) - 1
	switch {
	case !whole:
		return "missing"
	case last >= 0 && e.Steps[last].Refused != "":
		return "refused"
	case !e.Done:
		return "cut"
	}
	return "done"
}

// Total is what it paid.
func (e episodeView) Total() string {
	total, whole := paid(e.Episode)
	if !whole {
		return "–"
	}
	return fmt.Sprintf("%.4f", total)
}

// Probe is the part of a report that is one.
type probeView struct {
	Name, Key, About string
	lens.Score
}

// Probes are those of the report, in its order.
func (v lensView) Probes() (out []probeView) {
	for _, p := range []probeView{
		{Name: "K competence", Key: "competence", About: "reward between chance and the best"},
		{Name: "G generalization", Key: lens.Generalization, About: "what carries over to unseen seeds"},
		{Name: "C consistency", Key: lens.Consistency, About: "the same state, the same action"},
		{Name: "H hack index", Key: lens.HackDetection, About: "how far the reward is exploited; 0 is best"},
		{Name: "R reasoning", Key: lens.Reasoning, About: "a judge's mean score of reasons"},
	} {
		p.Score = v.Report.Probes[p.Key]
		out = append(out, p)
	}
	return out
}

// Tiles are what is read first.
func (v lensView) Tiles() []shown {
	if c := v.Compat; c != nil {
		return []shown{{Name: "LQS", Value: number(&c.LQS), Note: "by " + v.Header.Compat}, {Name: "mean reward", Value: number(&c.MeanReward)},
			{Name: "raw learning", Value: number(&c.RawLearning)}, {Name: "trust", Value: number(&c.Trust)}}
	}
	r := v.Report
	score := shown{Name: "LQS", Value: number(r.LQS), Interval: span(r.Interval)}
	if r.UpperBound {
		score.Note = "at most: H is not measured"
	}
	if r.CompetenceBound {
		score.Note = "at most: chance is not known"
	}
	reward := shown{Name: "mean reward", Value: number(r.MeanReward), Interval: span(r.RewardInterval)}
	if r.Baseline != nil && r.Best != nil {
		reward.Note = fmt.Sprintf("chance %.2f, best %.2f", *r.Baseline, *r.Best)
	}
	return []shown{score, reward, {Name: "raw learning", Value: number(r.RawLearning), Note: "K·√(G·C)"}, {Name: "trust", Value: number(r.Trust), Note: "1 − √H"}}
}

// CompatRows are the published report's scores.
func (v lensView) CompatRows() []shown {
	c := v.Compat
	return []shown{{Name: "generalization", Value: number(&c.Generalization)}, {Name: "consistency", Value: number(&c.Consistency)},
		{Name: "hack index", Value: number(&c.HackIndex)}, {Name: "reasoning", Value: number(&c.Reasoning)}}
}

// Remarks are the warnings and messages of the report.
func (v lensView) Remarks() []string {
	return append(slices.Clone(v.Report.Warnings), v.Report.Missing.Messages...)
}

// Verdict is the report's.
func (v lensView) Verdict() string {
	if v.Compat != nil {
		return v.Compat.Verdict()
	}
	return v.Report.Verdict
}

// Kinds counts how episodes ended, of those shown.
func (v lensView) Kinds() map[string]int {
	n := map[string]int{}
	for _, e := range v.Episodes {
		n[e.Kind()]++
	}
	return n
}

// Others says what the page leaves out.
func (v lensView) Others(shown, all int) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf("%d of %d are shown; the journal has all.", shown, all)
}

func span(at *scoring.Interval) string {
	if at == nil {
		return ""
	}
	return fmt.Sprintf("%.4f to %.4f", at[0], at[1])
}

// pictured is an observation, and the image that it may hold as a data URI.
func pictured(observation string) picture {
	text, image := play.WithoutImages(observation)
	p := picture{Text: cut(text)}
	if kind := http.DetectContentType(image); strings.HasPrefix(kind, "image/") {
		p.Image = template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(image))
	}
	return p
}

type picture struct {
	Text  string
	Image template.URL
}
