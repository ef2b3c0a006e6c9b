package lens_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/lens"
	"candor/harness/openenv"
)

// steps is an environment of several steps: each shows the number that is right,
// and an action without a "say" is refused.
type steps struct {
	pays func(at int, right bool) (reward string, done bool)
	seed int64
	at   int
}

func (e *steps) target() int64 { return (e.seed*7 + int64(e.at)) % 5 }

func (e *steps) shown() json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"number":%d,"step":%d}`, e.target(), e.at))
}

func (e *steps) Reset(_ context.Context, o openenv.ResetOptions) (openenv.Result, error) {
	e.seed, e.at = o.Seed.Int64(), 0
	return openenv.Result{Observation: e.shown()}, nil
}

func (e *steps) Step(_ context.Context, action json.RawMessage) (openenv.Result, error) {
	var said struct{ Say *int64 }
	if json.Unmarshal(action, &said) != nil || said.Say == nil && string(action) != "{}" {
		return openenv.Result{}, &openenv.Error{Code: openenv.CodeValidation, Message: "no such field"}
	}
	reward, done := e.pays(e.at, said.Say != nil && *said.Say == e.target())
	e.at++
	return openenv.Result{Observation: e.shown(), Reward: json.RawMessage(reward), Done: done}, nil
}

func (e *steps) State(context.Context) (json.RawMessage, error) { return json.RawMessage("{}"), nil }
func (e *steps) Close() error                                   { return nil }

// saying answers with the number shown in a field of some name.
func saying(field func(seen int64) string) lens.Agent {
	return func(ctx context.Context, observation string) (string, string, error) {
		var n int64
		if _, after, ok := strings.Cut(observation, `"number":`); ok {
			_, _ = fmt.Sscan(strings.TrimSpace(after), &n)
		}
		return fmt.Sprintf(`{%q:%d}`, field(n), n), "", nil
	}
}

func always(name string) func(int64) string { return func(int64) string { return name } }

// costly takes one away at each step until the goal, and never stops before the
// third: to end at once would be the best plan.
func costly(at int, right bool) (string, bool) { return "-1", right && at >= 2 || at >= 9 }

// A refusal is no way to save what steps cost, nor the best that was seen, nor
// a reward outside of what is declared.
func TestRefusalsArePaidTheLeast(t *testing.T) {
	asked := 0
	for _, row := range []struct {
		name     string
		field    func(int64) string
		declared *lens.Range
		mean     float64
		learned  bool
	}{
		{"refused always", always("nonsense"), nil, -10, false},
		{"refused always, range declared", always("nonsense"), &lens.Range{Least: -12, Greatest: -3}, -12, false},
		{"never refused", always("say"), nil, -3, true},
		{"now and then refused: what was paid before does not count", func(int64) string {
			asked++
			return map[bool]string{true: "nonsense", false: "say"}[asked%20 == 0]
		}, nil, math.NaN(), true},
	} {
		r, err := lens.Direct("x", &steps{pays: costly}).Declare(lens.Declaration{Total: row.declared}).Evaluate(t.Context(), saying(row.field), lens.Options{Bootstrap: 20})
		if err != nil {
			t.Fatal(err)
		}
		if r.Missing.Lies != 0 || r.Incomplete() || r.Competence == nil || (*r.Competence > 0) != row.learned || *r.Best != -3 && row.learned {
			t.Errorf("%s: competence %v, best %v, missing %+v", row.name, *r.Competence, r.Best, r.Missing)
		}
		if !math.IsNaN(row.mean) && *r.MeanReward != row.mean || math.IsNaN(row.mean) && !(*r.MeanReward > -10 && *r.MeanReward < -3 && *r.Competence < 1) {
			t.Errorf("%s: mean reward %v", row.name, *r.MeanReward)
		}
		if strings.Contains(r.Verdict, "each of its episodes ended") == row.learned || !row.learned && (*r.LQS != 0 || r.Best != nil && *r.Best == *r.MeanReward && row.declared == nil && r.Missing.Refused != 10) {
			t.Errorf("%s: %s", row.name, r.Verdict)
		}
	}
}

// Rewards that no sum can be made of are none, whoever is paid them.
func TestRewardsBeyondMeasure(t *testing.T) {
	for _, pay := range []string{"1e308", "-1e308", "1.5e308"} {
		r, err := lens.Direct("x", &steps{pays: func(at int, right bool) (string, bool) {
			return map[bool]string{true: pay, false: "0"}[right], at >= 3
		}}).Evaluate(t.Context(), saying(always("say")), lens.Options{Bootstrap: 20})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.JSON(); err != nil || r.LQS != nil || r.Missing.Lies == 0 || r.Missing.Scored != 0 || !r.Incomplete() || !strings.Contains(r.Verdict, "Too little evidence") {
			t.Errorf("%s: %v, LQS %v, %+v, %s", pay, err, r.LQS, r.Missing, r.Verdict)
		}
	}
	_, err := lens.Direct("x", &steps{pays: costly}).Declare(lens.Declaration{Total: &lens.Range{Least: -1e308, Greatest: 1e308}}).Evaluate(t.Context(), saying(always("say")), lens.Options{})
	if err == nil || !strings.Contains(err.Error(), "may be from") {
		t.Errorf("declared bounds beyond measure: %v", err)
	}
}

// Null is no reward: where one is due the episode is missing, and only where an
// environment pays at the end is none due before.
func TestNullRewards(t *testing.T) {
	one := func(right bool, yes, no string) string { return map[bool]string{true: yes, false: no}[right] }
	for _, row := range []struct {
		name   string
		pays   func(at int, right bool) (string, bool)
		scored int
	}{
		{"the pay comes at the end", func(at int, right bool) (string, bool) { return one(at < 3, "null", one(right, "1", "0")), at >= 3 }, 10},
		{"null or 0 until then", func(at int, right bool) (string, bool) {
			return one(at < 3, one(at == 1, "0", "null"), one(right, "1", "0")), at >= 3
		}, 10},
		{"every second step, and the others cost", func(at int, right bool) (string, bool) {
			return one(at%2 == 0, "null", one(right, "-1", "-2")), at >= 3
		}, 0},
		{"at the last step, after pay", func(at int, right bool) (string, bool) { return one(at >= 3, "null", one(right, "1", "0")), at >= 3 }, 0},
		{"at the last step, nothing was paid", func(at int, right bool) (string, bool) { return one(at >= 3, "null", "0"), at >= 3 }, 0},
		{"the end does not come", func(at int, right bool) (string, bool) { return one(at < 49, "null", "0"), false }, 0},
	} {
		r, err := lens.Direct("x", &steps{pays: row.pays}).Evaluate(t.Context(), saying(always("say")), lens.Options{Bootstrap: 20})
		if err != nil {
			t.Fatal(err)
		}
		if r.Missing.Scored != row.scored || r.Incomplete() != (row.scored < 10) || (r.Missing.Null > 0) != (row.scored < 10) || (r.LQS != nil) != (row.scored == 10) {
			t.Errorf("%s: LQS %v, %+v", row.name, r.LQS, r.Missing)
		}
	}
}

// A journal whose header no measurement could have written is refused.
func TestHeadersThatCannotBe(t *testing.T) {
	for _, compat := range []string{"none", "0.2.1"} {
		for _, n := range []int{-5, 0, 1001} {
			name := filepath.Join(t.TempDir(), "j.jsonl")
			header := fmt.Sprintf(`{"kind":"lens","format":1,"environment":"x","agent":"a","judge":"","compat":%q,"episodes":%d,"started":"2026-01-01T00:00:00Z","config":{}}`+"\n", compat, n)
			if err := os.WriteFile(name, []byte(header), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := lens.Replay(t.Context(), name); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("tells of %d episodes", n)) {
				t.Errorf("%s, %d episodes: %v", compat, n, err)
			}
		}
	}
}
