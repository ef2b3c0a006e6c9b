package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"candor/harness/edits"
	"candor/harness/run"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// File is a sweep as its author wrote it.
type File struct {
	Name     string
	settings map[string]any
	axes     map[string][]any
	exclude  []map[string]any
	rescore  rescoring
	baseline string
	at       map[string]place // of keys, tables joined by dots
}

// rescoring is the [rescore] table.
type rescoring struct {
	rules, labels []string
	payoffs       []float64
}

type place struct{ row, column int }

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

// Parse reads a sweep's file; name is for messages. Every mistake is a
// *run.UsageError around a *FileError.
func Parse(name string, text []byte) (*File, error) {
	f := &File{Name: name, axes: map[string][]any{}, at: map[string]place{}}
	values := map[string]any{}
	if err := toml.Unmarshal(text, &values); err != nil {
		if bad := (*toml.DecodeError)(nil); errors.As(err, &bad) {
			row, column := bad.Position()
			return nil, f.mistake(place{row, column}, "%w", err)
		}
		return nil, f.mistake(place{1, 1}, "%w", err)
	}
	f.locate(text)
	for _, read := range []func(map[string]any) error{f.readTables, f.readSettings} {
		if err := read(values); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *File) mistake(at place, format string, args ...any) error {
	return &run.UsageError{Err: &FileError{f.Name, max(at.row, 1), max(at.column, 1), fmt.Errorf(format, args...)}}
}

// wrong is a mistake at a key.
func (f *File) wrong(key, format string, args ...any) error {
	return f.mistake(f.at[key], format, args...)
}

// locate notes where each key stands; the text is known to parse.
func (f *File) locate(text []byte) {
	p := unstable.Parser{}
	p.Reset(text)
	table, seen := "", map[string]int{}
	for p.NextExpression() {
		e := p.Expression()
		path := f.note(&p, e, table)
		switch e.Kind {
		case unstable.Table:
			table = path
		case unstable.ArrayTable:
			table = fmt.Sprintf("%s.%d", path, seen[path])
			f.at[table] = f.at[path]
			seen[path]++
		}
	}
}

// note keeps the place of an expression's key, and returns its whole path.
func (f *File) note(p *unstable.Parser, e *unstable.Node, table string) string {
	var names []string
	var at place
	for it := e.Key(); it.Next(); {
		n := it.Node()
		if len(names) == 0 {
			start := p.Shape(n.Raw).Start
			at = place{start.Line, start.Column}
		}
		names = append(names, string(n.Data))
	}
	path := strings.Join(names, ".")
	if e.Kind != unstable.KeyValue {
		f.at[path] = at
		return path
	}
	if table != "" {
		path = table + "." + path
	}
	f.at[path] = at
	if e.Value().Kind == unstable.InlineTable {
		for it := e.Value().Children(); it.Next(); {
			f.note(p, it.Node(), path)
		}
	}
	return path
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

// axisKeys are those that may be an axis, in the order of a cell's name.
func axisKeys() []string {
	out := []string{"model", "profile"}
	t := reflect.TypeFor[run.Sampling]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		out = append(out, name)
	}
	return append(out, "rule", "abstain-reward", "prompt", "format", "confidence", "split", "partition", "seed", "replicate")
}

// known refuses a key that is none of those, naming the nearest.
func (f *File) known(table string, m map[string]any, keys []string) error {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if slices.Contains(keys, key) {
			continue
		}
		near := slices.MinFunc(keys, func(a, b string) int { return edits.Distance(key, a) - edits.Distance(key, b) })
		return f.wrong(table+key, "unknown key %q; the nearest is %q", key, near)
	}
	return nil
}

func (f *File) readSettings(values map[string]any) error {
	f.settings = values
	if err := f.known("", values, append(settingKeys(), "axes", "exclude", "rescore", "baseline")); err != nil {
		return err
	}
	cfg := run.DefaultConfig()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := assign(&cfg, key, values[key]); err != nil {
			return f.wrong(key, "%s: %w", key, err)
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
		for _, key := range []string{"axes", "exclude", "rescore", "baseline"} {
			delete(values, key)
		}
	}()
	if b, ok := values["baseline"]; ok {
		if f.baseline, ok = b.(string); !ok {
			return f.wrong("baseline", "baseline is the name of a cell, a text; not %v", b)
		}
	}
	axes, err := f.table(values, "axes", axisKeys())
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(axes)) {
		list, ok := axes[key].([]any)
		if !ok || len(list) == 0 {
			return f.wrong("axes."+key, "axis %s is a list of one value or more, as %s = [A, B]", key, key)
		}
		for _, v := range list {
			cfg := run.DefaultConfig()
			if err := assign(&cfg, key, v); err != nil {
				return f.wrong("axes."+key, "axis %s: %w", key, err)
			}
		}
		f.axes[key] = list
	}
	if err := f.readExclude(values["exclude"]); err != nil {
		return err
	}
	return f.readRescore(values)
}

func (f *File) table(values map[string]any, key string, keys []string) (map[string]any, error) {
	v, ok := values[key]
	if !ok {
		return nil, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, f.wrong(key, "%s is a table: [%s]", key, key)
	}
	return m, f.known(key+".", m, keys)
}

func (f *File) readExclude(v any) error {
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return f.wrong("exclude", "exclude is a list of tables: [[exclude]]")
	}
	for i, x := range list {
		m, ok := x.(map[string]any)
		if !ok || len(m) == 0 {
			return f.wrong("exclude", "each exclude is a table of values that are not to meet")
		}
		if err := f.known(fmt.Sprintf("exclude.%d.", i), m, settingKeys()); err != nil {
			return err
		}
		f.exclude = append(f.exclude, m)
	}
	return nil
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
	for _, rule := range f.rescore.rules {
		if rule != "brier" && rule != "log" {
			return f.wrong("rescore.rule", "rule %q is neither brier nor log", rule)
		}
	}
	return nil
}

// assign sets one key of a configuration.
func assign(cfg *run.Config, key string, v any) error {
	s, isText := v.(string)
	switch key {
	case "confidence", "labels", "host":
		if isText {
			v = strings.Split(s, ",")
		}
	case "parallel":
		if n, ok := v.(int64); ok {
			v = fmt.Sprint(n)
		}
	}
	return convert(map[string]any{key: v}, cfg)
}

// convert goes through JSON, whose keys are the flags' names.
func convert(v, into any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%v cannot be used here", v) // infinite, or no number
	}
	if err := json.Unmarshal(b, into); err != nil {
		if bad := (*json.UnmarshalTypeError)(nil); errors.As(err, &bad) {
			return fmt.Errorf("a %s cannot be used where %s is wanted", bad.Value, kind(bad.Type))
		}
		return err
	}
	return nil
}

func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "a text"
}
