package page

import (
	"cmp"
	"fmt"
	"strings"

	"candor/harness/dossier"
	"candor/harness/report"
)

// fact is a line of what a run was made under.
type fact struct{ Name, Value string }

// facts are what figures cannot be compared without.
func facts(d *dossier.Dossier) []fact {
	if d.Run == nil {
		return []fact{{"answers", "from a file, which does not tell how they were made"}}
	}
	m, o := d.Run.Manifest, d.Run.Manifest.Options
	out := []fact{
		{"state", fmt.Sprintf("%s, %d of %s recorded", m.State, len(d.Run.Traces), report.Count(m.Tasks, "task"))},
		{"data", fmt.Sprintf("%s, split %s, partition %s, %s, revision %s", m.Dataset.Name, m.Dataset.Split, m.Dataset.Partition, report.Count(m.Dataset.Images, "image"), m.Dataset.Revision)},
		{"model", fmt.Sprintf("%s (%s, %s, %s)", m.Model.Model, m.Model.Architecture, m.Model.ParameterSize, m.Model.Quantization)},
		{"digest", m.Model.Digest},
		{"server", "Ollama " + m.Model.ServerVersion},
		{"sampling", fmt.Sprintf("profile %s: temperature %v, top_p %v, top_k %v, min_p %v, presence_penalty %v, repeat_penalty %v, thinking %v, at most %d tokens", m.Config.Profile, o.Temperature, o.TopP, o.TopK, o.MinP, o.PresencePenalty, o.RepeatPenalty, o.Think, o.NumPredict)},
		{"asked", fmt.Sprintf("prompt %s (%.12s), format %s, images by policy %s, seed %d, replicate %d", m.Prompt.Version, m.Prompt.Hash, m.Config.Format, m.Config.ImagePolicy, m.Config.Seed, m.Config.Replicate)},
		{"confidence", strings.Join(m.Config.Confidence, ", ")},
		{"configuration", m.ConfigHash},
		{"Candor", m.Candor},
	}
	if m.Preflight == nil {
		return append(out, fact{"preflight", "none: what the server honours was not tested"})
	}
	return append(out, fact{"preflight", "done; what it found amiss stands among the warnings"})
}

// about says in a line what was asked of whom.
func about(d *dossier.Dossier) string {
	if d.Run == nil {
		return ""
	}
	m := d.Run.Manifest
	return fmt.Sprintf("%s on %s, split %s, partition %s: %s on %s; profile %s, temperature %v", cmp.Or(m.Model.Model, m.Config.Model),
		cmp.Or(m.Dataset.Name, m.Config.Dataset), cmp.Or(m.Dataset.Split, m.Config.Split), cmp.Or(m.Dataset.Partition, m.Config.Partition),
		report.Count(m.Tasks, "task"), report.Count(m.Dataset.Images, "image"), m.Config.Profile, m.Options.Temperature)
}

// findings are those of the preflight.
func findings(d *dossier.Dossier) (out []fact) {
	if d.Run == nil || d.Run.Manifest.Preflight == nil {
		return nil
	}
	for _, f := range d.Run.Manifest.Preflight.Findings {
		text := strings.TrimSpace(f.Detail + " " + f.Advice)
		if f.Endpoint != "" {
			text = f.Endpoint + ": " + text
		}
		out = append(out, fact{fmt.Sprintf("%s: %s", f.Question, f.Status), text})
	}
	return out
}
