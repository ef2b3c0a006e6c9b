package lens

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"candor/harness/lens/pyjson"
)

// draws makes actions by their schema alone, so that chance is the same for all
// agents. Only where free text is asked for is there nothing to draw from but
// what the agent said there.
type draws struct {
	schema pyjson.Value
	words  shape // the agent's
}

// Where the schema leaves them open, numbers lie between these and those in
// sight, and lists for which no length is in sight have up to maxDrawn items.
const (
	leastDrawn = 0
	mostDrawn  = 10
	maxDrawn   = 4
	maxNested  = 6
	maxLooked  = 1000 // schemas, and values of one action: a schema may be anybody's
)

func drawsOf(schema json.RawMessage, words shape) draws {
	v, err := pyjson.Parse(string(schema))
	if err != nil {
		v = pyjson.Value{}
	}
	return draws{v, words}
}

// able tells whether whole actions can be drawn: there is something to draw, and
// no text is required.
func (d draws) able() bool {
	properties, _ := d.schema.Get("properties")
	some := false
	for i, key := range properties.Keys {
		some = some || key.Text() != "metadata" && d.drawable(properties.Items[i], 0)
	}
	return some && d.drawable(d.schema, 0)
}

// drawable tells whether values of a schema can be drawn.
func (d draws) drawable(schema pyjson.Value, depth int) bool {
	left := maxLooked
	return d.look(schema, depth, &left)
}

func (d draws) look(schema pyjson.Value, depth int, left *int) bool {
	schema = d.resolved(schema)
	if *left--; depth > maxNested || *left < 0 {
		return false
	}
	if some := options(schema); len(some) > 0 {
		return slices.ContainsFunc(some, func(o pyjson.Value) bool { return d.look(o, depth+1, left) })
	}
	if len(allowed(schema)) > 0 {
		return true
	}
	switch typeOf(schema) {
	case "boolean", "integer", "number":
		return true
	case "array":
		items, ok := schema.Get("items")
		return ok && d.look(items, depth+1, left)
	case "object":
		properties, required := members(schema)
		for _, name := range required {
			if p, ok := properties.Get(name); !ok || !d.look(p, depth+1, left) {
				return false
			}
		}
		return len(properties.Keys) > 0
	}
	return false
}

// action draws one. Keys that are not required are there at times, and one at
// least is.
func (d draws) action(r *rand.Rand, observation pyjson.Value) string {
	properties, required := members(d.schema)
	one := &drawing{d, r, observation, maxLooked}
	var can []int // optional keys for which there is something to say
	out, keep := pyjson.Value{Kind: pyjson.Object}, map[int]bool{}
	for i, key := range properties.Keys {
		name := key.Text()
		switch {
		case slices.Contains(required, name):
			keep[i] = true
		case name != "metadata" && (d.drawable(properties.Items[i], 0) || len(d.said(name)) > 0):
			can = append(can, i)
		}
	}
	if len(can) > 0 && len(keep) == 0 {
		keep[can[r.IntN(len(can))]] = true
	}
	for _, i := range can {
		keep[i] = keep[i] || r.IntN(2) == 1
	}
	for i, key := range properties.Keys {
		if !keep[i] {
			continue
		}
		value := pyjson.Value{}
		if said := d.said(key.Text()); !d.drawable(properties.Items[i], 0) && len(said) > 0 {
			value = said[r.IntN(len(said))]
		} else {
			value = one.value(properties.Items[i], 0)
		}
		out.Keys, out.Items = append(out.Keys, key), append(out.Items, value)
	}
	return out.Compact()
}

// said is what the agent put into a key.
func (d draws) said(name string) []pyjson.Value {
	for _, f := range d.words.fields {
		if f.name == name {
			return f.seen
		}
	}
	return nil
}

// drawing is one action in the making.
type drawing struct {
	draws
	r           *rand.Rand
	observation pyjson.Value
	left        int // values that it may still have
}

func (d *drawing) value(schema pyjson.Value, depth int) pyjson.Value {
	r := d.r
	d.left--
	schema = d.resolved(schema)
	var can []pyjson.Value
	for _, o := range options(schema) {
		if d.drawable(o, depth+1) {
			can = append(can, o)
		}
	}
	if len(can) > 0 {
		return d.value(can[r.IntN(len(can))], depth+1)
	}
	if all := allowed(schema); len(all) > 0 {
		return all[r.IntN(len(all))]
	}
	switch kind := typeOf(schema); kind {
	case "boolean":
		return pyjson.Value{Kind: []pyjson.Kind{pyjson.False, pyjson.True}[r.IntN(2)]}
	case "integer", "number":
		return drawn(r, schema, d.observation)
	case "array":
		items, _ := schema.Get("items")
		v := pyjson.Value{Kind: pyjson.Array}
		for range lengthOf(r, schema, d.resolved(items), d.observation) {
			if d.left > 0 && depth <= maxNested {
				v.Items = append(v.Items, d.value(items, depth+1))
			}
		}
		return v
	case "object":
		v := pyjson.Value{Kind: pyjson.Object}
		properties, required := members(schema)
		for i, key := range properties.Keys {
			if must := slices.Contains(required, key.Text()); depth <= maxNested && d.left > 0 && (must || d.drawable(properties.Items[i], depth+1) && r.IntN(2) == 1) {
				v.Keys, v.Items = append(v.Keys, key), append(v.Items, d.value(properties.Items[i], depth+1))
			}
		}
		return v
	}
	return pyjson.Value{Kind: pyjson.String}
}

// resolved follows references within the schema.
func (d draws) resolved(schema pyjson.Value) pyjson.Value {
	for range maxNested {
		ref, ok := schema.Get("$ref")
		if !ok {
			break
		}
		at := d.schema
		for _, part := range strings.Split(strings.TrimPrefix(ref.Text(), "#/"), "/") {
			at, _ = at.Get(part)
		}
		schema = at
	}
	return schema
}

// options are the schemas of which one holds, without that of null.
func options(schema pyjson.Value) (out []pyjson.Value) {
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := schema.Get(key)
		for _, o := range list.Items {
			if typeOf(o) != "null" {
				out = append(out, o)
			}
		}
	}
	return out
}

// allowed are the values that the schema lists.
func allowed(schema pyjson.Value) []pyjson.Value {
	if only, ok := schema.Get("const"); ok {
		return []pyjson.Value{only}
	}
	list, _ := schema.Get("enum")
	return list.Items
}

func typeOf(schema pyjson.Value) string {
	kind, _ := schema.Get("type")
	for _, one := range kind.Items { // a list of types
		if one.Text() != "null" {
			return one.Text()
		}
	}
	if _, ok := schema.Get("properties"); ok && kind.Text() == "" {
		return "object"
	}
	return kind.Text()
}

func members(schema pyjson.Value) (properties pyjson.Value, required []string) {
	properties, _ = schema.Get("properties")
	list, _ := schema.Get("required")
	for _, name := range list.Items {
		required = append(required, name.Text())
	}
	return properties, required
}

// bound is a number of the schema.
func bound(schema pyjson.Value, key string) (float64, bool) {
	v, ok := schema.Get(key)
	n, isNumber := v.Float64()
	return n, ok && isNumber && n-n == 0
}

// lengthOf is the longest in sight of lists of such items, where the schema
// leaves it open.
func lengthOf(r *rand.Rand, schema, items, observation pyjson.Value) int {
	least, atLeast := bound(schema, "minItems")
	most, atMost := bound(schema, "maxItems")
	if shown, ok := listIn(observation, kinds[typeOf(items)]); ok && !atLeast && !atMost {
		return min(len(shown.Items), 1000)
	}
	least = max(0, min(least, 1000))
	if !atMost {
		most = least + maxDrawn
	}
	most = max(least, min(most, least+1000))
	return int(least) + r.IntN(int(most-least)+1)
}

// drawn is a number within the bounds; those that are not told are of the numbers
// in sight.
func drawn(r *rand.Rand, schema, observation pyjson.Value) pyjson.Value {
	whole := typeOf(schema) == "integer"
	low, high := span([]pyjson.Value{observation, integer(leastDrawn), integer(mostDrawn)})
	beyond := func(v, way float64) float64 {
		if whole {
			return v + way
		}
		return math.Nextafter(v, v+way)
	}
	least, atLeast := bound(schema, "minimum")
	if v, ok := bound(schema, "exclusiveMinimum"); ok {
		least, atLeast = beyond(v, 1), true
	}
	most, atMost := bound(schema, "maximum")
	if v, ok := bound(schema, "exclusiveMaximum"); ok {
		most, atMost = beyond(v, -1), true
	}
	if atLeast {
		low, high = least, max(high, least+mostDrawn)
	}
	if atMost {
		high = most
		if !atLeast {
			low = min(low, most-mostDrawn)
		}
	}
	if whole {
		low, high = math.Ceil(max(low, -1e15)), math.Floor(min(high, 1e15))
		return integer(int64(low) + r.Int64N(int64(max(0, high-low))+1))
	}
	return pyjson.Value{Kind: pyjson.Float, Number: low + r.Float64()*max(0, high-low)}
}
