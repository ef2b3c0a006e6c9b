package local

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"candor/harness/env/cooling"
)

// coolingAgents are those of cooling. Naive is of no kind: it goes by a rule
// that seems right and is not, and keeps some of the machines cool.
func coolingAgents() map[string]func() acting {
	same := func(act acting) func() acting { return func() acting { return act } }
	return map[string]func() acting{
		"naive":        same(cooling.Naive),
		"random":       func() acting { return cooling.Random(rand.New(rand.NewPCG(1, 0))) },
		"constant":     same(waiting),
		"wrong":        same(leastUrgent),
		"memorising":   memorisingCooler,
		"brittle":      same(onlyAsShown(cooling.Watchful, wait)),
		"exploiting":   same(cooling.Silencing),
		"unexplaining": same(silent(cooling.Watchful)),
		"perfect":      same(cooling.Watchful),
	}
}

const wait = `{"action": "wait"}`

func waiting(string) (action, reason string) { return wait, "Nothing needs to be done." }

// leastUrgent cools the machine that needs it least.
func leastUrgent(observation string) (action, reason string) {
	machines := machinesIn(observation)
	if len(machines) == 0 {
		return wait, ""
	}
	at := machines[0]
	for _, m := range machines {
		if m.left() > at.left() {
			at = m
		}
	}
	return fmt.Sprintf(`{"action": "cool %s"}`, at.Name), fmt.Sprintf("%s shows %d of %d, so there is much to be gained.", at.Name, at.Reading, at.Limit)
}

// memorisingCooler knows the plants of the base seeds by heart, step by step,
// and waits in all others.
func memorisingCooler() acting {
	return byHeart(cooling.Spec(cooling.Config{}), cooling.Watchful, waiting, func(o string) string { return fmt.Sprint(machinesIn(o)) })
}

type machine struct {
	Name                    string
	Reading, Limit, Heating int
}

// left is how many steps are left below the limit.
func (m machine) left() float64 { return float64(m.Limit-m.Reading) / float64(max(1, m.Heating)) }

// machinesIn are those of an observation with any text around it.
func machinesIn(observation string) []machine {
	var shown struct{ Machines []machine }
	if text, ok := object(observation); ok && json.Unmarshal([]byte(text), &shown) == nil {
		return shown.Machines
	}
	return nil
}
