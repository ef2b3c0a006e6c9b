package claim

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Selection says which claims of a set a run asks.
type Selection struct {
	Splits    []string        // empty, or "all": every split
	Partition Partition       // "": all
	NumTasks  int             // 0: all
	Seed      int64           // of the sample of NumTasks
	EvalIDs   map[string]bool // when set, the images of the eval partition
}

// Select returns the claims of a selection. Of more than NumTasks it keeps
// those with the smallest sha256 of "seed TAB split TAB question_id", so that
// the order of the file cannot matter; of fewer it returns all, which the
// caller sees by their number and should say.
//
// The claims of one image stand together, images in the order of their
// smallest such sum: so the first part of a run is a random sample too, and a
// server meets an image once.
func Select(set *Set, sel Selection) ([]Claim, error) {
	if err := sel.check(set); err != nil {
		return nil, err
	}
	var picked []ranked
	for _, c := range set.Claims {
		if sel.takes(c) {
			picked = append(picked, rank(c, sel.Seed))
		}
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("%s has no claims in partition %s of split %s: partitions go by image, and a small set may have none in one; give --partition all",
			set.Name, cmp.Or(sel.Partition, All), cmp.Or(strings.Join(sel.Splits, ", "), "all"))
	}
	slices.SortFunc(picked, ranked.compare)
	if sel.NumTasks > 0 && len(picked) > sel.NumTasks {
		picked = picked[:sel.NumTasks]
	}
	return byImage(picked), nil
}

// Rank returns claims in the order in which Select takes them for a sample of a
// seed: the first N are the tasks of NumTasks N.
func Rank(claims []Claim, seed int64) []Claim {
	var all []ranked
	for _, c := range claims {
		all = append(all, rank(c, seed))
	}
	slices.SortFunc(all, ranked.compare)
	return unranked(all)
}

// SamplingSeed is the seed a task is asked with: the first 4 bytes, big-endian,
// of the sha256 of "seed TAB replicate TAB draw TAB split TAB question_id", with
// the sign bit cleared. It depends on nothing else, so that the runs of
// different models pair and a retry keeps its seed.
func SamplingSeed(seed int64, replicate, draw int, split, questionID string) int32 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\t%d\t%d\t%s\t%s", seed, replicate, draw, split, questionID))
	return int32(binary.BigEndian.Uint32(sum[:4]) & 0x7fffffff)
}

type ranked struct {
	claim Claim
	sum   [sha256.Size]byte
}

func rank(c Claim, seed int64) ranked {
	return ranked{c, sha256.Sum256(fmt.Appendf(nil, "%d\t%s\t%s", seed, c.Split, c.QuestionID))}
}

func (r ranked) compare(other ranked) int {
	return cmp.Or(bytes.Compare(r.sum[:], other.sum[:]), cmp.Compare(r.claim.ID, other.claim.ID))
}

func unranked(all []ranked) []Claim {
	claims := make([]Claim, len(all))
	for i, r := range all {
		claims[i] = r.claim
	}
	return claims
}

// byImage brings together the claims of an image; their order stays otherwise.
func byImage(picked []ranked) []Claim {
	first := make(map[string]int)
	for i, r := range picked {
		if _, ok := first[r.claim.ImageSource]; !ok {
			first[r.claim.ImageSource] = i
		}
	}
	slices.SortStableFunc(picked, func(a, b ranked) int {
		return cmp.Compare(first[a.claim.ImageSource], first[b.claim.ImageSource])
	})
	return unranked(picked)
}

func (sel *Selection) takes(c Claim) bool {
	if !sel.allSplits() && !slices.Contains(sel.Splits, c.Split) {
		return false
	}
	switch sel.Partition {
	case Eval:
		return sel.inEval(c.ImageSource)
	case Train:
		return !sel.inEval(c.ImageSource)
	default:
		return true
	}
}

func (sel *Selection) inEval(imageSource string) bool {
	if sel.EvalIDs != nil {
		return sel.EvalIDs[imageSource]
	}
	return InEval(imageSource)
}

func (sel *Selection) allSplits() bool {
	return len(sel.Splits) == 0 || slices.Contains(sel.Splits, string(All))
}

// check finds wishes that the set cannot meet, and brings EvalIDs to stems.
func (sel *Selection) check(set *Set) error {
	if sel.NumTasks < 0 {
		return fmt.Errorf("%d tasks: the number cannot be negative", sel.NumTasks)
	}
	if sel.Partition != "" {
		if _, err := ParsePartition(string(sel.Partition)); err != nil {
			return err
		}
	}
	have := set.Splits()
	for _, s := range sel.Splits {
		if s != string(All) && !slices.Contains(have, s) {
			return fmt.Errorf("%s has no split %q: it has %s; give --split all or %s", set.Name, s, strings.Join(have, ", "), oneOf(have))
		}
	}
	return sel.checkEvalIDs(set)
}

// oneOf is the flag for one of a few splits.
func oneOf(splits []string) string {
	if len(splits) > 3 {
		return "--split with one of these"
	}
	return "--split " + strings.Join(splits, ", --split ")
}

func (sel *Selection) checkEvalIDs(set *Set) error {
	if sel.EvalIDs == nil {
		return nil
	}
	missing, ids := make(map[string]bool), make(map[string]bool)
	for id, listed := range sel.EvalIDs {
		if listed {
			missing[Stem(id)], ids[Stem(id)] = true, true
		}
	}
	for _, c := range set.Claims {
		delete(missing, c.ImageSource)
	}
	sel.EvalIDs = ids
	if len(missing) == 0 {
		return nil
	}
	some := slices.Sorted(maps.Keys(missing))
	return fmt.Errorf("%d of the %d eval images are not in %s: %s", len(missing), len(ids), set.Name, strings.Join(some[:min(len(some), 5)], ", "))
}
