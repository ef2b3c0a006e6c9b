package local

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"candor/harness/env/cooling"
	"candor/harness/env/numbersort"
	"candor/harness/env/pyrandom"
	"candor/harness/lens"
)

// demonstrations are agents beside which others may be looked at, by
// environment. Each is made anew, as some draw.
var demonstrations = map[string]map[string]func() lens.Agent{
	"number-sort": {
		"greedy":     func() lens.Agent { return acts(numbersort.Greedy) },
		"exploiting": func() lens.Agent { return acts(numbersort.Exploiting) },
		"random":     func() lens.Agent { return acts(numbersort.Shuffling(pyrandom.New(big.NewInt(1)))) },
	},
	"cooling": {
		"watchful":  func() lens.Agent { return explains(cooling.Watchful) },
		"naive":     func() lens.Agent { return explains(cooling.Naive) },
		"silencing": func() lens.Agent { return explains(cooling.Silencing) },
		"waiting":   func() lens.Agent { return explains(cooling.Waiting) },
		"random":    func() lens.Agent { return explains(cooling.Random(rand.New(rand.NewPCG(1, 0)))) },
	},
}

// Demonstration lists the demonstration agents of an environment,
// in alphabetical order.
func Demonstration(environment string) []string {
	base := strings.TrimSuffix(strings.TrimSuffix(environment, "-medium"), "-hard")
	var names []string
	for _, name := range slices.Sorted(maps.Keys(demonstrations[base])) {
		names = append(names, base+"/"+name)
	}
	return names
}

// Agent is a demonstration agent, by ENVIRONMENT/NAME.
func Agent(name string) (lens.Agent, error) {
	environment, short, _ := strings.Cut(name, "/")
	make, ok := demonstrations[environment][short]
	if !ok {
		var known []string
		for environment := range demonstrations {
			known = append(known, Demonstration(environment)...)
		}
		slices.Sort(known)
		return nil, fmt.Errorf("there is no agent local:%s; there are %s", name, strings.Join(known, ", "))
	}
	return make(), nil
}

func acts(act func(string) string) lens.Agent {
	return func(_ context.Context, observation string) (string, string, error) { return act(observation), "", nil }
}

func explains(act func(string) (string, string)) lens.Agent {
	return func(_ context.Context, observation string) (string, string, error) {
		action, reason := act(observation)
		return action, reason, nil
	}
}
