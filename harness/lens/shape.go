package lens

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"

	"candor/harness/lens/pyjson"
)

// shape is what actions look like: the fields that the agent fills in, or, if
// it fills in none that the environment knows, those of the schema. Policies
// that know nothing of the environment are made by it.
type shape struct{ fields []field }

type field struct {
	name string
	kind pyjson.Kind
	item pyjson.Kind    // of an array's items
	enum []pyjson.Value // what is allowed, if that is told
	seen []pyjson.Value // what the agent has put there, without repetition
	low  *float64       // bounds of a number, where told
	high *float64
}

// shapeOf reads the shape off the actions that were sent and the schema.
func shapeOf(schema json.RawMessage, sent []json.RawMessage) shape {
	properties, required := propertiesOf(schema)
	s := shape{}
	for _, action := range sent {
		v, err := pyjson.Parse(string(action))
		if err != nil {
			continue
		}
		for i, key := range v.Keys {
			_, known := properties.Get(key.Text())
			if known || len(properties.Keys) == 0 {
				s.field(key.Text()).take(v.Items[i])
			}
		}
	}
	if len(s.fields) == 0 {
		for _, key := range properties.Keys {
			if name := key.Text(); name != "metadata" && (len(required) == 0 || slices.Contains(required, name)) {
				s.field(name)
			}
		}
	}
	for i := range s.fields {
		if p, ok := properties.Get(s.fields[i].name); ok {
			s.fields[i].told(p)
		}
	}
	return s
}

func propertiesOf(schema json.RawMessage) (properties pyjson.Value, required []string) {
	v, err := pyjson.Parse(string(schema))
	if err != nil {
		return pyjson.Value{}, nil
	}
	properties, _ = v.Get("properties")
	list, _ := v.Get("required")
	for _, name := range list.Items {
		required = append(required, name.Text())
	}
	return properties, required
}

func (s *shape) field(name string) *field {
	for i := range s.fields {
		if s.fields[i].name == name {
			return &s.fields[i]
		}
	}
	s.fields = append(s.fields, field{name: name})
	return &s.fields[len(s.fields)-1]
}

// take notes a value of the agent's. Its kind is that of the first one.
func (f *field) take(v pyjson.Value) {
	if len(f.seen) == 0 {
		f.kind = v.Kind
	}
	if v.Kind == pyjson.Array && len(v.Items) > 0 && f.item == pyjson.Null {
		f.item = v.Items[0].Kind
	}
	if !slices.ContainsFunc(f.seen, func(w pyjson.Value) bool { return w.Canonical() == v.Canonical() }) {
		f.seen = append(f.seen, v)
	}
}

var kinds = map[string]pyjson.Kind{"integer": pyjson.Int, "number": pyjson.Float, "string": pyjson.String, "boolean": pyjson.True, "array": pyjson.Array, "object": pyjson.Object}

// told notes what the schema says.
func (f *field) told(schema pyjson.Value) {
	if any, ok := schema.Get("anyOf"); ok && len(any.Items) > 0 {
		schema = any.Items[0]
	}
	if kind, ok := schema.Get("type"); ok && kinds[kind.Text()] != pyjson.Null {
		f.kind = kinds[kind.Text()]
	}
	if enum, ok := schema.Get("enum"); ok {
		f.enum = enum.Items
	}
	if items, ok := schema.Get("items"); ok {
		if kind, ok := items.Get("type"); ok {
			f.item = kinds[kind.Text()]
		}
	}
	for name, bound := range map[string]**float64{"minimum": &f.low, "maximum": &f.high} {
		if v, ok := schema.Get(name); ok {
			if n, ok := v.Float64(); ok {
				*bound = &n
			}
		}
	}
}

// fill makes an action of a value for each field.
func (s shape) fill(value func(field) pyjson.Value) string {
	v := pyjson.Value{Kind: pyjson.Object}
	for _, f := range s.fields {
		v.Keys = append(v.Keys, pyjson.Value{Kind: pyjson.String, Runes: []rune(f.name)})
		v.Items = append(v.Items, value(f))
	}
	return v.Compact()
}

// zero is the least that a field can hold.
func (f field) zero() pyjson.Value {
	switch f.kind {
	case pyjson.Int:
		return integer(0)
	case pyjson.True:
		return pyjson.Value{Kind: pyjson.False}
	}
	return pyjson.Value{Kind: f.kind}
}

// random is any value of the field, as far as one can know without knowing the
// environment: of those allowed, of those the agent uses, or as large as the
// numbers in sight.
func (f field) random(r *rand.Rand, observation pyjson.Value) pyjson.Value {
	switch {
	case len(f.enum) > 0:
		return f.enum[r.IntN(len(f.enum))]
	case f.kind == pyjson.True || f.kind == pyjson.False:
		return pyjson.Value{Kind: []pyjson.Kind{pyjson.False, pyjson.True}[r.IntN(2)]}
	case f.kind == pyjson.Int || f.kind == pyjson.Float:
		return f.number(r, f.kind, observation)
	case f.kind == pyjson.Array && (f.item == pyjson.Int || f.item == pyjson.Float):
		v := pyjson.Value{Kind: pyjson.Array}
		for range f.length(r, observation) {
			v.Items = append(v.Items, f.number(r, f.item, observation))
		}
		return v
	case len(f.seen) > 0:
		return f.seen[r.IntN(len(f.seen))]
	}
	return f.zero()
}

// length is that of one of the agent's arrays, or of the longest in sight.
func (f field) length(r *rand.Rand, observation pyjson.Value) int {
	if len(f.seen) > 0 {
		return len(f.seen[r.IntN(len(f.seen))].Items)
	}
	shown, _ := listIn(observation, f.item)
	return len(shown.Items)
}

func (f field) number(r *rand.Rand, kind pyjson.Kind, observation pyjson.Value) pyjson.Value {
	low, high := span(append(slices.Clone(f.seen), observation))
	if f.low != nil {
		low, high = *f.low, max(high, *f.low)
	}
	if f.high != nil {
		high, low = *f.high, min(low, *f.high)
	}
	if kind == pyjson.Int {
		return integer(int64(low) + r.Int64N(max(1, int64(min(high-low, 1e15))+1)))
	}
	return pyjson.Value{Kind: pyjson.Float, Number: low + r.Float64()*(high-low)}
}

func integer(n int64) pyjson.Value {
	return pyjson.Value{Kind: pyjson.Int, Digits: strconv.FormatInt(n, 10)}
}

// span is from the least to the greatest number anywhere in values.
func span(values []pyjson.Value) (low, high float64) {
	first := true
	var look func(v pyjson.Value)
	look = func(v pyjson.Value) {
		if v.Kind == pyjson.Int || v.Kind == pyjson.Float {
			if n, ok := v.Float64(); ok && (n-n == 0) && max(n, -n) <= 1e15 {
				if first {
					low, high, first = n, n, false
				}
				low, high = min(low, n), max(high, n)
			}
		}
		for _, item := range v.Items {
			look(item)
		}
	}
	for _, v := range values {
		look(v)
	}
	return low, high
}

// listIn is the longest array of such items in sight.
func listIn(v pyjson.Value, item pyjson.Kind) (longest pyjson.Value, found bool) {
	if v.Kind == pyjson.Array && len(v.Items) > 0 && v.Items[0].Kind == item {
		longest, found = v, true
	}
	for _, inner := range v.Items {
		if l, ok := listIn(inner, item); ok && len(l.Items) > len(longest.Items) {
			longest, found = l, true
		}
	}
	return longest, found
}
