package openenv

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"
)

// check reports what is wrong with a value, and returns it with what could be
// converted converted.
func (s *schema) check(p *problems, value json.RawMessage, place []any) json.RawMessage {
	for _, part := range s.allOf {
		value = part.check(p, value, place)
	}
	if s.anyOf != nil {
		value = s.checkUnion(p, value, place)
	}
	if s.enum != nil {
		return s.checkLiteral(p, value, place)
	}
	switch s.kind {
	case "object":
		return s.checkObject(p, value, place)
	case "array":
		return s.checkArray(p, value, place)
	case "string":
		return s.checkString(p, value, place)
	case "integer":
		return s.checkBounds(p, checkInteger(p, value, place), place)
	case "number":
		return s.checkBounds(p, checkNumber(p, value, place), place)
	case "boolean":
		return checkBoolean(p, value, place)
	case "null":
		if kindOf(value) != kindNull {
			p.add(place, value, "none_required", "Input should be None")
		}
	case "":
		if s.properties != nil && kindOf(value) == kindObject {
			return s.checkObject(p, value, place)
		}
	}
	return value
}

// checkUnion takes the first of several schemas that fits without conversion,
// else the first that fits with one, else it tells what each of them misses.
func (s *schema) checkUnion(p *problems, value json.RawMessage, place []any) json.RawMessage {
	several := 0
	for _, one := range s.anyOf {
		if one.kind != "null" {
			several++
		}
	}
	var converted json.RawMessage
	var missed problems
	for _, one := range s.anyOf {
		var trial problems
		at := place
		if several > 1 { // an optional value's place names no branch
			at = append(place, one.branch())
		}
		result := one.check(&trial, value, at)
		switch {
		case len(trial.list) == 0 && string(result) == string(value):
			return value
		case len(trial.list) == 0 && converted == nil:
			converted = result
		case one.kind != "null":
			missed.list = append(missed.list, trial.list...)
		}
	}
	if converted != nil {
		return converted
	}
	room := maxProblems - len(p.list)
	p.list = append(p.list, missed.list[:min(room, len(missed.list))]...)
	return value
}

// branch is pydantic's name for a schema in a union.
func (s *schema) branch() string {
	names := map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict"}
	if s.kind == "object" && s.title != "" {
		return s.title
	}
	if name := names[s.kind]; name != "" {
		return name
	}
	if len(s.allOf) == 1 {
		return s.allOf[0].branch()
	}
	return "any"
}

func (s *schema) checkLiteral(p *problems, value json.RawMessage, place []any) json.RawMessage {
	for _, allowed := range s.enum {
		if sameJSON(allowed, value) {
			return value
		}
	}
	names := make([]string, len(s.enum))
	for i, allowed := range s.enum {
		names[i] = pythonRepr(allowed, math.MaxInt)
	}
	expected := names[len(names)-1]
	if len(names) > 1 {
		expected = strings.Join(names[:len(names)-1], ", ") + " or " + expected
	}
	p.add(place, value, "literal_error", "Input should be "+expected, "expected", expected)
	return value
}

func sameJSON(a, b json.RawMessage) bool {
	if kindOf(a) != kindOf(b) { // what clients send may be long
		return false
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func (s *schema) checkObject(p *problems, value json.RawMessage, place []any) json.RawMessage {
	list, err := members(value)
	if kindOf(value) != kindObject || err != nil {
		if len(place) > 0 && s.title != "" && s.properties != nil {
			p.add(place, value, "model_type", "Input should be a valid dictionary or instance of "+s.title, "class_name", s.title)
		} else {
			p.add(place, value, "dict_type", "Input should be a valid dictionary")
		}
		return value
	}
	at := make(map[string]int, len(list))
	for i, m := range list {
		at[m.key] = i
	}
	declared, changed := map[string]bool{}, false
	check := func(s *schema, i int) {
		before := list[i].value
		list[i].value = s.check(p, before, append(place, list[i].key))
		changed = changed || string(before) != string(list[i].value)
	}
	for _, property := range s.properties {
		declared[property.name] = true
		if i, given := at[property.name]; given {
			check(property.schema, i)
		} else if s.required[property.name] {
			p.add(append(place, property.name), value, "missing", "Field required")
		}
	}
	for i, m := range list {
		switch {
		case declared[m.key]:
		case s.closed:
			p.add(append(place, m.key), m.value, "extra_forbidden", "Extra inputs are not permitted")
		case s.others != nil:
			check(s.others, i)
		}
	}
	if !changed {
		return value
	}
	return join(list)
}

func (s *schema) checkArray(p *problems, value json.RawMessage, place []any) json.RawMessage {
	list, err := elements(value)
	if kindOf(value) != kindArray || err != nil {
		p.add(place, value, "list_type", "Input should be a valid list")
		return value
	}
	changed := false
	if s.items != nil {
		for i, element := range list {
			list[i] = s.items.check(p, element, append(place, i))
			changed = changed || string(element) != string(list[i])
		}
	}
	for _, limit := range s.lengths {
		switch {
		case limit.atLeast && len(list) < limit.value:
			p.add(place, value, "too_short", fmt.Sprintf("List should have at least %s after validation, not %d", count(limit.value, "item"), len(list)),
				"field_type", "List", "min_length", limit.value, "actual_length", len(list))
		case !limit.atLeast && len(list) > limit.value:
			p.add(place, value, "too_long", fmt.Sprintf("List should have at most %s after validation, not %d", count(limit.value, "item"), len(list)),
				"field_type", "List", "max_length", limit.value, "actual_length", len(list))
		}
	}
	if !changed {
		return value
	}
	return encode(list)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (s *schema) checkString(p *problems, value json.RawMessage, place []any) json.RawMessage {
	if kindOf(value) != kindString {
		p.add(place, value, "string_type", "Input should be a valid string")
		return value
	}
	for _, limit := range s.lengths {
		size := utf8.RuneCountInString(text(value))
		switch {
		case limit.atLeast && size < limit.value:
			p.add(place, value, "string_too_short", "String should have at least "+count(limit.value, "character"), "min_length", limit.value)
		case !limit.atLeast && size > limit.value:
			p.add(place, value, "string_too_long", "String should have at most "+count(limit.value, "character"), "max_length", limit.value)
		}
	}
	return value
}

// checkBounds compares a number with its limits. Nil is a value that is no
// number, which has been told already.
func (s *schema) checkBounds(p *problems, checked checkedNumber, place []any) json.RawMessage {
	if !checked.ok {
		return checked.text
	}
	for _, b := range s.bounds {
		if !b.within(checked.value, b.value) {
			limit := strings.TrimSuffix(string(b.text), ".0")
			p.add(place, checked.input, b.kind, "Input should be "+b.message+" "+limit, b.key, b.text)
		}
	}
	return checked.text
}

// A checkedNumber is a number as received, converted, and as a float.
type checkedNumber struct {
	input, text json.RawMessage
	value       float64
	ok          bool
}

func finite(value float64) bool { return !math.IsInf(value, 0) && !math.IsNaN(value) }
