package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"candor/harness/claim"
	"candor/harness/edits"
	"candor/harness/env/cooling"
	"candor/harness/env/numbersort"
	"candor/harness/env/selective"
	"candor/harness/openenv"
	"candor/harness/run"
	"candor/imageproc"
	"candor/scoring"
)

// Options are what the environments may be told; each heeds what concerns it.
type Options struct {
	Task      string           // of number-sort: easy, medium, hard
	Selective selective.Config // of selective
	Loader    claim.Loader     // of selective's data set
}

// An Opened is an environment ready to be served. Close gives back what its
// sessions shared, when they have ended.
type Opened struct {
	openenv.Spec
	Close func() error
}

// environments are those there are, by name.
func environments() map[string]func(context.Context, Options) (Opened, error) {
	return map[string]func(context.Context, Options) (Opened, error){
		"cooling":     coolingPlant,
		"number-sort": numberSort,
		"selective":   selectiveTasks,
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
func Environment(ctx context.Context, name string, options Options) (Opened, error) {
	if one, known := environments()[name]; known {
		return one(ctx, options)
	}
	names := Names()
	if name == "" {
		return Opened{}, &run.UsageError{Err: fmt.Errorf("--env is missing; there are: %s", strings.Join(names, ", "))}
	}
	near := slices.MinFunc(names, func(a, b string) int { return edits.Distance(name, a) - edits.Distance(name, b) })
	hint := ""
	if edits.Distance(name, near) <= 1+len(name)/3 {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return Opened{}, &run.UsageError{Err: fmt.Errorf("--env %q: %sthere are: %s", name, hint, strings.Join(names, ", "))}
}

func nothing() error { return nil }

func coolingPlant(context.Context, Options) (Opened, error) {
	return Opened{cooling.Spec(cooling.Config{}), nothing}, nil
}

func numberSort(_ context.Context, options Options) (Opened, error) {
	cfg := numbersort.Config{Task: numbersort.Task(options.Task)}
	if _, err := numbersort.New(cfg); err != nil {
		return Opened{}, &run.UsageError{Err: fmt.Errorf("--task: %w", err)}
	}
	return Opened{numbersort.Spec(cfg), nothing}, nil
}

func selectiveTasks(ctx context.Context, options Options) (Opened, error) {
	if err := mistakes(options.Selective); err != nil {
		return Opened{}, &run.UsageError{Err: err}
	}
	tasks, err := selective.Open(ctx, options.Selective, options.Loader)
	if err != nil {
		return Opened{}, err
	}
	return Opened{tasks.Spec(), tasks.Close}, nil
}

// mistakes finds what is wrong with a configuration whatever the data.
func mistakes(cfg selective.Config) error {
	rule, err := scoring.ParseRule(cfg.Rule)
	if err != nil {
		return fmt.Errorf("--rule: %w", err)
	}
	if _, err := scoring.NewPayment(rule, cfg.Abstain); err != nil {
		return fmt.Errorf("--abstain-reward: %w", err)
	}
	if _, err := claim.ParsePartition(string(cfg.Partition)); err != nil {
		return fmt.Errorf("--partition: %w", err)
	}
	if cfg.ClaimsPerEpisode < 1 {
		return fmt.Errorf("--claims-per-episode %d: an episode has 1 claim or more", cfg.ClaimsPerEpisode)
	}
	family, err := imageproc.FamilyByName(cfg.Family)
	if err != nil {
		return fmt.Errorf("--family: %w", err)
	}
	if _, err := imageproc.NewPreparer(family, cfg.ImagePolicy); err != nil {
		return fmt.Errorf("--image-policy: %w", err)
	}
	return nil
}
