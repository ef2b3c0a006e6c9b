package openenv

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// A wireMessage is one that a server sent: its type, and its data as it was spelled.
type wireMessage struct {
	kind string
	data json.RawMessage // nil where there is none
}

// decodeMessage reads one message. Keys that it does not know are passed over.
func decodeMessage(text []byte) (wireMessage, error) {
	var m wireMessage
	typed := false
	err := eachMember(text, func(key string, value json.RawMessage) error {
		switch key {
		case "type":
			typed = true
			if json.Unmarshal(value, &m.kind) != nil {
				return violation("a message of type %s", shown(string(value)))
			}
		case "data":
			m.data = value
		}
		return nil
	})
	if err != nil {
		return wireMessage{}, err
	}
	if !typed {
		return wireMessage{}, violation("a message without a type")
	}
	return m, nil
}

// decodeResult reads the data of an observation, in which everything may be
// missing: the observation is then empty, the reward null, and the episode goes
// on.
func decodeResult(data json.RawMessage) (Result, error) {
	result := Result{Observation: json.RawMessage("{}")}
	err := eachMember(data, func(key string, value json.RawMessage) error {
		null := string(value) == "null"
		switch key {
		case "observation":
			if value[0] != '{' {
				return violation("an observation that is no object: %s", shown(string(value)))
			}
			result.Observation = value
		case "reward":
			if !null && !scalar(value) {
				return violation("a reward that is no number: %s", shown(string(value)))
			}
			result.Reward = value
		case "done":
			if !null && json.Unmarshal(value, &result.Done) != nil {
				return violation("done is neither true nor false: %s", shown(string(value)))
			}
		case "metadata":
			if value[0] == '{' {
				result.Metadata = value
			}
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	return result, nil
}

// scalar tells whether JSON is a number, true or false.
func scalar(value json.RawMessage) bool {
	return value[0] != '"' && value[0] != '{' && value[0] != '['
}

// decodeTold reads the data of an error, as much of it as there is.
func decodeTold(data json.RawMessage) (*Error, error) {
	e := &Error{Data: data}
	text := func(value json.RawMessage) (said string) {
		if json.Unmarshal(value, &said) != nil {
			return string(value)
		}
		return said
	}
	err := eachMember(data, func(key string, value json.RawMessage) error {
		switch key {
		case "message":
			e.Message = text(value)
		case "code":
			e.Code = text(value)
		}
		return nil
	})
	return e, err
}

// eachMember goes through a JSON object in its order, with the values as they
// were spelled. A key that comes twice is gone through twice.
//
// It is not json.Unmarshal into a struct because that takes "Reward" for
// "reward".
func eachMember(object []byte, each func(key string, value json.RawMessage) error) error {
	if !utf8.Valid(object) {
		return violation("text that is no UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	first, err := decoder.Token()
	if err != nil {
		return notJSON(err)
	}
	if first != json.Delim('{') {
		return violation("no JSON object: %s", shown(string(object)))
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return notJSON(err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return notJSON(err)
		}
		if err := each(key.(string), value); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return notJSON(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return violation("something after the JSON object")
	}
	return nil
}

func notJSON(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return violation("text that is no JSON: %w", err)
}
