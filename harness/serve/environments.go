package serve

import (
	"fmt"
	"slices"
	"strings"

	"candor/harness/edits"
	"candor/harness/env/numbersort"
	"candor/harness/openenv"
	"candor/harness/run"
)

// Options are what the environments may be told; each heeds what concerns it.
type Options struct {
	Task string // of number-sort: easy, medium, hard
}

// environments are those there are, by name.
func environments() map[string]func(Options) (openenv.Spec, error) {
	return map[string]func(Options) (openenv.Spec, error){
		"number-sort": numberSort,
	}
}

// Names lists the environments there are.
func Names() []string {
	var names []string
	for name := range environments() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Environment finds an environment by its name. One that there is not is a
// *run.UsageError that tells the nearest.
func Environment(name string, options Options) (openenv.Spec, error) {
	if one, known := environments()[name]; known {
		return one(options)
	}
	names := Names()
	near := slices.MinFunc(names, func(a, b string) int { return edits.Distance(name, a) - edits.Distance(name, b) })
	hint := ""
	if edits.Distance(name, near) <= 1+len(name)/3 {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return openenv.Spec{}, &run.UsageError{Err: fmt.Errorf("--env %q: %sthere are: %s", name, hint, strings.Join(names, ", "))}
}

func numberSort(options Options) (openenv.Spec, error) {
	cfg := numbersort.Config{Task: numbersort.Task(options.Task)}
	if _, err := numbersort.New(cfg); err != nil {
		return openenv.Spec{}, &run.UsageError{Err: fmt.Errorf("--task: %w", err)}
	}
	return numbersort.Spec(cfg), nil
}
