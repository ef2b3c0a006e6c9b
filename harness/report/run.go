package report

import (
	"cmp"
	"fmt"

	"candor/harness/run"
)

// run says which run it is, and what the figures were made under.
func (p *printer) run(r run.Result) {
	m, o := r.Manifest, r.Manifest.Options
	if m.Model.Embedded {
		p.line("%s", Embedded(m.Model))
	}
	p.line("Run %s: %s", r.Dir, progress(m, r.Summary))
	p.line("data     %s, split %s, partition %s, %s", m.Dataset.Name, m.Dataset.Split, m.Dataset.Partition, Count(m.Dataset.Images, "image"))
	p.line("model    %s (%s, %s, %s)", m.Model.Model, m.Model.Architecture, parameters(m.Model.ParameterSize), quantisation(m.Model.Quantization))
	p.line("server   Ollama %s%s", m.Model.ServerVersion, device(m))
	p.line("profile  %s: temperature %v, top_p %v, top_k %v, min_p %v, presence_penalty %v,", m.Config.Profile, o.Temperature, o.TopP, o.TopK, o.MinP, o.PresencePenalty)
	p.line("         repeat_penalty %v, thinking %s, at most %d tokens; answer format %s", o.RepeatPenalty, onOff(o.Think), o.NumPredict, m.Config.Format)
}

func progress(m run.Manifest, s run.Summary) string {
	switch {
	case s.Errors > 0:
		return fmt.Sprintf("%s, INCOMPLETE: %d of %d tasks, %d ended in error", m.State, s.N, m.Tasks, s.Errors)
	case s.N < m.Tasks:
		return fmt.Sprintf("%s, PARTIAL: %d of %d tasks", m.State, s.N, m.Tasks)
	}
	return fmt.Sprintf("%s, %s", m.State, Count(s.N, "task"))
}

func device(m run.Manifest) string {
	if m.Preflight == nil || !m.Preflight.Residency.Loaded {
		return ""
	}
	r := m.Preflight.Residency
	switch {
	case r.SizeVRAM == 0:
		return ", on the CPU"
	case r.SizeVRAM < r.Size:
		return fmt.Sprintf(", %.0f %% on the GPU", 100*float64(r.SizeVRAM)/float64(r.Size))
	}
	return ", on the GPU"
}

func quantisation(q string) string {
	if q == "" || q == "unknown" {
		return "quantisation not told"
	}
	return q
}

func parameters(size string) string {
	if size == "" || size == "unknown" {
		return "size not told"
	}
	return size + " parameters"
}

func orUnknown(s string) string { return cmp.Or(s, "unknown") }

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}
