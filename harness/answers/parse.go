package answers

import (
	"encoding/json"
	"errors"
	"fmt"

	"candor/scoring"
)

const (
	supported = "SUPPORTED"
	refuted   = "REFUTED"
	abstain   = "ABSTAIN"
)

// parse reads one line; keys are what it says.
func parse(line []byte) (row scoring.Row, keys fields, err error) {
	if keys, err = object(line); err != nil {
		return scoring.Row{}, nil, err
	}
	row, err = grade(keys)
	return row, keys, err
}

// grade makes a row of what a line says.
func grade(keys fields) (scoring.Row, error) {
	row, err := describe(keys)
	if err != nil {
		return row, err
	}
	stated, err := statedOutcome(keys["outcome"])
	if err != nil {
		return row, err
	}
	label, err := label(keys, stated)
	if err != nil {
		return row, err
	}
	row.Label = label
	if stated == scoring.Errored || stated == scoring.Malformed {
		row.Outcome = stated
		return row, nil
	}
	if err := answer(&row, keys, label); err != nil {
		return row, err
	}
	missing := stated == scoring.Answered && row.Outcome == scoring.Malformed // an answer without its parts
	if stated != "" && stated != row.Outcome && !missing {
		return row, fmt.Errorf("outcome %q contradicts verdict %s and confidence %s",
			stated, shown(keys["verdict"]), shown(keys["confidence"]))
	}
	return row, nil
}

// describe reads what says which task a line is.
func describe(keys fields) (row scoring.Row, err error) {
	image := keys["image"]
	if image.kind() == '{' && !keys["image_source"].missing() {
		image = nil // in a trace, image describes the picture that was sent
	}
	var errs [4]error
	row.Image, errs[0] = name("image", image, "image_source", keys["image_source"])
	row.ID, errs[1] = name("id", keys["id"], "task_id", keys["task_id"])
	row.Split, errs[2] = name("split", keys["split"], "", nil)
	row.Repaired, errs[3] = flag("needed_repair", keys["needed_repair"])
	return row, errors.Join(errs[:]...)
}

// statedOutcome is the outcome a line states, "" if none.
func statedOutcome(v value) (scoring.Outcome, error) {
	if v.missing() {
		return "", nil
	}
	text, _ := v.text()
	switch o := scoring.Outcome(text); o {
	case scoring.Answered, scoring.Abstained, scoring.Malformed, scoring.Errored:
		return o, nil
	}
	return "", fmt.Errorf("outcome %s: must be answered, abstained, malformed or error", shown(v))
}

// label is SUPPORTED or REFUTED; only a task in error, which is not scored,
// may lack it.
func label(keys fields, outcome scoring.Outcome) (string, error) {
	v, instead := keys["label"], ""
	text, ok := v.text()
	if ok && (text == supported || text == refuted) || outcome == scoring.Errored && v.missing() {
		return text, nil
	}
	if v == nil {
		instead = seenInstead("label", keys.strange())
	}
	return "", fmt.Errorf("label %s: must be %q or %q%s", shown(v), supported, refuted, instead)
}

// answer reads verdict and confidence.
func answer(row *scoring.Row, keys fields, label string) error {
	verdict, _ := keys["verdict"].text()
	row.Outcome = scoring.Malformed
	switch {
	case verdict == abstain:
		row.Outcome = scoring.Abstained
		return nil
	case verdict != supported && verdict != refuted, keys["confidence"].missing():
		return nil
	}
	confidence, err := probability(keys["confidence"])
	if err != nil {
		return fmt.Errorf("confidence %w", err)
	}
	row.Outcome, row.Confidence = scoring.Answered, confidence
	row.Correct, row.Supported = verdict == label, verdict == supported
	row.Sources, err = sources(keys["confidences"])
	return err
}

// sources reads a trace's confidences; null is missing. A key of that name
// that is no object is someone else's.
func sources(v value) (map[string]float64, error) {
	if v.kind() != '{' {
		return nil, nil
	}
	members, err := object(json.RawMessage(v))
	if err != nil {
		return nil, fmt.Errorf("confidences: %w", err)
	}
	out := map[string]float64{}
	for _, source := range members.names() {
		if members[source].missing() {
			continue
		}
		if out[source], err = probability(members[source]); err != nil {
			return nil, fmt.Errorf("confidences: %s %w", source, err)
		}
	}
	return out, nil
}
