package scoring

import (
	"cmp"
	"slices"
)

// clusters numbers the images of the rows in order of their names, so that the
// order of rows cannot matter, and says which image each row belongs to. Rows
// without an image come after, each a cluster of its own, ordered by all that
// the bootstrap can tell apart.
func clusters(rows []Row) (of []int32, count, bare int) {
	byName := map[string]int32{}
	var loose []int
	for i, r := range rows {
		if r.Image == "" {
			loose = append(loose, i)
		} else {
			byName[r.Image] = 0
		}
	}
	for i, name := range sortedKeys(byName) {
		byName[name] = int32(i)
	}
	of = make([]int32, len(rows))
	for i, r := range rows {
		of[i] = byName[r.Image]
	}
	slices.SortFunc(loose, func(a, b int) int { return compareRows(rows[a], rows[b]) })
	for i, row := range loose {
		of[row] = int32(len(byName) + i)
	}
	return of, len(byName) + len(loose), len(loose)
}

func compareRows(a, b Row) int {
	return cmp.Or(
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Outcome, b.Outcome),
		cmp.Compare(a.Confidence, b.Confidence),
		cmp.Compare(one(a.Correct), one(b.Correct)),
		cmp.Compare(one(a.Supported), one(b.Supported)),
		cmp.Compare(one(a.Repaired), one(b.Repaired)),
	)
}
