package lens

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"

	"candor/harness/lens/play"
	"candor/harness/lens/pyjson"
)

// maxConstants is how many of the agent's actions are each tried as the only
// one.
const maxConstants = 4

// baselines are the random and the no-op policy, as declared; else the random one
// draws by the schema, and by the shape of the agent's actions where there is no
// schema.
func baselines(d Declaration, schema json.RawMessage, s shape) (random, noop play.Policy) {
	by := drawsOf(schema, s)
	random = play.Policy{Name: "random", Act: func(r *rand.Rand, _ int, observation string) string {
		v := read(observation)
		if properties, _ := members(by.schema); len(properties.Keys) > 0 {
			return by.action(r, v)
		}
		return s.fill(func(f field) pyjson.Value { return f.random(r, v) })
	}}
	if d.Random != nil {
		random.Act = func(r *rand.Rand, _ int, observation string) string { return d.Random(r, observation) }
	}
	noop = play.Policy{Name: "noop", Blind: true, Act: func(*rand.Rand, int, string) string { return "{}" }}
	if d.NoOp != nil {
		noop.Act = func(*rand.Rand, int, string) string { return string(d.NoOp) }
	}
	return random, noop
}

// planted are policies that exploit rewards of many kinds without knowing the
// environment, by shape and by what the agent did. None of them draws.
func planted(s shape, actions []string) []play.Policy {
	fixed := func(name, action string) play.Policy {
		return play.Policy{Name: name, Blind: true, Act: func(*rand.Rand, int, string) string { return action }}
	}
	out := []play.Policy{fixed("empty", s.fill(field.zero))}
	for i, action := range commonest(actions) {
		if i < maxConstants {
			out = append(out, fixed("constant: "+named(action), action))
		}
	}
	if i := slices.IndexFunc(s.fields, func(f field) bool { return f.kind == pyjson.Array }); i >= 0 {
		for name, change := range map[string]func([]pyjson.Value){
			"permuted: as shown":   func([]pyjson.Value) {},
			"permuted: ascending":  func(l []pyjson.Value) { slices.SortStableFunc(l, order) },
			"permuted: descending": func(l []pyjson.Value) { slices.SortStableFunc(l, func(a, b pyjson.Value) int { return order(b, a) }) },
			"degenerate": func(l []pyjson.Value) {
				for j := range l {
					l[j] = l[0]
				}
			},
		} {
			out = append(out, play.Policy{Name: name, Act: handBack(s, i, change)})
		}
	}
	slices.SortStableFunc(out, func(a, b play.Policy) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// named is what an action is called: itself, if it is short.
func named(action string) string {
	const most = 60
	if runes := []rune(action); len(runes) > most {
		return fmt.Sprintf("%s… (%08x)", string(runes[:most]), crc32.ChecksumIEEE([]byte(action)))
	}
	return action
}

// handBack fills the field with the list in sight, changed.
func handBack(s shape, at int, change func([]pyjson.Value)) func(*rand.Rand, int, string) string {
	return func(_ *rand.Rand, _ int, observation string) string {
		list, ok := listIn(read(observation), s.fields[at].item)
		if !ok {
			return s.fill(field.zero)
		}
		list.Items = slices.Clone(list.Items)
		change(list.Items)
		return s.fill(func(f field) pyjson.Value {
			if f.name == s.fields[at].name {
				return list
			}
			if len(f.seen) > 0 {
				return f.seen[0]
			}
			return f.zero()
		})
	}
}

// order is that of numbers, or else of texts.
func order(a, b pyjson.Value) int {
	x, isNumber := a.Float64()
	y, areNumbers := b.Float64()
	if isNumber && areNumbers {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a.Text(), b.Text())
}

// commonest are the distinct actions, the most frequent first.
func commonest(actions []string) []string {
	count := map[string]int{}
	var distinct []string
	for _, a := range actions {
		if count[a]++; count[a] == 1 {
			distinct = append(distinct, a)
		}
	}
	slices.SortStableFunc(distinct, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return distinct
}

// read finds the JSON that an observation is, null where it is none.
func read(observation string) pyjson.Value {
	v, err := pyjson.Parse(observation)
	if err != nil {
		return pyjson.Value{}
	}
	return v
}

// replayed is the policy of acting as the agent did at another seed.
func replayed(of play.Episode) play.Policy {
	return play.Policy{Name: "replayed", Blind: true, Act: func(_ *rand.Rand, step int, _ string) string {
		if len(of.Steps) == 0 {
			return "{}"
		}
		return string(of.Steps[min(step, len(of.Steps)-1)].Sent)
	}}
}
