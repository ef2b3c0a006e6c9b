package local

import (
	"context"
	"encoding/json"
	"math/rand/v2"

	"candor/harness/claim"
	"candor/harness/env/selective"
	"candor/harness/lens"
	"candor/harness/lens/play"
)

// selectiveTask is the task of Candor's runs on its demo set.
func selectiveTask(ctx context.Context) (Environment, error) {
	tasks, err := selective.Open(ctx, selective.DefaultConfig(), claim.Loader{})
	if err != nil {
		return Environment{}, err
	}
	return Environment{Spec: tasks.Spec(), Declared: selectiveDeclared(), Close: tasks.Close}, nil
}

// selectiveDeclared says that who knows nothing had better abstain, so that is
// what doing nothing is; the check is the label alone, and says nothing of an
// abstention.
func selectiveDeclared() lens.Declaration {
	policies := selective.Policies()
	d := lens.Declaration{
		Step:  &lens.Range{Least: 0, Greatest: 1},
		Check: func(s play.StepView) (float64, bool) { return selective.Right(s.Result.Metadata) },
		NoOp:  json.RawMessage(policies[0].Act("")),
		Random: func(r *rand.Rand, observation string) string {
			return policies[r.IntN(len(policies))].Act(observation)
		},
	}
	for _, p := range policies[1:] {
		d.Planted = append(d.Planted, lens.Policy{Name: p.Name, Blind: true, Act: func(_ *rand.Rand, _ int, observation string) string { return p.Act(observation) }})
	}
	return d
}
