package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"candor/harness/lens"
	"candor/harness/openenv"
)

// Kinds are the kinds of agent that a measure of learning has to tell apart, from
// those that cannot do the task to the one that can in every respect. An
// environment with demonstration agents has one of each.
func Kinds() []string {
	return []string{"random", "constant", "wrong", "memorising", "brittle", "exploiting", "unexplaining", "perfect"}
}

// Published are the agents of the published package's demonstration, which is
// in number-sort. They give no reasons.
func Published() []string {
	return []string{"number-sort/exploiting", "number-sort/greedy", "number-sort/random"}
}

// An acting is what an agent does and why, without errors.
type acting func(observation string) (action, reason string)

// demonstrations are agents beside which others may be looked at, by
// environment. Each is made anew, as some draw.
var demonstrations = map[string]map[string]func() acting{
	"number-sort": numberSortAgents(),
	"cooling":     coolingAgents(),
}

// Demonstration lists the agents of an environment that are of a kind, in the
// order of the kinds; none where there are none.
func Demonstration(environment string) (names []string) {
	base := strings.TrimSuffix(strings.TrimSuffix(environment, "-medium"), "-hard")
	for _, kind := range Kinds() {
		if demonstrations[base][kind] != nil {
			names = append(names, base+"/"+kind)
		}
	}
	return names
}

// Agent is a demonstration agent, by ENVIRONMENT/NAME.
func Agent(name string) (lens.Agent, error) {
	environment, short, _ := strings.Cut(name, "/")
	make, ok := demonstrations[environment][short]
	if !ok {
		var known []string
		for environment, agents := range demonstrations {
			for _, short := range slices.Collect(maps.Keys(agents)) {
				known = append(known, environment+"/"+short)
			}
		}
		slices.Sort(known)
		return nil, fmt.Errorf("there is no agent local:%s; there are %s", name, strings.Join(known, ", "))
	}
	act := make()
	return func(_ context.Context, observation string) (string, string, error) {
		action, reason := act(observation)
		return action, reason, nil
	}, nil
}

// silent is an agent that gives no reasons.
func silent(act acting) acting {
	return func(observation string) (string, string) {
		action, _ := act(observation)
		return action, ""
	}
}

// memorised is how many base seeds, from 0, memorising agents know by heart.
const memorised = 20

// byHeart does on the base seeds what solve does there, and elsewhere what
// otherwise does. It knows a state by what key makes of it.
func byHeart(spec openenv.Spec, solve, otherwise acting, key func(observation string) string) acting {
	known := map[string][2]string{}
	for seed := range int64(memorised) {
		if err := learn(spec, seed, solve, func(observation, action, reason string) {
			known[key(observation)] = [2]string{action, reason}
		}); err != nil {
			panic(err) // an environment of Candor's own failed at its own solution
		}
	}
	return func(observation string) (string, string) {
		if does, ok := known[key(observation)]; ok {
			return does[0], does[1]
		}
		return otherwise(observation)
	}
}

// learn plays one episode and tells of each step.
func learn(spec openenv.Spec, seed int64, act acting, seen func(observation, action, reason string)) (err error) {
	ctx := context.Background()
	env, err := spec.New(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	at, err := env.Reset(ctx, openenv.Seeded(seed))
	for err == nil && !at.Done {
		observation := string(at.Observation)
		action, reason := act(observation)
		seen(observation, action, reason)
		at, err = env.Step(ctx, []byte(action))
	}
	return err
}
