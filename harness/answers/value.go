package answers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"candor/harness/decimal"
)

// value is one JSON value as it stands in the line, nil if absent.
type value json.RawMessage

// fields are an object's members by their exact names.
type fields map[string]value

func (f fields) names() []string { return slices.Sorted(maps.Keys(f)) }

// object reads a JSON object. A key given twice is refused: which of the two
// counts would be a guess.
func object(text []byte) (fields, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(whole))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not a JSON object: one object a line is wanted")
	}
	out := fields{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		var member json.RawMessage
		if err := dec.Decode(&member); err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		name, _ := key.(string)
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("key %q is given twice", name)
		}
		out[name] = value(member)
	}
	return out, nil
}

// missing is true of an absent key and of null.
func (v value) missing() bool { return len(v) == 0 || v.kind() == 'n' }

// kind is the value's first byte, which tells its JSON type; 0 if absent.
func (v value) kind() byte {
	if len(v) == 0 {
		return 0
	}
	return v[0]
}

// text is the value of a JSON string.
func (v value) text() (string, bool) {
	if v.kind() != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(v, &s)
	return s, err == nil
}

func (v value) isNumber() bool { return v.kind() == '-' || v.kind() >= '0' && v.kind() <= '9' }

// probability is a JSON number in [0, 1]; −0 is 0.
func probability(v value) (float64, error) {
	if number, ok := decimal.Parse(string(v)); ok {
		if p := number.Float64(0); p >= 0 && p <= 1 {
			return p + 0, nil
		}
	}
	return 0, fmt.Errorf("%s: must be a number in [0, 1]", shown(v))
}

// name is the text of a key or, where that is missing or empty, of its alias.
// A number serves as its own name.
func name(key string, v value, alias string, other value) (string, error) {
	if text, _ := v.text(); v.missing() || v.kind() == '"' && text == "" {
		if alias == "" {
			return "", nil
		}
		return name(alias, other, "", nil)
	}
	if v.isNumber() {
		return string(v), nil
	}
	if text, ok := v.text(); ok {
		return text, nil
	}
	return "", fmt.Errorf("%s %s: must be text", key, shown(v))
}

// flag is true or false, or 1 or 0 as the published environment writes it.
func flag(key string, v value) (bool, error) {
	if v.missing() {
		return false, nil
	}
	switch string(v) {
	case "true", "1", "1.0":
		return true, nil
	case "false", "0", "0.0":
		return false, nil
	}
	return false, fmt.Errorf("%s %s: must be true or false", key, shown(v))
}

// shown is a value for a message, cut to a readable length.
func shown(v value) string {
	const most = 60
	switch {
	case len(v) == 0:
		return "(absent)"
	case len(v) > most:
		return string(bytes.ToValidUTF8(v[:most], nil)) + "…"
	}
	return string(v)
}
