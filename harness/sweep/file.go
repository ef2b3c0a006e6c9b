package sweep

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"candor/harness/run"

	"github.com/pelletier/go-toml/v2"
)

// File is a sweep as its author wrote it.
type File struct {
	Name     string
	settings map[string]any
	axes     map[string][]any
	exclude  []map[string][]any // values by axis
	rescore  rescoring
	baseline string
	rankBy   string
	at       map[string]place // of keys, tables joined by dots
}

// rescoring is the [rescore] table.
type rescoring struct {
	rules, labels []string
	payoffs       []float64
}

// FileError is a mistake in a sweep's file, and where it stands.
type FileError struct {
	Name        string
	Row, Column int // from 1
	Err         error
}

// Error begins with the place, as compilers do.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.Name, e.Row, e.Column, e.Err)
}

// Unwrap returns the mistake itself.
func (e *FileError) Unwrap() error { return e.Err }

// Parse reads a sweep's file; name is for messages. Keys may be written with
// underscores for hyphens. Every mistake is a *run.UsageError around a
// *FileError.
func Parse(name string, text []byte) (*File, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // some editors begin a file by that
	f := &File{Name: name, axes: map[string][]any{}, rankBy: defaultRank}
	values := map[string]any{}
	if err := toml.Unmarshal(text, &values); err != nil {
		return nil, f.noTOML(err)
	}
	var err error
	if f.at, err = locate(text); err != nil {
		return nil, f.noTOML(err)
	}
	if values, err = f.hyphened("", values); err != nil {
		return nil, err
	}
	for _, read := range []func(map[string]any) error{f.readTables, f.readSettings} {
		if err := read(values); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// noTOML says what is wrong with the text itself.
func (f *File) noTOML(err error) error {
	at := place{1, 1}
	if bad := (*toml.DecodeError)(nil); errors.As(err, &bad) {
		at.row, at.column = bad.Position()
	}
	what := strings.TrimPrefix(err.Error(), "toml: ")
	switch {
	case strings.Contains(what, "already"):
		return f.mistake(at, "%s; keep one of the two", what)
	case strings.Contains(what, "too large"), strings.Contains(what, "too small"), strings.Contains(what, "out of range"):
		return f.mistake(at, "this number is beyond what a computer's numbers hold (whole ones 64 bits, others about ±1.8e308); write one that is not")
	}
	return f.mistake(at, "this is no TOML: %s; write KEY = VALUE on a line of its own, texts in quotes, lists in brackets", what)
}

func (f *File) mistake(at place, format string, args ...any) error {
	return &run.UsageError{Err: &FileError{f.Name, max(at.row, 1), max(at.column, 1), fmt.Errorf(format, args...)}}
}

// wrong is a mistake at a key.
func (f *File) wrong(key, format string, args ...any) error {
	return f.mistake(f.place(key), format, args...)
}

// place is where a key stands or, of what has no place of its own, what it is
// in.
func (f *File) place(key string) place {
	for key != "" && f.at[key] == (place{}) {
		key = key[:max(0, strings.LastIndexByte(key, '.'))]
	}
	return f.at[key]
}

// item is the key of a list's value, or of the one value where a list may be.
func (f *File) item(key string, i int) string { return fmt.Sprintf("%s.%d", key, i) }

// hyphened writes the keys of a table, and of tables in it, as flags are
// written.
func (f *File) hyphened(path string, m map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		name := hyphens(key)
		at := path + name
		if _, twice := out[name]; twice {
			return nil, f.wrong(at, "%s and %s are the same key; keep one of the two", name, strings.ReplaceAll(name, "-", "_"))
		}
		var err error
		switch v := m[key].(type) {
		case map[string]any:
			out[name], err = f.hyphened(at+".", v)
		case []any:
			list := slices.Clone(v)
			for i := range list {
				if inner, ok := list[i].(map[string]any); ok && err == nil {
					list[i], err = f.hyphened(fmt.Sprintf("%s.%d.", at, i), inner)
				}
			}
			out[name] = list
		default:
			out[name] = v
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// settingKeys are the keys of a run's configuration.
func settingKeys() []string {
	var out []string
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		for i := range t.NumField() {
			if s := t.Field(i); s.Anonymous {
				walk(s.Type)
			} else {
				name, _, _ := strings.Cut(s.Tag.Get("json"), ",")
				out = append(out, name)
			}
		}
	}
	walk(reflect.TypeFor[run.Config]())
	return out
}

// AxisKeys are those that may be an axis, in the order of a cell's name.
func AxisKeys() []string {
	return slices.Concat([]string{"model", "profile"}, samplingKeys(),
		[]string{"rule", "abstain-reward", "prompt", "format", "confidence", "split", "partition", "seed", "replicate"})
}

// samplingKeys are the sampling options.
func samplingKeys() []string {
	var out []string
	t := reflect.TypeFor[run.Sampling]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		out = append(out, name)
	}
	return out
}

// topKeys are those beside the settings.
func topKeys() []string { return []string{"axes", "exclude", "rescore", "baseline", "rank-by"} }

// commandLine are keys that one might look for in a file, and what to give.
func commandLine() map[string]string {
	return map[string]string{
		"out": "candor sweep FILE --out DIR", "json": "candor sweep FILE --json", "dry-run": "candor sweep FILE --dry-run",
		"resume": "the same candor sweep FILE goes on with what was begun",
	}
}

// known refuses a key that is none of those, naming the nearest.
func (f *File) known(table string, m map[string]any, keys []string) error {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		switch {
		case slices.Contains(keys, key):
		case commandLine()[key] != "":
			return f.wrong(table+key, "%s stands on the command line, not in the file: %s", key, commandLine()[key])
		case table == "axes." && slices.Contains(settingKeys(), key):
			return f.wrong(table+key, "%s can be no axis; set it once for all cells, above [axes]. Axes may be: %s", key, strings.Join(keys, ", "))
		default:
			return f.wrong(table+key, "unknown key %q; the nearest is %q", key, nearest(key, keys))
		}
	}
	return nil
}

func (f *File) readSettings(values map[string]any) error {
	f.settings = values
	if err := f.known("", values, append(settingKeys(), topKeys()...)); err != nil {
		return err
	}
	cfg := run.DefaultConfig()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := assign(&cfg, key, values[key]); err != nil {
			return f.wrong(key, "%s: %w, as in %s = %s", key, err, key, example(key))
		}
		if f.axes[key] != nil {
			return f.wrong(key, "%s is an axis too; keep one of them", key)
		}
	}
	return nil
}

// readTables takes out of values what is no setting.
func (f *File) readTables(values map[string]any) error {
	defer func() {
		for _, key := range topKeys() {
			delete(values, key)
		}
	}()
	if b, ok := values["baseline"]; ok {
		if f.baseline, ok = b.(string); !ok {
			return f.wrong("baseline", "baseline is the name of a cell, a text; not %v", b)
		}
	}
	if m, ok := values["rank-by"]; ok {
		if f.rankBy, ok = m.(string); !ok {
			return f.wrong("rank-by", "rank-by is the name of a metric, a text; not %v", m)
		}
		if err := ranks(f.rankBy); err != nil {
			return f.wrong("rank-by", "rank-by: %w", err)
		}
	}
	if err := f.readAxes(values); err != nil {
		return err
	}
	if err := f.readExclude(values["exclude"]); err != nil {
		return err
	}
	return f.readRescore(values)
}

func (f *File) readAxes(values map[string]any) error {
	axes, err := f.table(values, "axes", AxisKeys())
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(axes)) {
		list, ok := axes[key].([]any)
		switch {
		case !ok:
			return f.wrong("axes."+key, "axis %s is a list of one value or more, as %s = [%s]", key, key, example(key))
		case len(list) == 0:
			return f.wrong("axes."+key, "axis %s is empty; give it a list of one value or more, or leave it out", key)
		}
		seen := map[string]bool{}
		for i, v := range list {
			at := fmt.Sprintf("axes.%s.%d", key, i)
			cfg := run.DefaultConfig()
			if err := assign(&cfg, key, v); err != nil {
				return f.wrong(at, "axis %s: %w, as in %s = [%s]", key, err, key, example(key))
			}
			if w := written(cfg); seen[w] {
				return f.wrong(at, "axis %s has %v twice, which makes the same cell twice; take one out", key, v)
			} else {
				seen[w] = true
			}
		}
		f.axes[key] = list
	}
	return nil
}

func (f *File) table(values map[string]any, key string, keys []string) (map[string]any, error) {
	v, ok := values[key]
	if !ok {
		return nil, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, f.wrong(key, "%s is a table: [%s] on a line of its own, its keys below", key, key)
	}
	return m, f.known(key+".", m, keys)
}

func (f *File) readExclude(v any) error {
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return f.wrong("exclude", "exclude is a list of tables: [[exclude]], in double brackets")
	}
	for i, x := range list {
		at := fmt.Sprintf("exclude.%d", i)
		m, ok := x.(map[string]any)
		if !ok || len(m) == 0 {
			return f.wrong(at, "each exclude is a table of values that are not to meet: AXIS = VALUE")
		}
		filter := map[string][]any{}
		for _, axis := range slices.Sorted(maps.Keys(m)) {
			var err error
			if filter[axis], err = f.readFilter(at+"."+axis, axis, m[axis]); err != nil {
				return err
			}
		}
		f.exclude = append(f.exclude, filter)
	}
	return nil
}

// readFilter reads the values of one axis that a filter names.
func (f *File) readFilter(at, axis string, v any) ([]any, error) {
	if f.axes[axis] == nil {
		names := slices.Sorted(maps.Keys(f.axes))
		if len(names) == 0 {
			return nil, f.wrong(at, "exclude names %q, and there are no axes; add [axes] or take the exclude out", axis)
		}
		return nil, f.wrong(at, "exclude names %q, which is no axis of this sweep; the nearest is %q, and there are: %s", axis, nearest(axis, names), strings.Join(names, ", "))
	}
	list, isList := v.([]any)
	if !isList || axis == "confidence" && slices.ContainsFunc(f.axes[axis], func(w any) bool { return equal(axis, v, w) }) {
		list = []any{v}
	}
	for _, want := range list {
		cfg := run.Config{}
		if err := assign(&cfg, axis, want); err != nil {
			return nil, f.wrong(at, "exclude: %s: %w", axis, err)
		}
		if !slices.ContainsFunc(f.axes[axis], func(has any) bool { return equal(axis, want, has) }) {
			return nil, f.wrong(at, "this excludes no combination: %v is no value of axis %s, which has: %s", want, axis, listing(f.axes[axis]))
		}
	}
	if len(list) == 0 {
		return nil, f.wrong(at, "this excludes no combination: the list is empty; name values of axis %s", axis)
	}
	return list, nil
}

func (f *File) readRescore(values map[string]any) error {
	m, err := f.table(values, "rescore", []string{"rule", "abstain-reward", "labels"})
	if err != nil {
		return err
	}
	for key, into := range map[string]any{"rule": &f.rescore.rules, "abstain-reward": &f.rescore.payoffs, "labels": &f.rescore.labels} {
		v, ok := m[key]
		if !ok {
			continue
		}
		if _, isList := v.([]any); !isList {
			v = []any{v}
		}
		if err := convert(v, into); err != nil {
			return f.wrong("rescore."+key, "%s: %w", key, err)
		}
	}
	for i, rule := range f.rescore.rules {
		if rule != "brier" && rule != "log" {
			return f.wrong(f.item("rescore.rule", i), "rule %q is neither brier nor log", rule)
		}
	}
	return cmp.Or(once(f, "rule", f.rescore.rules), once(f, "abstain-reward", f.rescore.payoffs), f.readLabels())
}

// once refuses a value that a list of the [rescore] table has twice.
func once[T comparable](f *File, key string, list []T) error {
	for i, v := range list {
		if slices.Contains(list[:i], v) {
			return f.wrong(f.item("rescore."+key, i), "[rescore] %s has %v twice, which makes the same rows twice; take one out", key, v)
		}
	}
	return nil
}
