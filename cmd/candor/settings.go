package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"candor/harness/edits"
	"candor/harness/run"

	"github.com/alecthomas/kong"
	"github.com/pelletier/go-toml/v2"
)

// settings gives flags that are not on the command line their values: from
// the file that --config names, else from the manifest of the run that
// --resume names, by the flags' own names.
type settings struct {
	loaded bool
	values map[string]any
	err    error // why they could not be loaded
}

var _ kong.Resolver = (*settings)(nil)

// Validate has nothing to check before the command line is known.
func (s *settings) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag, nil to keep its default. What goes
// wrong is kept in err: kong would blame the flag that happens to come first.
func (s *settings) Resolve(ctx *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !s.loaded {
		s.loaded = true
		s.values = map[string]any{}
		s.err = s.load(ctx)
	}
	return s.values[flag.Name], nil
}

func (s *settings) load(ctx *kong.Context) error {
	given := map[string]string{}
	for _, p := range ctx.Path {
		if p.Flag != nil {
			given[p.Flag.Name], _ = ctx.FlagValue(p.Flag).(string)
		}
	}
	var known []string
	for _, f := range ctx.Flags() {
		if !slices.Contains([]string{"help", "version", "config", "resume"}, f.Name) {
			known = append(known, f.Name)
		}
	}
	dir := given["resume"]
	if dir != "" {
		if err := s.loadManifest(dir, known); err != nil {
			return err
		}
	}
	if file := given["config"]; file != "" {
		if err := s.loadFile(file, known); err != nil {
			return err
		}
	}
	if dir != "" {
		delete(s.values, "out") // the file that started the run goes on with it
	}
	return nil
}

func (s *settings) loadFile(file string, known []string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	values := map[string]any{}
	if err := toml.Unmarshal(b, &values); err != nil {
		return fmt.Errorf("--config %s: %w", file, err)
	}
	spelt := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		name := strings.ReplaceAll(key, "_", "-")
		if !slices.Contains(known, name) {
			return fmt.Errorf("--config %s: unknown key %q; the nearest is %q", file, key, nearest(name, known))
		}
		if other, twice := spelt[name]; twice {
			return fmt.Errorf("--config %s: %q and %q are one key; keep one of them", file, other, key)
		}
		spelt[name] = key
		if s.values[name], err = flagValue(values[key]); err != nil {
			return fmt.Errorf("--config %s: %s: %w", file, key, err)
		}
	}
	return nil
}

// loadManifest takes what the run was started with. Whether a change of the
// server is accepted is asked anew each time.
func (s *settings) loadManifest(dir string, known []string) error {
	m, err := run.LoadManifest(dir)
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	b, err := json.Marshal(m.Config)
	if err != nil {
		return err
	}
	values := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(&values); err != nil {
		return err
	}
	for name, v := range values {
		if v == nil || !slices.Contains(known, name) || name == "accept-server-change" {
			continue
		}
		if s.values[name], err = flagValue(v); err != nil {
			return fmt.Errorf("--resume %s: %s: %w", dir, name, err)
		}
	}
	return nil
}

// flagValue puts a decoded value into the form that a flag's decoder takes.
func flagValue(v any) (any, error) {
	switch v := v.(type) {
	case string, bool:
		return v, nil
	case json.Number, int64, float64:
		return fmt.Sprint(v), nil
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			s, ok := x.(string)
			if !ok {
				return nil, fmt.Errorf("%v is no text", x)
			}
			list[i] = s
		}
		return list, nil
	case map[string]any: // a TOML table, such as [labels]
		var list []any
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s, ok := v[key].(string)
			if !ok {
				return nil, fmt.Errorf("%s is %v, no text", key, v[key])
			}
			list = append(list, key+"="+s)
		}
		return list, nil
	}
	return nil, fmt.Errorf("%T is no value for a flag", v)
}

// nearest is the known name with the fewest edits from name.
func nearest(name string, known []string) string {
	return slices.MinFunc(known, func(a, b string) int { return edits.Distance(name, a) - edits.Distance(name, b) })
}
