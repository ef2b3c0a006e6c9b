package run

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"candor/harness/blind"
	"candor/harness/claim"
	"candor/scoring"
)

// Blind is what a classifier that sees only the claims' texts gets right on
// the run's tasks: an accuracy near it says nothing about seeing.
type Blind struct {
	Accuracy *float64           `json:"accuracy"` // over all tasks, answered or not
	BySplit  map[string]float64 `json:"by_split"` // of the splits that have one
	Reason   string             `json:"reason,omitempty"`
}

// noTrain is why there is no figure.
const noTrain = "there are no train claims to fit it on"

// blindFolds is the number of parts into which the train images are cut.
const blindFolds = 5

// newBlind fits, for each split, on the train claims of the set. Tasks on
// train images (of a run on partition train or all) are judged by a classifier
// that was not fitted on them: the train images are cut into five parts, and
// those of one part are judged by what the other four tell.
func newBlind(set *claim.Set, sel claim.Selection, tasks []claim.Claim) (Blind, error) {
	sel.NumTasks, sel.Partition = 0, claim.Train
	train, err := claim.Select(set, sel)
	if err != nil { // the partition is empty
		return Blind{Reason: noTrain}, nil
	}
	b, right := Blind{BySplit: map[string]float64{}}, 0.0
	for split, of := range splitTasks(tasks) {
		n, ok, err := blindRight(trainOf(split, train), of)
		if err != nil {
			return b, err
		}
		if !ok {
			b.Reason = noTrain
			continue
		}
		b.BySplit[split] = n / float64(len(of))
		right += n
	}
	if b.Reason == "" {
		all := right / float64(len(tasks))
		b.Accuracy = &all
	}
	return b, nil
}

// blindRight counts what classifiers fitted on train get right of the tasks of
// one split; ok is false where there is nothing to fit one on.
func blindRight(train, tasks []claim.Claim) (right float64, ok bool, err error) {
	isTrain := map[string]bool{}
	for _, c := range train {
		isTrain[c.ImageSource] = true
	}
	for fold := range blindFolds + 1 {
		part := func(c claim.Claim) int { // the last holds the eval images
			if isTrain[c.ImageSource] {
				return foldOf(c.ImageSource)
			}
			return blindFolds
		}
		asked := keep(tasks, func(c claim.Claim) bool { return part(c) == fold })
		if len(asked) == 0 {
			continue
		}
		fit := keep(train, func(c claim.Claim) bool { return part(c) != fold })
		if len(fit) == 0 {
			return 0, false, nil
		}
		accuracy, err := blind.Accuracy(fit, asked)
		if err != nil {
			return 0, false, err
		}
		right += math.Round(accuracy[asked[0].Split] * float64(len(asked))) // the number itself
	}
	return right, true, nil
}

// foldOf is the part of the train images that an image is in. The partition
// takes the first digits of the same sum.
func foldOf(imageSource string) int {
	sum := sha256.Sum256([]byte(imageSource))
	return int(binary.BigEndian.Uint32(sum[4:8]) % blindFolds)
}

func splitTasks(tasks []claim.Claim) map[string][]claim.Claim {
	of := map[string][]claim.Claim{}
	for _, c := range tasks {
		of[c.Split] = append(of[c.Split], c)
	}
	return of
}

func trainOf(split string, train []claim.Claim) []claim.Claim {
	return keep(train, func(c claim.Claim) bool { return c.Split == split })
}

func keep(claims []claim.Claim, want func(claim.Claim) bool) []claim.Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c claim.Claim) bool { return !want(c) })
}

// Mark writes the figure into a summary of the run's tasks under their own
// labels.
func (b Blind) Mark(s *scoring.Summary) {
	s.BlindAccuracy, s.BlindReason = b.Accuracy, b.Reason
	for split, sum := range s.BySplit {
		if accuracy, ok := b.BySplit[split]; ok {
			sum.BlindAccuracy = &accuracy
		} else {
			sum.BlindReason = b.Reason
		}
	}
}
