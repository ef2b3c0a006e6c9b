package faultserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// fromSchema writes a value that a JSON schema allows: constants and
// enumerations as they stand, numbers between their bounds, objects with their
// properties in order.
func fromSchema(schema json.RawMessage, draw string) string {
	var s struct {
		Const            json.RawMessage
		Enum             []json.RawMessage
		Type             any
		Properties       json.RawMessage
		Minimum, Maximum *float64
	}
	if json.Unmarshal(schema, &s) != nil {
		return "{}" // "json": any object
	}
	switch {
	case s.Const != nil:
		return string(s.Const)
	case len(s.Enum) > 0:
		return string(s.Enum[number(draw, "enum")%uint64(len(s.Enum))])
	case s.Properties != nil:
		return object(s.Properties, draw)
	}
	low, high := bound(s.Minimum, 0), bound(s.Maximum, 1)
	switch s.Type {
	case "number":
		return fmt.Sprintf("%.3f", low+(high-low)*unit(draw, "number"))
	case "integer":
		return fmt.Sprintf("%.0f", math.Floor(low+(high-low)*unit(draw, "integer")))
	case "boolean":
		return fmt.Sprint(number(draw, "boolean")%2 == 0)
	case "string":
		return fmt.Sprintf("%q", digestOf(draw)[:8])
	case "array":
		return "[]"
	}
	return "{}"
}

func bound(p *float64, otherwise float64) float64 {
	if p == nil {
		return otherwise
	}
	return *p
}

func object(properties json.RawMessage, draw string) string {
	dec := json.NewDecoder(bytes.NewReader(properties))
	if _, err := dec.Token(); err != nil {
		return "{}"
	}
	var fields []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return "{}"
		}
		var sub json.RawMessage
		if err := dec.Decode(&sub); err != nil {
			return "{}"
		}
		fields = append(fields, fmt.Sprintf("%q:%s", key, fromSchema(sub, fmt.Sprint(draw, key))))
	}
	return "{" + strings.Join(fields, ",") + "}"
}
