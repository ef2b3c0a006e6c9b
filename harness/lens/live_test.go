package lens_test

import (
	"context"
	"encoding/json"
	"hash/crc32"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"candor/harness/env/cooling"
	"candor/harness/env/numbersort"
	"candor/harness/lens"
	"candor/harness/openenv"
	"candor/scoring/lqs"
)

// Both packages, live, and this one, against the same server over WebSockets,
// say the same. CANDOR_PEERS_LENS_013 and _021 name interpreters that have them
// (scripts/record.sh lens-python 0.1.3).
func TestPublishedPackagesLive(t *testing.T) {
	for release, variable := range map[lqs.Release]string{lqs.Release013: "CANDOR_PEERS_LENS_013", lqs.Release021: "CANDOR_PEERS_LENS_021"} {
		t.Run(string(release), func(t *testing.T) {
			python := os.Getenv(variable)
			if python == "" {
				t.Skip(variable + " names no Python")
			}
			for name, spec := range map[string]openenv.Spec{"cooling": cooling.Spec(cooling.Config{}), "number-sort": numbersort.Spec(numbersort.Config{})} {
				server, err := openenv.NewServer(spec, openenv.Options{Limits: openenv.Limits{Sessions: 1}})
				if err != nil {
					t.Fatal(err)
				}
				defer server.Close()
				web := httptest.NewServer(server)
				defer web.Close()
				compareLive(t, name, python, web.URL, release)
			}
		})
	}
}

func compareLive(t *testing.T, name, python, url string, release lqs.Release) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, "../../scripts/record/lens_live.py", url)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var says map[string]struct {
		Values  []float64
		Verdict string
		Calls   int
	}
	if err := json.Unmarshal(out, &says); err != nil || len(says) != 3 {
		t.Fatalf("%s: %v", out, err)
	}
	for agent, want := range says {
		calls := 0
		r, err := lens.Wrap(url).EvaluateAs(t.Context(), release, scriptedAgent(agent, &calls), lens.Options{Episodes: 3, Probes: []string{lens.Generalization, lens.Consistency, lens.HackDetection}})
		if err != nil {
			t.Fatal(err)
		}
		got := []float64{r.LQS, r.Generalization, r.Consistency, r.HackIndex, r.Reasoning, r.RawLearning, r.Trust, r.MeanReward, r.RewardStd}
		for i := range got {
			if math.Abs(got[i]-want.Values[i]) > 1e-9 {
				t.Errorf("%s, %s: figure %d is %v, not %v", name, agent, i, got[i], want.Values[i])
			}
		}
		if r.Verdict() != want.Verdict || calls != want.Calls {
			t.Errorf("%s, %s: %q, %d calls; not %q, %d", name, agent, r.Verdict(), calls, want.Verdict, want.Calls)
		}
	}
}

// scriptedAgent is agent_of of scripts/record/lens.py.
func scriptedAgent(name string, calls *int) lens.Agent {
	return func(_ context.Context, observation string) (string, string, error) {
		*calls++
		sum := crc32.ChecksumIEEE([]byte(observation))
		switch name {
		case "constant":
			return "go", "", nil
		case "reading":
			return []string{"up", "down", "left"}[sum%3], "", nil
		}
		return []string{"up", "down", " up "}[sum%3], "since", nil
	}
}
