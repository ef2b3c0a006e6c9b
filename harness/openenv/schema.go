package openenv

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A schema is the part of a JSON Schema that pydantic's models make use of,
// laid out for checking. Unlike a validator it also converts: "3" is 3 where
// an integer is wanted, as clients of Python servers may rely on.
type schema struct {
	kind       string // a JSON Schema type, empty for any
	title      string
	properties []property
	required   map[string]bool
	closed     bool    // no other properties
	others     *schema // what other properties must be, nil for anything
	items      *schema
	enum       []json.RawMessage
	anyOf      []*schema
	allOf      []*schema
	bounds     []bound
	lengths    []length
}

type property struct {
	name   string
	schema *schema
}

// A bound is a limit of a number.
type bound struct {
	kind, message, key string
	text               json.RawMessage
	value              float64
	within             func(value, limit float64) bool
}

// A length is a limit of a string's or a list's.
type length struct {
	value   int
	atLeast bool
}

// newSchema lays out a JSON Schema.
func newSchema(source json.RawMessage) (*schema, error) {
	l := &layout{root: source, seen: map[string]*schema{}}
	return l.of(source, 0)
}

// layout resolves references within one JSON Schema.
type layout struct {
	root json.RawMessage
	seen map[string]*schema
}

func (l *layout) of(source json.RawMessage, depth int) (*schema, error) {
	s := &schema{}
	return s, l.fill(s, source, depth)
}

func (l *layout) fill(s *schema, source json.RawMessage, depth int) error {
	if depth > 100 {
		return fmt.Errorf("schemas nested more than 100 deep")
	}
	switch kindOf(source) {
	case kindTrue:
		return nil
	case kindObject:
	default:
		return fmt.Errorf("%.40s is no JSON Schema", source)
	}
	keys, err := members(source)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := l.keyword(s, key.key, key.value, depth+1); err != nil {
			return fmt.Errorf("%s: %w", key.key, err)
		}
	}
	return nil
}

func (l *layout) keyword(s *schema, key string, value json.RawMessage, depth int) (err error) {
	switch key {
	case "type":
		if kindOf(value) != kindArray {
			s.kind = text(value)
			return nil
		}
		var kinds []string
		if err := json.Unmarshal(value, &kinds); err != nil {
			return err
		}
		for _, kind := range kinds {
			s.anyOf = append(s.anyOf, &schema{kind: kind})
		}
	case "title":
		s.title = text(value)
	case "properties":
		return l.properties(s, value, depth)
	case "required":
		var names []string
		err = json.Unmarshal(value, &names)
		s.required = map[string]bool{}
		for _, name := range names {
			s.required[name] = true
		}
	case "additionalProperties":
		if s.closed = kindOf(value) == kindFalse; !s.closed {
			s.others, err = l.of(value, depth)
		}
	case "items":
		if kindOf(value) != kindFalse {
			s.items, err = l.of(value, depth)
		}
	case "enum":
		s.enum, err = elements(value)
	case "const":
		s.enum = []json.RawMessage{value}
	case "anyOf", "oneOf":
		s.anyOf, err = l.list(value, depth)
	case "allOf":
		s.allOf, err = l.list(value, depth)
	case "$ref":
		var target *schema
		target, err = l.reference(text(value), depth)
		s.allOf = append(s.allOf, target)
	case "minLength", "minItems", "maxLength", "maxItems":
		var n int
		err = json.Unmarshal(value, &n)
		s.lengths = append(s.lengths, length{n, strings.HasPrefix(key, "min")})
	default:
		if b, known := boundOf(key); known {
			b.text = value
			err = json.Unmarshal(value, &b.value)
			s.bounds = append(s.bounds, b)
		}
	}
	return err
}

func boundOf(key string) (bound, bool) {
	switch key {
	case "minimum":
		return bound{kind: "greater_than_equal", message: "greater than or equal to", key: "ge", within: func(v, l float64) bool { return v >= l }}, true
	case "maximum":
		return bound{kind: "less_than_equal", message: "less than or equal to", key: "le", within: func(v, l float64) bool { return v <= l }}, true
	case "exclusiveMinimum":
		return bound{kind: "greater_than", message: "greater than", key: "gt", within: func(v, l float64) bool { return v > l }}, true
	case "exclusiveMaximum":
		return bound{kind: "less_than", message: "less than", key: "lt", within: func(v, l float64) bool { return v < l }}, true
	}
	return bound{}, false
}

func (l *layout) properties(s *schema, value json.RawMessage, depth int) error {
	list, err := members(value)
	if err != nil {
		return err
	}
	for _, m := range list {
		inner, err := l.of(m.value, depth)
		if err != nil {
			return fmt.Errorf("%s: %w", m.key, err)
		}
		s.properties = append(s.properties, property{m.key, inner})
	}
	return nil
}

func (l *layout) list(value json.RawMessage, depth int) ([]*schema, error) {
	sources, err := elements(value)
	if err != nil {
		return nil, err
	}
	list := make([]*schema, len(sources))
	for i, source := range sources {
		if list[i], err = l.of(source, depth); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// reference finds what a reference within the schema means. A schema may hold
// itself.
func (l *layout) reference(name string, depth int) (*schema, error) {
	if known := l.seen[name]; known != nil {
		return known, nil
	}
	path, within := strings.CutPrefix(name, "#")
	if !within {
		return nil, fmt.Errorf("%q leads out of the schema", name)
	}
	source := l.root
	for _, step := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if step == "" {
			continue
		}
		list, err := members(source)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		if source = lookup(list, strings.NewReplacer("~1", "/", "~0", "~").Replace(step)); source == nil {
			return nil, fmt.Errorf("there is no %q", name)
		}
	}
	s := &schema{}
	l.seen[name] = s
	return s, l.fill(s, source, depth)
}
