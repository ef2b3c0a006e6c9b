package openenv

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// A member is one key of a JSON object, and its value as spelled.
type member struct {
	key   string
	value json.RawMessage
}

// members lists what an object holds, in order. Of equal keys the last value
// counts and stands where the first did, as in a Python dictionary.
func members(object json.RawMessage) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	opening, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	if opening != json.Delim('{') {
		return nil, errors.New("no JSON object")
	}
	var list []member
	places := map[string]int{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: key.(string)}
		if err := decoder.Decode(&m.value); err != nil {
			return nil, err
		}
		if at, known := places[m.key]; known {
			list[at].value = m.value
			continue
		}
		places[m.key] = len(list)
		list = append(list, m)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON object")
	}
	return list, nil
}

// lookup finds a key's value, nil where there is none.
func lookup(list []member, key string) json.RawMessage {
	for _, m := range list {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// elements lists what an array holds.
func elements(array json.RawMessage) ([]json.RawMessage, error) {
	var list []json.RawMessage
	err := json.Unmarshal(array, &list)
	return list, err
}

// join writes members as a JSON object.
func join(list []member) json.RawMessage {
	text := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, encode(m.key)...), ':'), m.value...)
	}
	return append(text, '}')
}

// object writes keys and values, which alternate.
func object(pairs ...any) json.RawMessage {
	list := make([]member, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, member{pairs[i].(string), encode(pairs[i+1])})
	}
	return join(list)
}

// encode is Marshal of what can always be encoded; anything else is null.
func encode(value any) json.RawMessage {
	if raw, ok := value.(json.RawMessage); ok {
		return raw
	}
	text, err := Marshal(value)
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// compact drops blanks between tokens and makes the text valid UTF-8. It is
// an error if raw is no JSON.
func compact(raw json.RawMessage) (json.RawMessage, error) {
	var text bytes.Buffer
	text.Grow(len(raw))
	if err := json.Compact(&text, raw); err != nil {
		return nil, err
	}
	return bytes.ToValidUTF8(text.Bytes(), []byte("\uFFFD")), nil
}

// The kinds of JSON values, by their first letter.
const (
	kindObject = '{'
	kindArray  = '['
	kindString = '"'
	kindTrue   = 't'
	kindFalse  = 'f'
	kindNull   = 'n'
	kindNumber = '0'
)

// kindOf tells what a JSON value is.
func kindOf(raw json.RawMessage) byte {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return kindNull
	}
	switch raw[0] {
	case kindObject, kindArray, kindString, kindTrue, kindFalse, kindNull:
		return raw[0]
	}
	return kindNumber
}

// text is a JSON string's value.
func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // the caller knows that it is a string
	return s
}
