package run

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"candor/harness/claim"
	"candor/harness/regular"
	"candor/harness/relabel"
	"candor/scoring"
)

// LabelsInfo identifies a label set that a run's answers are scored by too.
type LabelsInfo struct {
	Name     string `json:"name"`
	Revision string `json:"revision"` // of its files; "" for one that comes with the data
}

// Codes of the warnings about label sets.
const (
	warnStrays  = "label_strays"   // labels that are of no claim
	warnChanged = "labels_changed" // a file that is another than before
	warnGone    = "labels_gone"    // a file that cannot be read any more
)

func aboutLabels(w scoring.Warning) bool {
	return w.Code == warnStrays || w.Code == warnChanged || w.Code == warnGone
}

// earlierLabels are the label sets of the run that is gone on with.
type earlierLabels struct {
	args   []string
	infos  []LabelsInfo
	stored map[string]*scoring.Summary // figures under them, of a run that lacks nothing
}

// keptLabels is a label set that only its figures are left of.
type keptLabels struct {
	LabelsInfo
	summary *scoring.Summary
}

// labelsOf reads them from the run's directory, "" for none.
func labelsOf(dir string, lacksNothing bool) earlierLabels {
	m, err := LoadManifest(dir)
	if dir == "" || err != nil {
		return earlierLabels{} // what is wrong with it is said where it is opened
	}
	e := earlierLabels{args: m.Config.Labels, infos: m.Labels}
	var s Summary
	b, err := regular.ReadFile(filepath.Join(dir, SummaryFile))
	if lacksNothing && err == nil && json.Unmarshal(b, &s) == nil {
		e.stored = s.ByLabels
	}
	return e
}

// with are the earlier label sets and those given now, which take the place of
// earlier ones of the same name.
func (e earlierLabels) with(given []string) []string {
	var all []string
	for _, arg := range e.args {
		same := func(g string) bool { return labelsName(g) == labelsName(arg) }
		if !slices.ContainsFunc(given, same) {
			all = append(all, arg)
		}
	}
	return append(all, given...)
}

func labelsName(arg string) string {
	name, _, _ := strings.Cut(arg, "=")
	return name
}

// readLabels reads the label sets that the configuration names, or that an
// earlier session did, and takes those that come with the data. None of them
// touches what is asked.
func (p *Plan) readLabels(set *claim.Set, earlier earlierLabels) error {
	p.Config.Labels = earlier.with(p.Config.Labels)
	var err error
	if p.labels, err = relabel.Load(p.readable(set, earlier), set.LabelSets); err != nil {
		return blamed("labels", err)
	}
	p.tellChanged(earlier)
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

// readable are the arguments whose label sets are to be read: not those of a
// finished run that cannot be any more, whose figures stay as they are.
func (p *Plan) readable(set *claim.Set, earlier earlierLabels) []string {
	var args []string
	for _, arg := range p.Config.Labels {
		name := labelsName(arg)
		s, at := earlier.stored[name], slices.IndexFunc(earlier.infos, func(l LabelsInfo) bool { return l.Name == name })
		if s == nil || at < 0 || !slices.Contains(earlier.args, arg) {
			args = append(args, arg)
			continue
		}
		sets, err := relabel.Load([]string{arg}, set.LabelSets)
		if err == nil {
			_, err = sets[len(sets)-1].Join(set)
		}
		if err == nil {
			args = append(args, arg)
			continue
		}
		p.keptLabels = append(p.keptLabels, keptLabels{earlier.infos[at], s})
		p.warn(warnGone, "labels %s: the figures are those stored in the run (labels of revision %s), since the set cannot be read: %v", name, earlier.infos[at].Revision, err)
	}
	return args
}

// OwnLabels are the label sets that come with the data.
func (p *Plan) OwnLabels() []claim.LabelSet { return p.images.set.LabelSets }

// CheckLabels finds label sets that are of something else than the tasks, as
// relabel.Check does for answers.
func (p *Plan) CheckLabels(sets []claim.LabelSet) error {
	rows, texts := make([]scoring.Row, len(p.Tasks)), make(map[string]string, len(p.Tasks))
	for i, t := range p.Tasks {
		rows[i] = scoring.Row{ID: t.ID, Split: t.Split, Image: t.ImageSource}
		texts[t.ID] = t.Text
	}
	return relabel.Check(rows, texts, sets)
}

// tellChanged says which label sets are others than those of their names before.
func (p *Plan) tellChanged(earlier earlierLabels) {
	for _, l := range p.labels {
		for _, was := range earlier.infos {
			if was.Name == l.Name && was.Revision != l.Revision {
				p.warn(warnChanged, "labels %s are others than before in this run: their revision was %s, is %s; the figures are by the new ones", l.Name, was.Revision, l.Revision)
			}
		}
	}
}

func (p *Plan) labelsInfo() []LabelsInfo {
	infos := []LabelsInfo{}
	for _, l := range p.labels {
		infos = append(infos, LabelsInfo{Name: l.Name, Revision: l.Revision})
	}
	for _, l := range p.keptLabels {
		infos = append(infos, l.LabelsInfo)
	}
	return infos
}

// relabelled replaces the warnings about labels by those of the plan: labels
// may change after the last answer.
func (p *Plan) relabelled(warnings []scoring.Warning) []scoring.Warning {
	kept := []scoring.Warning{}
	for _, w := range warnings {
		if !aboutLabels(w) {
			kept = append(kept, w)
		}
	}
	for _, w := range p.Warnings {
		if aboutLabels(w) {
			kept = append(kept, w)
		}
	}
	return kept
}
