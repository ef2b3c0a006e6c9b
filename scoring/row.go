package scoring

import "fmt"

// Outcome is how a task ended.
type Outcome string

// The four outcomes. An error is ours (server, network, image) and is never
// scored; malformed is the model's own and earns 0.
const (
	Answered  Outcome = "answered"
	Abstained Outcome = "abstained"
	Malformed Outcome = "malformed"
	Errored   Outcome = "error"
)

// Row is one task as the metrics see it. Confidence, Correct, Supported and
// Sources count only where the outcome is Answered. Label is for [Compare],
// which refuses to compare runs that were marked by different labels.
type Row struct {
	ID         string             // names the row in messages
	Image      string             // the cluster: claims of one image are not independent
	Split      string             // "" means none
	Outcome    Outcome            //
	Confidence float64            // stated probability in [0, 1] that the own verdict is right
	Correct    bool               // verdict = label
	Supported  bool               // the verdict is SUPPORTED
	Repaired   bool               // the answer needed repair before it could be read
	Label      string             // what is true, SUPPORTED or REFUTED; "" where it is not told
	Sources    map[string]float64 // confidences from elsewhere, by source; absent is missing
}

// RowError is a row that cannot be scored.
type RowError struct {
	Index  int // position in the rows given, from 0
	ID     string
	Reason string
}

func (e *RowError) Error() string {
	return fmt.Sprintf("rows[%d], id %q: %s", e.Index, e.ID, e.Reason)
}

// IDsRecur tells whether an ID names more than one row, so that it takes ID and
// split together to name a task.
func IDsRecur(rows []Row) bool {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.ID] {
			return true
		}
		seen[r.ID] = true
	}
	return false
}

// scorable copies the rows that count, with the fields that do not apply
// cleared, and counts those in error.
func scorable(rows []Row) (kept []Row, errored int, err error) {
	kept = make([]Row, 0, len(rows))
	for i, r := range rows {
		if reason := r.fault(); reason != "" {
			return nil, 0, &RowError{Index: i, ID: r.ID, Reason: reason}
		}
		if r.Outcome == Errored {
			errored++
			continue
		}
		kept = append(kept, r.cleared())
	}
	return kept, errored, nil
}

// fault says why a row cannot be scored, "" if it can.
func (r Row) fault() string {
	switch r.Outcome {
	case Abstained, Malformed, Errored:
		return ""
	case Answered:
	default:
		return fmt.Sprintf("outcome %q: must be answered, abstained, malformed or error", r.Outcome)
	}
	if !probability(r.Confidence) {
		return fmt.Sprintf("confidence %v: must be a number in [0, 1]", r.Confidence)
	}
	for _, name := range sortedKeys(r.Sources) {
		if p := r.Sources[name]; !probability(p) {
			return fmt.Sprintf("%s confidence %v: must be a number in [0, 1]", name, p)
		}
	}
	return ""
}

func (r Row) cleared() Row {
	if r.Outcome != Answered {
		r.Confidence, r.Correct, r.Supported, r.Sources = 0, false, false, nil
	}
	r.Confidence += 0 // −0 becomes 0, so that both are one level
	return r
}

// probability is false for NaN.
func probability(p float64) bool { return p >= 0 && p <= 1 }
