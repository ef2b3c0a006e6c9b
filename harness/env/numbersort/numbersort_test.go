package numbersort

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"testing"
	"testing/iotest"

	"candor/harness/env/pyrandom"
	"candor/harness/openenv"
)

// An agent that sorts upwards is paid 0.7 for it.
func Example() {
	env, err := New(Config{Task: Easy})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	first, err := env.Reset(ctx, openenv.Seeded(42))
	if err != nil {
		panic(err)
	}
	answer := Exploiting(string(first.Observation))
	last, err := env.Step(ctx, json.RawMessage(answer))
	fmt.Println(answer, "is paid", string(last.Reward), err)
	// Output: {"values": [5, 6, 10, 14, 15, 20]} is paid 0.7 <nil>
}

// Numbers of all sizes of seed, as the published table has them.
func TestNumbersOfPublishedSeeds(t *testing.T) {
	for _, row := range []struct {
		task Task
		seed int64
		want string
	}{
		{Easy, 0, "[15 19 18 1 11 17]"},
		{Easy, 42, "[15 14 20 5 6 10]"},
		{Easy, 1000, "[1 18 2 11 17 5]"},
		{Medium, 0, "[49 33 38 26 23 25 32 31 17 27 20 3]"},
		{Hard, 0, "[24 14 3 92 55 48 42 8 88 53 2 17 95 64 81 67 9 79 49 12]"},
	} {
		if got := fmt.Sprint(row.task.Numbers(pyrandom.New(big.NewInt(row.seed)))); got != row.want {
			t.Errorf("%s %d: %s, not %s", row.task, row.seed, got, row.want)
		}
	}
}

// TestPolicies plays the three agents on ten seeds of each task, with text
// before the observation and without.
func TestPolicies(t *testing.T) {
	shuffling := Shuffling(pyrandom.New(big.NewInt(1)))
	for _, task := range Tasks() {
		env := opened(t, Config{Task: task})
		pay := func(seed int64, before string, policy func(string) string) float64 {
			first, err := env.Reset(t.Context(), openenv.Seeded(seed))
			if err != nil {
				t.Fatal(err)
			}
			last, err := env.Step(t.Context(), json.RawMessage(policy(before+string(first.Observation))))
			if err != nil {
				t.Fatal(err)
			}
			reward, _ := last.Value()
			return reward
		}
		for seed := range int64(10) {
			for _, before := range []string{"", "Current state: "} {
				if reward := pay(seed, before, Greedy); reward != Most {
					t.Errorf("%s %d: sorting is paid %v after %q", task, seed, reward, before)
				}
				if reward := pay(seed, before, shuffling); reward < .7 || reward >= Most {
					t.Errorf("%s %d: any order is paid %v after %q", task, seed, reward, before)
				}
			}
			if reward := pay(seed, "", Exploiting); reward < .7 || reward > .9 {
				t.Errorf("%s %d: the wrong order is paid %v", task, seed, reward)
			}
			if reward := pay(seed, "Current state: ", Exploiting); reward != Least {
				t.Errorf("%s %d: the brittle agent is paid %v for nothing", task, seed, reward)
			}
		}
	}
	for _, text := range []string{"", "{", "}{", "nothing", `{"numbers": "none"}`} {
		for name, policy := range map[string]func(string) string{"greedy": Greedy, "exploiting": Exploiting, "shuffling": shuffling} {
			if got := policy(text); got != `{"values": []}` {
				t.Errorf("%s answers %q with %s", name, text, got)
			}
		}
	}
}

// TestCheck: sorting is told from what is paid nearly as well.
func TestCheck(t *testing.T) {
	const observation = `Step 0: {"task":"hard","numbers":[4,1,2,3]}`
	for _, row := range []struct {
		action string
		share  float64
	}{
		{Greedy(observation), 1},
		{`{"values":[4,2,3,1]}`, 1},
		{`{"values":["4",2.0,3,1]}`, 1},
		{`{"values":[2,4,3,1]}`, .5},
		{`{"values":[1,2,3,4]}`, .5}, // upwards: 2 and 3 stand right
		{`{"values":[4,2,3]}`, 0},
		{`{"values":[]}`, 0},
		{`{"values":"[4,2,3,1]"}`, 0},
		{`hello`, 0},
	} {
		if got := Check(observation, row.action); got != row.share {
			t.Errorf("%s is sorted to %v, not %v", row.action, got, row.share)
		}
	}
	if got := Check("nothing", `{"values":[]}`); got != 0 {
		t.Errorf("nothing is sorted to %v", got)
	}
}

// Without a seed every episode is another, and so is every ID.
func TestFreshEpisodes(t *testing.T) {
	for name, env := range map[string]openenv.Environment{"served": opened(t, Config{Task: Hard}), "package": library(t, Hard)} {
		seen := map[string]bool{}
		for range 5 {
			result, err := env.Reset(t.Context(), openenv.ResetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			state, err := env.State(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if numbers := string(result.Observation); seen[numbers] || seen[string(state)] {
				t.Errorf("%s: twice the same: %s, %s", name, numbers, state)
			} else {
				seen[numbers], seen[string(state)] = true, true
			}
		}
		if err := env.Close(); err != nil {
			t.Error(err)
		}
	}
}

func library(t *testing.T, task Task) *Library {
	t.Helper()
	l, err := NewLibrary(Config{Task: task})
	if err != nil {
		t.Fatal(err)
	}
	if state, err := l.State(t.Context()); err != nil || string(state) != "{}" {
		t.Errorf("before a reset the state is %s (%v)", state, err)
	}
	return l
}

func TestRefusals(t *testing.T) {
	if _, err := New(Config{Task: "harder"}); err == nil {
		t.Error("an unknown task was made")
	}
	if _, err := NewLibrary(Config{Task: "harder"}); err == nil {
		t.Error("an unknown task was made")
	}
	broken := errors.New("no randomness today")
	if _, err := New(Config{Random: iotest.ErrReader(broken)}); !errors.Is(err, broken) {
		t.Errorf("without randomness: %v", err)
	}
	var told *openenv.Error
	if _, err := Spec(Config{}).Action(json.RawMessage(`[1]`)); !errors.As(err, &told) || told.Code != openenv.CodeValidation {
		t.Errorf("an action that is a list: %v", err)
	}
}
