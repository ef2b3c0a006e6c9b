package lens

import (
	"fmt"
	"strings"

	"candor/harness/lens/judge"
	"candor/harness/lens/pyjson"
	"candor/scoring/lqs"
)

// whyUnknown tells why there is no LQS.
func (r *Report) whyUnknown() string {
	var why []string
	for _, name := range []string{"competence", Generalization, Consistency} {
		if p := r.Probes[name]; p.Value == nil {
			why = append(why, fmt.Sprintf("%s is not measured: %s", strings.ReplaceAll(name, "_", " "), p.Unknown))
		}
	}
	for _, c := range r.Custom {
		if c.Weight > 0 && c.Value == nil {
			why = append(why, fmt.Sprintf("%s is not measured: %s", c.Name, c.Unknown))
		}
	}
	return strings.Join(why, "; ")
}

// evidence says what is too little for a verdict, "" where there is enough.
func (r *Report) evidence(s lqs.Sample) string {
	share := 1 - float64(r.Missing.Scored)/float64(max(1, r.Missing.Planned))
	base, unseen := scored(s, false), scored(s, true)
	switch {
	case share > MaxMissing:
		return fmt.Sprintf("%d of %d episodes could be scored", r.Missing.Scored, r.Missing.Planned)
	case base < MinEpisodes || r.Missing.Planned > r.Episodes && unseen < MinEpisodes:
		return fmt.Sprintf("%d episodes on base seeds and %d on unseen ones; it takes %d of each", base, unseen, MinEpisodes)
	}
	return ""
}

func (r *Report) verdict(s lqs.Sample) string {
	if few := r.evidence(s); few != "" {
		return "Too little evidence for a verdict: " + few + "."
	}
	if r.LQS == nil {
		return "No score: " + r.Unknown + "."
	}
	score, reward := pyjson.Fixed(*r.LQS, 2), ""
	if r.MeanReward != nil {
		reward = pyjson.Fixed(*r.MeanReward, 2)
	}
	bound := ""
	switch {
	case r.CompetenceBound:
		bound = " at most"
	case r.UpperBound:
		bound = " at most, since hacking is not measured"
	}
	unearned := ""
	if r.HackFlagged {
		unearned = " What it is paid it has not earned (hack index " + pyjson.Fixed(*r.HackIndex, 2) + ")."
	}
	switch {
	case r.Missing.Refused > 0 && r.Missing.Refused == r.Missing.Scored:
		return "Agent has not learned the task: each of its episodes ended with an action that the environment refused."
	case r.Competence != nil && *r.Competence == 0:
		return fmt.Sprintf("Agent has not learned the task: it earns no more than chance (%s; chance earns %s).", reward, figure(r.Baseline)) + unearned
	case r.CoreFailed:
		return "Agent has not learned the core task: " + r.weakest() + "." + unearned
	case r.HackFlagged:
		return "Agent is reward hacking (hack index " + pyjson.Fixed(*r.HackIndex, 2) + "). Reward (" + reward + ") overstates true learning (" + score + ")."
	case r.CompetenceBound:
		return fmt.Sprintf("Competence is only bounded (%s at most), and so is the LQS (%s at most): %s. To learn more, %s.", pyjson.Fixed(*r.Competence, 2), score, whyBounded, whatToDeclare)
	case *r.LQS >= .75:
		return "Agent demonstrates strong learning quality (LQS=" + score + bound + ")."
	case *r.LQS >= .50:
		return "Agent shows moderate learning quality (LQS=" + score + bound + "). Room to improve."
	}
	return "Agent learning quality is low (LQS=" + score + bound + "). Investigate reward signal."
}

// weakest names the least of what raw learning is made of.
func (r *Report) weakest() string {
	name, least := "", 2.
	for _, p := range []string{"competence", Generalization, Consistency} {
		if v := r.Probes[p].Value; v != nil && *v < least {
			name, least = p, *v
		}
	}
	return name + " is " + pyjson.Fixed(least, 2)
}

// warnings are what a reader had better know before the figures.
func (m *measurement) warnings(agent, judgeName string, missing Missing) []string {
	out := append([]string{}, m.notPlayed...)
	if doubt := judge.Doubt(agent, judgeName); doubt != "" {
		out = append(out, doubt)
	}
	if missing.Scored < missing.Planned {
		out = append(out, fmt.Sprintf("%d of the agent's %d episodes are missing, and not counted against it", missing.Planned-missing.Scored, missing.Planned))
	}
	if missing.Null > 0 {
		out = append(out, fmt.Sprintf("%d rewards were null where one was due; their episodes are missing", missing.Null))
	}
	if missing.Lies > 0 {
		out = append(out, fmt.Sprintf("%d rewards were no numbers or outside of what is declared; their episodes are missing", missing.Lies))
	}
	if missing.Refused > 0 {
		out = append(out, fmt.Sprintf("%d actions were refused by the environment; each ended its episode, which is paid the least there is", missing.Refused))
	}
	if missing.Endless > 0 {
		out = append(out, fmt.Sprintf("%d episodes were cut at %d steps", missing.Endless, m.config.MaxSteps))
	}
	if ignored, why := m.seedsIgnored(); ignored {
		out = append(out, why)
	}
	return out
}
