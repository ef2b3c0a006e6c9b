package judge_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"candor/harness/lens/judge"
	"candor/harness/lens/service"
)

func ExampleScore() {
	score, ok := judge.Score("```json\n{\"relevance\": 0.9, \"coherence\": \"0.6\", \"uncertainty\": 2}\n```")
	fmt.Printf("%.3f %v\n", score, ok)
	_, ok = judge.Score(`{"relevance": "high"}`)
	fmt.Println(ok)
	// Output:
	// 0.833 true
	// false
}

// Three tries at what may go away, with the published waits between them, and
// no more; one at what will not.
func TestRetrying(t *testing.T) {
	for _, row := range []struct {
		failures  int
		temporary bool
		ok        bool
		waits     []time.Duration
	}{
		{0, true, true, nil},
		{2, true, true, []time.Duration{2 * time.Second, 4 * time.Second}},
		{3, true, false, []time.Duration{2 * time.Second, 4 * time.Second}},
		{1, false, false, nil},
	} {
		var waits []time.Duration
		asked := judge.Retrying(func(context.Context, string) (string, error) {
			if row.failures--; row.failures >= 0 {
				return "", &service.Error{Message: "busy", Temporary: row.temporary}
			}
			return "{}", nil
		}, func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil })
		reply, err := asked(t.Context(), "well?")
		if (err == nil) != row.ok || row.ok && reply != "{}" || !slices.Equal(waits, row.waits) {
			t.Errorf("%q, %v after %v", reply, err, waits)
		}
	}
}

// A score is from 0 to 1 whatever a judge says.
func FuzzScore(f *testing.F) {
	for _, seed := range []string{`{"relevance": 1}`, "```\n{}\n```", "{", `{"relevance": NaN, "coherence": -1e999}`, "a {b} c", "}{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		if score, ok := judge.Score(reply); ok && !(score >= 0 && score <= 1) {
			t.Fatalf("%q is scored %v", reply, score)
		}
	})
}
