// Package relabel looks at the answers of a run by other labels of the same
// claims: by label files that a user names, and by those that come with a data
// set. Nothing is asked for it; one run gives its figures under every label
// set, side by side.
package relabel

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"candor/harness/claim"
	"candor/scoring"
)

// Load reads the label sets that arguments of the form NAME=FILE name; see
// claim.ReadLabels. A NAME alone is one of own, the sets that come with the
// data, all of which are in the result too.
func Load(args []string, own []claim.LabelSet) ([]claim.LabelSet, error) {
	sets := slices.Clone(own)
	for i, arg := range args {
		name, file, isFile := strings.Cut(arg, "=")
		known := slices.IndexFunc(sets, func(l claim.LabelSet) bool { return l.Name == name })
		switch {
		case name == "" || isFile && file == "":
			return nil, fmt.Errorf("--labels %q: give NAME=FILE", arg)
		case strings.ContainsFunc(name, unicode.IsControl):
			return nil, fmt.Errorf("--labels %q: a name may not hold control characters", arg)
		case !isFile && known < 0:
			return nil, fmt.Errorf("--labels %s: no label set of that name comes with the data%s; give --labels %s=FILE", name, these(own), name)
		case slices.Contains(args[:i], arg) || known >= len(own):
			return nil, fmt.Errorf("--labels %s is given twice", name)
		case isFile && known >= 0:
			return nil, fmt.Errorf("--labels %s: a label set of that name comes with the data; give the file's another", arg)
		case isFile:
			set, err := claim.ReadLabels(name, file)
			if err != nil {
				return nil, fmt.Errorf("--labels %s: %w", name, err)
			}
			sets = append(sets, set)
		}
	}
	return sets, nil
}

func these(own []claim.LabelSet) string {
	var names []string
	for _, l := range own {
		names = append(names, l.Name)
	}
	if len(names) == 0 {
		return ""
	}
	return " (it has " + strings.Join(names, ", ") + ")"
}

// Summaries are the metrics of rows under each label set, by its name.
func Summaries(ctx context.Context, rows []scoring.Row, sets []claim.LabelSet, pay scoring.Payment, opt scoring.Options) (map[string]*scoring.Summary, error) {
	out := make(map[string]*scoring.Summary, len(sets))
	for _, l := range sets {
		var err error
		if out[l.Name], err = scoring.SummarizeUnder(ctx, rows, joint{l, l.Splits()}.label, pay, opt); err != nil {
			return nil, fmt.Errorf("labels %s: %w", l.Name, err)
		}
		first := []scoring.Warning{told(l.Name, out[l.Name])}
		if w, little := scant(l.Name, out[l.Name]); little {
			first = append(first, w)
		}
		out[l.Name].Warnings = slices.Insert(out[l.Name].Warnings, 0, first...)
	}
	return out, nil
}

// Check finds label sets that are of something else than the rows: of another
// image or another sentence, which texts has by the rows' IDs as far as they
// are known, or with no label for any row.
func Check(rows []scoring.Row, texts map[string]string, sets []claim.LabelSet) error {
	for _, l := range sets {
		if err := (joint{l, l.Splits()}).check(rows, texts); err != nil {
			return fmt.Errorf("labels %s: %w", l.Name, err)
		}
	}
	return nil
}

// told says how much of a run a label set covers.
func told(name string, s *scoring.Summary) scoring.Warning {
	f := s.LabelSet
	text := fmt.Sprintf("labels %s: %d of %d tasks have one, %d of them another than the run's", name, f.Kept, f.Kept+f.Ambiguous+f.Uncovered, f.Relabelled)
	if f.Ambiguous > 0 {
		text += fmt.Sprintf("; %d have none, and count as ambiguous", f.Ambiguous)
	}
	if f.Uncovered > 0 {
		text += fmt.Sprintf("; %d are of splits that it does not have", f.Uncovered)
	}
	return scoring.Warning{Code: "label_set", Message: text}
}

// scant tells a label set that says next to nothing of a run, as one of another
// release or of a few rows does.
func scant(name string, s *scoring.Summary) (w scoring.Warning, little bool) {
	const least = 20 // one in so many
	f := s.LabelSet
	all := f.Kept + f.Ambiguous + f.Uncovered
	text := fmt.Sprintf("labels %s cover under 5 %% of the tasks (%d of %d): figures by them are of those alone; see that they are of this data set", name, f.Kept, all)
	return scoring.Warning{Code: "label_coverage", Message: text}, f.Kept*least < all
}

// joint is a label set beside the rows of a run.
type joint struct {
	set    claim.LabelSet
	splits []string
}

// id is the claim's that a row is about, as far as the set has its split. The
// IDs of runs hold the split, those of a file of answers need not.
func (j joint) id(r scoring.Row) (id string, covered bool) {
	if split, _, whole := strings.Cut(r.ID, "/"); whole && slices.Contains(j.splits, split) && (r.Split == "" || r.Split == split) {
		return r.ID, true
	}
	return r.Split + "/" + r.ID, r.ID != "" && slices.Contains(j.splits, r.Split)
}

func (j joint) label(r scoring.Row) (label string, covered bool) {
	id, covered := j.id(r)
	if !covered {
		return "", false
	}
	return string(j.set.Labels[id]), true
}

func (j joint) check(rows []scoring.Row, texts map[string]string) error {
	joined, splits := 0, make(map[string]bool)
	for _, r := range rows {
		splits[r.Split] = true
		id, _ := j.id(r)
		if _, ok := j.set.Labels[id]; !ok {
			continue
		}
		joined++
		c := claim.Claim{ID: id, ImageSource: r.Image, Text: texts[r.ID]}
		if r.Image != "" {
			c.ImageSource = claim.Stem(r.Image)
		}
		if err := j.set.Agrees(c); err != nil {
			return err
		}
	}
	if joined == 0 && len(rows) > 0 {
		told := fmt.Sprintf("none of the %d tasks has a label there", len(rows))
		return j.set.NoneJoins(told, "the run has", slices.Sorted(maps.Keys(splits)))
	}
	return nil
}
