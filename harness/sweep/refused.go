package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"candor/harness/run"
	"candor/infer"
	"candor/scoring"
)

// refusals are the cells that cannot be, by the place in the file that is to
// blame: a value that spoils many cells is told once.
type refusals struct {
	file  *File
	first map[place]error
	cells map[place]int
}

func (r *refusals) add(c Cell, err error) {
	if r.first == nil {
		r.first, r.cells = map[place]error{}, map[place]int{}
	}
	key, hint := r.file.blame(c, err)
	at := r.file.place(key)
	if r.first[at] == nil {
		r.first[at] = fmt.Errorf("cell %s: %w%s", c.Name, err, hint)
	}
	r.cells[at]++
}

// error is all that was refused, in the order of the file; nil if nothing was.
func (r *refusals) error() error {
	places := slices.SortedFunc(maps.Keys(r.first), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.column, b.column))
	})
	var all []error
	for _, at := range places {
		err := r.first[at]
		if n := r.cells[at] - 1; n > 0 {
			err = fmt.Errorf("%w (and %d more cells)", err, n)
		}
		all = append(all, &FileError{r.file.Name, max(at.row, 1), max(at.column, 1), err})
	}
	if len(all) == 0 {
		return nil
	}
	return &run.UsageError{Err: errors.Join(all...)}
}

// blame is the key because of which a cell is refused, and what to do. A value
// that would be refused in any cell is to blame before one that only does not go
// with another.
func (f *File) blame(c Cell, refused error) (key, hint string) {
	for _, axis := range AxisKeys() {
		if v, ok := c.Values[axis]; ok && !alone(axis, v) {
			return f.valueOf(axis, v), instead(axis, v)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.settings)) {
		if v := f.settings[key]; !alone(key, v) {
			return key, instead(key, v)
		}
	}
	hint = ""
	if len(c.Values) > 1 {
		hint = "; leave the combination out by an [[exclude]]"
	}
	switch {
	case !errors.As(refused, new(*scoring.PayoffError)):
		return "axes", hint
	case f.axes["abstain-reward"] == nil:
		return "abstain-reward", hint
	}
	return f.valueOf("abstain-reward", c.Values["abstain-reward"]), hint
}

// alone tells whether a value can be used where everything else is right; a
// payoff, where the rule is one or the other.
func alone(key string, v any) bool {
	cfg := run.DefaultConfig()
	cfg.Model = "m"
	if assign(&cfg, key, v) != nil {
		return false
	}
	if key != "abstain-reward" {
		return cfg.Validate() == nil
	}
	return slices.ContainsFunc([]string{scoring.Brier{}.Name(), scoring.Log{}.Name()}, func(rule string) bool {
		cfg.Rule = rule
		return cfg.Validate() == nil
	})
}

// valueOf is the key of an axis's value.
func (f *File) valueOf(axis string, v any) string {
	i := slices.IndexFunc(f.axes[axis], func(w any) bool { return equal(axis, v, w) })
	return fmt.Sprintf("axes.%s.%d", axis, i)
}

// instead names what was probably meant.
func instead(key string, v any) string {
	s, isText := v.(string)
	if key == "profile" && isText {
		return fmt.Sprintf("; the nearest is %q", nearest(s, infer.ProfileNames()))
	}
	return ""
}
