package verify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"candor/scoring"
)

// Result is an [Answer] as it is written: verdict and confidence are null where
// there is none.
type Result struct {
	Verdict      *Verdict        `json:"verdict"`
	Confidence   *float64        `json:"confidence"`
	Outcome      scoring.Outcome `json:"outcome"`
	NeededRepair int             `json:"needed_repair"` // 0 or 1
	Reason       string          `json:"reason"`
}

// Result gives the answer in that form.
func (a Answer) Result() Result {
	r := Result{Confidence: a.Confidence, Outcome: a.Outcome, Reason: a.Reason}
	if a.Verdict != "" {
		r.Verdict = &a.Verdict
	}
	if a.NeededRepair {
		r.NeededRepair = 1
	}
	return r
}

// ParseStream parses the replies in r, JSON Lines of objects with the keys text,
// thinking and done_reason, and hands the results to emit in their order. Lines
// may be of any length, and blank ones are passed over. A line that is no such
// object, or has neither text nor thinking, ends it with an error that tells the
// line as name:number; so does an error of emit.
func ParseStream(r io.Reader, name string, emit func(Result) error) error {
	lines := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, readErr := lines.ReadBytes('\n')
		if readErr != nil && readErr != io.EOF {
			return fmt.Errorf("%s:%d: %w", name, number, readErr)
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			reply, err := readReply(line)
			if err == nil {
				err = emit(Parse(reply).Result())
			}
			if err != nil {
				return fmt.Errorf("%s:%d: %w", name, number, err)
			}
		}
		if readErr == io.EOF {
			return nil
		}
	}
}

// readReply reads one line. Keys are exact, where encoding/json's struct
// decoding would also take "Text".
func readReply(line []byte) (Reply, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return Reply{}, fmt.Errorf("not a JSON object: %w", err)
	}
	var r Reply
	given := false
	for _, field := range []struct {
		key string
		to  *string
	}{{"text", &r.Text}, {"thinking", &r.Thinking}, {"done_reason", &r.DoneReason}} {
		raw, ok := object[field.key]
		if !ok || string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, field.to); err != nil {
			return Reply{}, fmt.Errorf("key %q: must be a string: %w", field.key, err)
		}
		given = given || field.key != "done_reason"
	}
	if !given {
		return Reply{}, errors.New(`neither "text" nor "thinking": each line needs the raw reply under "text"`)
	}
	return r, nil
}
