package compat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"candor/harness/lens/compat"
	"candor/harness/lens/judge"
	"candor/harness/lens/play"
	"candor/harness/lens/pyjson"
	"candor/harness/openenv"
	"candor/scoring/lqs"
)

// recorded is what scripts/record/lens.py wrote of one release.
type recorded struct {
	Paraphrases [][]json.RawMessage  `json:"paraphrases"`
	Judge       [][2]json.RawMessage `json:"judge"`
	Prompts     [][2]json.RawMessage `json:"prompts"`
	Reports     []struct {
		Of                         map[string]json.RawMessage
		Values                     []any
		Verdict, JSON, Plain, Rich string
	}
	Evaluations []evaluation
	Configs     [][2]json.RawMessage
}

type evaluation struct {
	Of      script
	Values  []float64
	Probes  []string
	Verdict string
	Calls   int
	Seeds   []int64
	Single  map[string]float64
}

// script is an environment and an agent by tables; scripts/record/lens.py has
// the same in Python.
type script struct {
	Rewards      []json.RawMessage
	Lengths      []int
	Observations string
	Agent        string
	Switches     []int
	Episodes     int
	MaxSteps     int `json:"max_steps"`
	Judge        []*string
}

var releases = []lqs.Release{lqs.Release013, lqs.Release021}

func each(t *testing.T, check func(t *testing.T, release lqs.Release, r recorded)) {
	for _, release := range releases {
		t.Run(string(release), func(t *testing.T) {
			text, err := os.ReadFile("testdata/learnlens-" + string(release) + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var r recorded
			decode(t, text, &r)
			check(t, release, r)
		})
	}
}

func decode(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%.100s: %v", raw, err)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

func TestParaphrases(t *testing.T) {
	each(t, func(t *testing.T, _ lqs.Release, r recorded) {
		for _, row := range r.Paraphrases {
			var observation string
			var step int
			var forms []string
			decode(t, row[0], &observation)
			decode(t, row[1], &step)
			decode(t, row[2], &forms)
			if got := compat.Paraphrases(observation, step); !reflect.DeepEqual(got, forms) {
				t.Errorf("%q at %d: %q", observation, step, got)
			}
		}
	})
}

func TestJudgesReplies(t *testing.T) {
	each(t, func(t *testing.T, _ lqs.Release, r recorded) {
		if len(r.Judge) < 50 {
			t.Fatalf("only %d replies", len(r.Judge))
		}
		for _, row := range r.Judge {
			var reply string
			var want *float64
			decode(t, row[0], &reply)
			decode(t, row[1], &want)
			got, ok := judge.Score(reply)
			if ok != (want != nil) || ok && !near(got, *want) {
				t.Errorf("%.80q: %v, %v; it is %s", reply, got, ok, row[1])
			}
		}
	})
}

func TestPrompts(t *testing.T) {
	each(t, func(t *testing.T, _ lqs.Release, r recorded) {
		for _, row := range r.Prompts {
			var of [4]json.RawMessage
			var want string
			step := play.Step{Reward: new(float64)}
			decode(t, row[0], &of)
			decode(t, of[0], &step.Observation)
			decode(t, of[1], &step.Reasoning)
			decode(t, of[2], &step.Action)
			decode(t, of[3], step.Reward)
			decode(t, row[1], &want)
			if got := judge.Prompt(step); got != want {
				t.Errorf("asked is\n%.3000s\nnot\n%.3000s", got, want)
			}
		}
	})
}

// Reports agree to the character.
func TestReports(t *testing.T) {
	each(t, func(t *testing.T, _ lqs.Release, r recorded) {
		for i, row := range r.Reports {
			report := compat.Report{Timestamp: "2026-01-02T03:04:05.000006+00:00"}
			for key, into := range map[string]any{
				"generalization_score": &report.Generalization, "consistency_score": &report.Consistency, "hack_index": &report.HackIndex, "reasoning_score": &report.Reasoning,
				"mean_reward": &report.MeanReward, "reward_std": &report.RewardStd, "env_url": &report.EnvURL, "n_episodes": &report.Episodes, "probes_run": &report.ProbesRun,
			} {
				decode(t, row.Of[key], into)
			}
			report.Derive(compat.DefaultConfig())
			for j, got := range []float64{report.LQS, report.RawLearning, report.Trust} {
				if !near(got, row.Values[j].(float64)) {
					t.Errorf("report %d: figure %d is %v, not %v", i, j, got, row.Values[j])
				}
			}
			if report.HackFlagged != row.Values[3] || report.CoreFailed != row.Values[4] {
				t.Errorf("report %d: flags %v, %v", i, report.HackFlagged, report.CoreFailed)
			}
			text, err := report.JSON()
			compare(t, fmt.Sprint("JSON of report ", i), text, row.JSON, err)
			compare(t, fmt.Sprint("verdict of report ", i), report.Verdict(), row.Verdict, nil)
			if row.Rich == "" {
				continue
			}
			compare(t, fmt.Sprint("report ", i), shown(t, report.Print), row.Rich, nil)
			compare(t, fmt.Sprint("plain report ", i), shown(t, report.PrintPlain), row.Plain, nil)
		}
	})
}

func shown(t *testing.T, print func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	if err := print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func compare(t *testing.T, what, got, want string, err error) {
	t.Helper()
	if err != nil || got != want {
		t.Errorf("%s (%v):\n%s\nnot\n%s", what, err, got, want)
	}
}

func TestConfigs(t *testing.T) {
	each(t, func(t *testing.T, release lqs.Release, r recorded) {
		for _, row := range r.Configs {
			c := compat.DefaultConfig()
			var change map[string]float64
			var want *string
			decode(t, row[0], &change)
			decode(t, row[1], &want)
			for key, value := range change {
				switch key {
				case "hack_threshold":
					c.HackThreshold = value
				case "core_learning_threshold":
					c.CoreThreshold = value
				case "max_steps_per_episode":
					c.MaxSteps = int(value)
				case "n_paraphrases":
					c.Paraphrases = int(value)
				case "weight_reasoning":
					c.WeightSum = .8 + value
				}
			}
			err := c.Validate(release)
			if (err == nil) != (want == nil) || err != nil && err.Error() != *want {
				t.Errorf("%s: %v", row[0], err)
			}
		}
	})
}

// Whole evaluations agree in every figure, in how often the agent was asked and
// in which seeds were played in which order; single probes do, too.
func TestEvaluations(t *testing.T) {
	each(t, func(t *testing.T, release lqs.Release, r recorded) {
		if len(r.Evaluations) < 50 {
			t.Fatalf("only %d evaluations", len(r.Evaluations))
		}
		for i, row := range r.Evaluations {
			report, calls, seeds := evaluate(t, release, row.Of)
			got := []float64{report.LQS, report.Generalization, report.Consistency, report.HackIndex, report.Reasoning, report.RawLearning, report.Trust, report.MeanReward, report.RewardStd}
			for j := range got {
				if !near(got[j], row.Values[j]) {
					t.Errorf("evaluation %d (%v): figure %d is %v, not %v", i, row.Of.Agent, j, got[j], row.Values[j])
				}
			}
			if report.Verdict() != row.Verdict || !reflect.DeepEqual(report.ProbesRun, row.Probes) {
				t.Errorf("evaluation %d: %s %v", i, report.Verdict(), report.ProbesRun)
			}
			if calls != row.Calls || fmt.Sprint(seeds) != fmt.Sprint(row.Seeds) {
				t.Errorf("evaluation %d: %d calls, not %d; seeds %v, not %v", i, calls, row.Calls, seeds, row.Seeds)
			}
			for name, want := range row.Single {
				if got := single(t, release, row.Of, name); !near(got, want) {
					t.Errorf("evaluation %d: %s alone is %v, not %v", i, name, got, want)
				}
			}
		}
	})
}

// bench sets a script up. calls and seeds are counted while it plays.
func (s script) bench(t *testing.T, calls *int, seeds *[]int64) *play.Bench {
	t.Helper()
	setup := play.Setup{
		World:  play.World{Name: "local://direct", Open: func(context.Context) (openenv.Environment, error) { return &scripted{script: s, seeds: seeds}, nil }},
		Agent:  s.agent(calls),
		Header: play.Header{Environment: "local://direct", Started: "2026-01-02T03:04:05Z"},
		Strict: true, MaxSteps: s.MaxSteps,
	}
	if len(s.Judge) > 0 {
		setup.Judge = func(_ context.Context, prompt string) (string, error) {
			if reply := pick(s.Judge, prompt); reply != nil {
				return *reply, nil
			}
			return "", errors.New("no reply")
		}
	}
	b, err := play.New(setup)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (s script) config() compat.Config {
	c := compat.DefaultConfig()
	c.MaxSteps, c.Probes = s.MaxSteps, []string{}
	for i, name := range compat.ProbeNames() {
		if s.Switches[i] == 1 {
			c.Probes = append(c.Probes, name)
		}
	}
	return c
}

func evaluate(t *testing.T, release lqs.Release, s script) (*compat.Report, int, []int64) {
	t.Helper()
	var calls int
	var seeds []int64
	b := s.bench(t, &calls, &seeds)
	defer b.Close()
	report, err := compat.Evaluate(t.Context(), b, release, s.config(), s.Episodes)
	if err != nil {
		t.Fatal(err)
	}
	return report, calls, seeds
}

func single(t *testing.T, release lqs.Release, s script, name string) float64 {
	t.Helper()
	b := s.bench(t, new(int), new([]int64))
	defer b.Close()
	score, err := compat.Probe(t.Context(), b, release, s.config(), name, s.Episodes)
	if err != nil {
		t.Fatal(err)
	}
	return score
}

// pick is the entry of a table that a text falls on.
func pick[T any](table []T, of ...string) T {
	return table[int(crc32.ChecksumIEEE([]byte(strings.Join(of, "|")))%uint32(len(table)))]
}

type scripted struct {
	script
	seeds            *[]int64
	seed, at, length int
}

func (e *scripted) Reset(_ context.Context, o openenv.ResetOptions) (openenv.Result, error) {
	e.seed, e.at = int(o.Seed.Int64()), 0
	e.length = pick(e.Lengths, fmt.Sprint(e.seed))
	*e.seeds = append(*e.seeds, o.Seed.Int64())
	return openenv.Result{Observation: e.observation()}, nil
}

func (e *scripted) observation() json.RawMessage {
	if e.Observations == "text" {
		text, _ := json.Marshal(fmt.Sprintf("Seed %d, step %d: état.", e.seed, e.at))
		return text
	}
	return json.RawMessage(fmt.Sprintf(`{"step":%d,"seed":%d,"x":%v,"list":[],"more":{"b":%v,"a":"é"}}`, e.at, e.seed, openenv.Float(float64(e.seed)/7), openenv.Float(float64(e.at)/3)))
}

func (e *scripted) Step(_ context.Context, action json.RawMessage) (openenv.Result, error) {
	v, err := pyjson.Parse(string(action))
	if err != nil {
		return openenv.Result{}, err
	}
	reward := pick(e.Rewards, fmt.Sprint(e.seed), fmt.Sprint(e.at), v.Compact())
	e.at++
	return openenv.Result{Observation: e.observation(), Reward: reward, Done: e.at >= e.length}, nil
}

func (e *scripted) State(context.Context) (json.RawMessage, error) { return json.RawMessage("{}"), nil }
func (e *scripted) Close() error                                   { return nil }

func (s script) agent(calls *int) play.Agent {
	return func(_ context.Context, observation string) (string, string, error) {
		*calls++
		switch s.Agent {
		case "constant":
			return "go", "", nil
		case "counting":
			return fmt.Sprint(*calls), "", nil
		case "reading":
			return pick([]string{"up", "down", "left"}, observation), "", nil
		case "brittle":
			if strings.HasPrefix(observation, "{") {
				return fmt.Sprintf(`{"move": %d}`, crc32.ChecksumIEEE([]byte(observation))%5), "", nil
			}
			return "lost", "", nil
		case "thinking":
			return pick([]string{"up", "down", " up "}, observation), pick([]string{"since it is so", "", strings.Repeat("é", 1200)}, observation, "why"), nil
		}
		return "", "", fmt.Errorf("no agent %q", s.Agent)
	}
}
