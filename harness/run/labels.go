package run

import (
	"fmt"
	"strings"

	"candor/harness/claim"
	"candor/harness/relabel"
	"candor/scoring"
)

// LabelsInfo identifies a label set that a run's answers are scored by too.
type LabelsInfo struct {
	Name     string `json:"name"`
	Revision string `json:"revision"` // of its files; "" for one that comes with the data
}

// warnStrays is the code of the warning about labels that are of no claim.
const warnStrays = "label_strays"

// readLabels reads the label sets that the configuration names and takes those
// that come with the data. None of them touches what is asked.
func (p *Plan) readLabels(set *claim.Set) error {
	var err error
	if p.labels, err = relabel.Load(p.Config.Labels, set.LabelSets); err != nil {
		return usage(err)
	}
	for _, l := range p.labels {
		strays, err := l.Join(set)
		if err != nil {
			return fmt.Errorf("labels %s: %w", l.Name, err)
		}
		if n := len(strays); n > 0 {
			const most = 3
			p.warn(warnStrays, "labels %s: %d of %d are of no claim of the data set: %s", l.Name, n, len(l.Labels), strings.Join(firstOf(strays, most), ", "))
		}
	}
	return nil
}

func (p *Plan) labelsInfo() []LabelsInfo {
	infos := []LabelsInfo{}
	for _, l := range p.labels {
		infos = append(infos, LabelsInfo{Name: l.Name, Revision: l.Revision})
	}
	return infos
}

// relabelled replaces the warnings about labels by those of the plan: labels
// may change after the last answer.
func (p *Plan) relabelled(warnings []scoring.Warning) []scoring.Warning {
	kept := []scoring.Warning{}
	for _, w := range warnings {
		if w.Code != warnStrays {
			kept = append(kept, w)
		}
	}
	for _, w := range p.Warnings {
		if w.Code == warnStrays {
			kept = append(kept, w)
		}
	}
	return kept
}
