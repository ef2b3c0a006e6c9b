package sweep

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"candor/harness/run"
)

// Cell is one combination of the axes: one run.
type Cell struct {
	Name   string         `json:"cell"` // of its directory too
	Values map[string]any `json:"values"`
	Same   []string       `json:"same,omitempty"` // combinations that come to the same run
	Config run.Config     `json:"-"`
}

// mostCells is how many combinations the axes may make: beyond, a slip is
// likelier than a wish.
const mostCells = 10_000

// Cells lays out the grid, in the order in which it is asked: cells that load a
// model alike follow each other. finish completes a cell's configuration as
// the command does a run's; it is told which keys were given. Every cell is
// checked; what is refused names its cell and the place in the file.
func (f *File) Cells(finish func(cfg *run.Config, given func(key string) bool)) ([]Cell, error) {
	n := 1
	for axis, values := range f.axes {
		if n *= len(values); n > mostCells {
			return nil, f.wrong("axes."+axis, "the axes make more than %d combinations; take some values out", mostCells)
		}
	}
	used := make([]bool, len(f.exclude))
	var out []Cell
	refused := &refusals{file: f}
	known := map[string]int{}
	for _, c := range f.combine() {
		if f.excluded(c, used) {
			continue
		}
		c.Config = run.DefaultConfig()
		for _, values := range []map[string]any{f.settings, c.Values} {
			for key, v := range values {
				if err := assign(&c.Config, key, v); err != nil {
					return nil, f.wrong(key, "%s: %w", key, err)
				}
			}
		}
		if finish != nil {
			finish(&c.Config, func(key string) bool { return f.settings[key] != nil || c.Values[key] != nil })
		}
		if err := c.Config.Validate(); err != nil {
			refused.add(c, err)
			continue
		}
		id := identity(c.Config)
		if i, twice := known[id]; twice {
			if out[i].Name != c.Name {
				out[i].Same = append(out[i].Same, c.Name)
			}
			continue
		}
		known[id] = len(out)
		out = append(out, c)
	}
	for i, ok := range used {
		if !ok {
			return nil, f.wrong(fmt.Sprintf("exclude.%d", i), "this excludes no combination; take it out")
		}
	}
	if err := refused.error(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, f.wrong("exclude.0", "no cell is left: every combination is excluded; take an [[exclude]] out")
	}
	if err := f.checkBaseline(out); err != nil {
		return nil, err
	}
	if _, err := f.payments(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b Cell) int { return slices.Compare(load(a.Config), load(b.Config)) })
	return out, nil
}

func (f *File) checkBaseline(cells []Cell) error {
	if f.baseline == "" || find(cells, f.baseline) >= 0 {
		return nil
	}
	names := make([]string, len(cells))
	for i, c := range cells {
		names[i] = c.Name
	}
	const most = 12
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(", and %d more: see --dry-run", len(names)-most)
	}
	return f.wrong("baseline", "baseline %q is no cell; the nearest is %q, and there are: %s%s", f.baseline, nearest(f.baseline, names), strings.Join(names, ", "), more)
}

// find is the place of the cell with that name, its own or of an equal
// combination, the axes in any order; -1 if there is none.
func find(cells []Cell, name string) int {
	sorted := func(name string) []string { return slices.Sorted(strings.SplitSeq(name, ",")) }
	is := func(other string) bool { return slices.Equal(sorted(other), sorted(name)) }
	return slices.IndexFunc(cells, func(c Cell) bool { return is(c.Name) || slices.ContainsFunc(c.Same, is) })
}

// load is what makes a server load a model anew, coarsest first.
func load(c run.Config) []string {
	o, _ := c.Options() // was validated
	return []string{c.Model, fmt.Sprintf("%06d %09d %09d %09d", o.NumThread, o.NumBatch, o.NumCtx, o.NumPredict), c.Prompt}
}

// combine is the product of the axes, the last one fastest.
func (f *File) combine() []Cell {
	out := []Cell{{Values: map[string]any{}}}
	for _, axis := range AxisKeys() {
		values := f.axes[axis]
		if values == nil {
			continue
		}
		var next []Cell
		for _, c := range out {
			for _, v := range values {
				n := Cell{Name: c.Name, Values: map[string]any{axis: v}}
				for k, x := range c.Values {
					n.Values[k] = x
				}
				if n.Name != "" {
					n.Name += ","
				}
				n.Name += axis + "=" + word(axis, v, values)
				next = append(next, n)
			}
		}
		out = next
	}
	for i := range out {
		out[i].Name = short(cmp.Or(out[i].Name, "all"))
	}
	return out
}

// word is an axis's value in a cell's name. Values that would read alike get
// some of their digest.
func word(axis string, v any, all []any) string {
	w := plain(axis, v)
	for _, other := range all {
		if plain(axis, other) == w && !reflect.DeepEqual(other, v) {
			sum := sha256.Sum256([]byte(fmt.Sprint(v)))
			return w + "~" + hex.EncodeToString(sum[:3])
		}
	}
	return w
}

func plain(axis string, v any) string {
	s := fmt.Sprint(v)
	if list, ok := v.([]any); ok {
		s = strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", "+"), "[]")
	}
	if axis == "prompt" {
		s = strings.TrimSuffix(filepath.Base(s), filepath.Ext(s))
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(".-_+", r):
			return r
		case r == ',':
			return '+'
		}
		return '-'
	}, s)
}

// short keeps a name within what file systems take.
func short(name string) string {
	const most = 180
	if len(name) <= most {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:most] + "~" + hex.EncodeToString(sum[:6])
}

// excluded tells whether a filter names the cell, and marks the filters that do.
func (f *File) excluded(c Cell, used []bool) bool {
	found := false
	for i, filter := range f.exclude {
		all := true
		for axis, values := range filter {
			all = all && slices.ContainsFunc(values, func(v any) bool { return equal(axis, v, c.Values[axis]) })
		}
		used[i] = used[i] || all
		found = found || all
	}
	return found
}

// identity is all that makes a run another one, profiles and defaults worked
// out. The configuration is valid.
func identity(c run.Config) string {
	o, _ := c.Options()
	pay, _ := c.Payment()
	c.Profile, c.Sampling, c.Abstain, c.NumThread = "", run.Sampling{}, &pay.Abstain, 0
	b, _ := json.Marshal([]any{c, o})
	return string(b)
}
