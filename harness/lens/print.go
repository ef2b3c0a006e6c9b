package lens

import (
	"fmt"
	"io"
	"strings"

	"candor/harness/lens/pyjson"
	"candor/scoring"
)

// Print writes the report for people, laid out as the published one is.
func (r *Report) Print(w io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	rule := strings.Repeat("─", 78)
	line("%s", strings.Repeat("═", 78))
	line("  LearnLens Evaluation Report")
	line("%s", strings.Repeat("═", 78))
	line("  Environment : %s", r.Environment)
	line("  Agent       : %s", r.Agent)
	line("  Episodes    : %d base, %s", r.Episodes, r.played())
	line("  Probes      : %s", strings.Join(r.ProbesRun, ", "))
	line("")
	line("  %-22s %5s   %-10s  %-15s %s", "Metric", "Score", "Visual", "95 %", "Notes")
	line("  %s", rule)
	line("%s", row("Standard Reward", r.MeanReward, r.share(), r.RewardInterval, "+/- "+figure(r.RewardStd)+" std"))
	line("%s", row("  of chance", r.Baseline, nil, nil, "the better of random and no-op"))
	best := "declared"
	if r.BestSeen {
		best = "best seen; none is declared"
	}
	line("%s", row("  of the best", r.Best, nil, nil, best))
	line("")
	for _, p := range []struct{ key, name, note string }{
		{"competence", "Competence", "reward between chance and best"},
		{Generalization, "Generalization", "gain on unseen seeds"},
		{Consistency, "Consistency", "same state -> same action"},
		{HackDetection, "Hack Index", "within tolerance"},
		{Reasoning, "Reasoning Quality", "CoT quality"},
	} {
		s := r.Probes[p.key]
		note := p.note
		switch {
		case s.Value == nil:
			note = "not measured (below)"
		case p.key == HackDetection && r.HackFlagged:
			note = "⚠ FLAGGED"
		case p.key == "competence" && r.CompetenceBound:
			note = "upper bound (below)"
		case s.Repeatability != nil:
			note += ", judge agrees with itself to " + figure(s.Repeatability)
		}
		line("%s", row(p.name, s.Value, s.Value, s.Interval, note))
	}
	for _, c := range r.Custom {
		line("%s", row(c.Name, c.Value, c.Value, nil, fmt.Sprintf("custom, weight %v", c.Weight)))
	}
	line("")
	line("%s", row("  Raw Learning", r.RawLearning, r.RawLearning, nil, "K x sqrt(G x C)"))
	line("%s", row("  Trust Coeff", r.Trust, r.Trust, nil, "1 - sqrt(H)"))
	line("%s", row("  Exploitability", r.Exploitability, r.Exploitability, nil, "of the environment"))
	line("")
	note := "Primary metric"
	if r.UpperBound {
		note = "upper bound: H is not measured"
		if r.CompetenceBound {
			note = "upper bound, as competence is"
		}
	}
	line("%s", row("LQS (Learning)", r.LQS, r.LQS, r.Interval, note))
	line("  %s", rule)
	line("  Verdict: %s", strings.Join(folded(r.Verdict, 67), "\n           "))
	for _, text := range r.remarks() {
		line("  - %s", strings.Join(folded(text, 74), "\n    "))
	}
	line("%s", strings.Repeat("═", 78))
	_, err := io.WriteString(w, b.String())
	return err
}

// played tells of the unseen seeds and of what is missing.
func (r *Report) played() string {
	unseen := "none unseen"
	if r.Missing.Planned > r.Episodes {
		unseen = fmt.Sprintf("%d unseen", r.Missing.Planned-r.Episodes)
	}
	return fmt.Sprintf("%s; %d of %d scored", unseen, r.Missing.Scored, r.Missing.Planned)
}

// share is how much of the best the mean reward is, for its bar.
func (r *Report) share() *float64 {
	if r.MeanReward == nil || r.Best == nil || *r.Best <= 0 {
		return nil
	}
	return known(*r.MeanReward / *r.Best)
}

// remarks are the warnings, and what each probe could not know.
func (r *Report) remarks() []string {
	out := append([]string{}, r.Warnings...)
	for _, name := range append([]string{"competence"}, ProbeNames()...) {
		s := r.Probes[name]
		label := strings.ReplaceAll(name, "_", " ") + ": "
		if s.Unknown != "" {
			out = append(out, label+"not measured: "+s.Unknown)
		}
		for _, note := range s.Notes {
			out = append(out, label+note)
		}
	}
	for _, c := range r.Custom {
		if c.Unknown != "" {
			out = append(out, c.Name+": not measured: "+c.Unknown)
		}
	}
	return append(out, r.Missing.Messages...)
}

func row(name string, value, bar *float64, at *scoring.Interval, note string) string {
	interval := ""
	if at != nil {
		interval = pyjson.Fixed(at[0], 2) + " to " + pyjson.Fixed(at[1], 2)
	}
	return strings.TrimRight(fmt.Sprintf("  %-22s %5s   %-10s  %-15s %s", name, figure(value), blocks(bar), interval, note), " ")
}

func figure(v *float64) string {
	if v == nil {
		return "—"
	}
	return pyjson.Fixed(*v, 2)
}

// blocks are ten cells, filled as far as a value in [0, 1] goes.
func blocks(v *float64) string {
	if v == nil {
		return strings.Repeat(" ", 10)
	}
	n := int(pyjson.Round(max(0, min(1, *v))*10, 0))
	return strings.Repeat("█", n) + strings.Repeat("░", 10-n)
}

// folded breaks a text between words.
func folded(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
