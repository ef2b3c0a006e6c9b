package claim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// LabelSet is another labelling of a set's claims, as RePOPE is of POPE's. A
// claim of one of its splits that it has no label for is ambiguous: whoever
// labelled anew could not tell, or took it out.
type LabelSet struct {
	Name     string
	Labels   map[string]Label // by Claim.ID
	Revision string           // sha256 of its files; "" for one that is made with its set

	rows map[string]labelled // what a file says of the claims; none for one that is made
}

// labelled is what a label file says of a claim beside its label.
type labelled struct {
	where string // file and line
	image string // the image's source, "" where the row names none
	text  string // the sentence, "" where the row has none that is understood
}

// Of is the claim's label; kept is false for a claim that has none.
func (l LabelSet) Of(c Claim) (label Label, kept bool) {
	label, kept = l.Labels[c.ID]
	return label, kept
}

// Splits are those of its labels. It says nothing of claims of others.
func (l LabelSet) Splits() []string {
	found := make(map[string]bool)
	for id := range l.Labels {
		split, _, _ := strings.Cut(id, "/")
		found[split] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// Agrees tells whether what the label's own row says of the claim is true of
// c. An error names the row: a label of another image or another sentence
// under the same question_id is one of another data set.
func (l LabelSet) Agrees(c Claim) error {
	row, ok := l.rows[c.ID]
	switch {
	case !ok:
		return nil
	case row.image != "" && c.ImageSource != "" && row.image != c.ImageSource:
		return fmt.Errorf("%s is about image %s, but claim %s about %s: the labels are of another data set", row.where, row.image, c.ID, c.ImageSource)
	case row.text != "" && c.Text != "" && withoutArticles(row.text) != withoutArticles(c.Text):
		return fmt.Errorf("%s reads %q, but claim %s %q: the labels are of other claims; a row without a text joins by its question_id alone", row.where, row.text, c.ID, c.Text)
	}
	return nil
}

// Join checks the labels against the set they are for: that those of its
// claims agree with them, and that there is any. It returns the labels that no
// claim of the set has, in order, each as the place of its row.
func (l LabelSet) Join(set *Set) (strays []string, err error) {
	left := maps.Clone(l.Labels)
	for _, c := range set.Claims {
		if err := l.Agrees(c); err != nil {
			return nil, err
		}
		delete(left, c.ID)
	}
	if len(left) == len(l.Labels) {
		told := fmt.Sprintf("none of the %d labels is of a claim", len(l.Labels))
		return nil, l.NoneJoins(told, "the data have", set.Splits())
	}
	for _, id := range slices.SortedFunc(maps.Keys(left), naturally) {
		if row, ok := l.rows[id]; ok {
			id = row.where + " (" + id + ")"
		}
		strays = append(strays, id)
	}
	return strays, nil
}

// NoneJoins is the error where no label joins: what is told, the splits of both
// sides, and what mends it. That is most often the split, which a file without
// the key tells by its name alone. owner is who has those splits; one of them
// is "" where answers tell none.
func (l LabelSet) NoneJoins(told, owner string, splits []string) error {
	cure := "no question_id of a split in common is the same"
	switch has := func(s string) bool { return slices.Contains(splits, s) }; {
	case has(""):
		cure = `give the answers a "split" key`
	case !slices.ContainsFunc(l.Splits(), has):
		cure = `give the file's rows a "split" key, or name the file after its split`
	}
	return fmt.Errorf("%s: labels join on split and question_id; %s %s, the file %s: %s",
		told, owner, nameSplits(splits), nameSplits(l.Splits()), cure)
}

// nameSplits names splits for messages, at most five.
func nameSplits(names []string) string {
	const most = 5
	names = slices.Clone(names)
	for i, name := range names {
		if name == "" {
			names[i] = "none"
		}
	}
	if rest := len(names) - most; rest > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", rest))
	}
	return "split " + strings.Join(names, ", ")
}

// withoutArticles is the normalised text less "a" and "an", which releases of
// the same claims have spelt either way.
func withoutArticles(text string) string {
	words := slices.DeleteFunc(strings.Fields(Normalise(text)), func(w string) bool { return w == "a" || w == "an" })
	return strings.Join(words, " ")
}

// naturally orders IDs by split, then by number where they have one.
func naturally(a, b string) int {
	splitA, idA, _ := strings.Cut(a, "/")
	splitB, idB, _ := strings.Cut(b, "/")
	if splitA != splitB {
		return strings.Compare(splitA, splitB)
	}
	if len(idA) != len(idB) && digits(idA) && digits(idB) {
		return len(idA) - len(idB)
	}
	return strings.Compare(idA, idB)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
