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
// object, gives one of these keys twice, or has neither text nor thinking, ends
// it with an error that tells the line as name:number; so does an error of emit.
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
	object, err := readMembers(line)
	if err != nil {
		return Reply{}, err
	}
	var r Reply
	given := false
	for _, field := range []struct {
		key string
		to  *string
	}{{"text", &r.Text}, {"thinking", &r.Thinking}, {"done_reason", &r.DoneReason}} {
		values := object[field.key]
		if len(values) > 1 {
			return Reply{}, fmt.Errorf("key %q is given %d times: keep one", field.key, len(values))
		}
		if len(values) == 0 || string(values[0]) == "null" {
			continue
		}
		if err := json.Unmarshal(values[0], field.to); err != nil {
			return Reply{}, fmt.Errorf("key %q: must be a string: %w", field.key, err)
		}
		given = given || field.key != "done_reason"
	}
	if !given {
		return Reply{}, errors.New(`neither "text" nor "thinking": each line needs the raw reply under "text"`)
	}
	return r, nil
}

// readMembers reads an object with all the values of a key that is given
// several times, of which encoding/json would keep the last in silence.
func readMembers(line []byte) (map[string][]json.RawMessage, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(line, &whole); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	members := make(map[string][]json.RawMessage, len(whole))
	dec := json.NewDecoder(bytes.NewReader(line))
	_, err := dec.Token()
	for err == nil && dec.More() {
		var key json.Token
		var value json.RawMessage
		if key, err = dec.Token(); err == nil {
			err = dec.Decode(&value)
		}
		name, _ := key.(string)
		members[name] = append(members[name], value)
	}
	return members, err
}
