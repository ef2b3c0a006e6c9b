package compare_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"candor/harness/compare"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// ran is a run of two tasks whose manifest is changed by change.
func ran(name string, change func(*run.Stored)) *stored.Answers {
	verdict, confidence := "SUPPORTED", 0.9
	s := &run.Stored{Manifest: run.Manifest{Tasks: 2, Config: run.DefaultConfig(), Hashed: map[string]string{
		"tasks": "hash", "model": "m", "model_digest": strings.Repeat("a", 64), "server_version": "0.24.0", "prompt": "p", "seed": "0",
		"options": `{"temperature":0.7,"top_p":0.8}`, "rule": "brier", "abstain_reward": "0.8",
	}}}
	for _, id := range []string{"random/1", "random/2"} {
		s.Traces = append(s.Traces, run.Trace{
			TaskID: id, Split: "random", ImageSource: "i" + id, Claim: "There is a dog in the image.", ClaimKey: "k" + id, Label: "SUPPORTED",
			Verdict: &verdict, Confidence: &confidence, Outcome: scoring.Answered, Correct: 1, Image: run.TraceImage{SourceSHA256: "sha" + id},
		})
	}
	change(s)
	return &stored.Answers{Name: name, Rows: s.Rows(), Run: s}
}

func asIs(*run.Stored) {}

// Each row is one thing under which the second run was made differently, and
// the name under which it is told.
func TestCircumstances(t *testing.T) {
	hashed := func(key, value string) func(*run.Stored) {
		return func(s *run.Stored) { s.Manifest.Hashed[key] = value }
	}
	for _, row := range []struct {
		name   string
		change func(*run.Stored)
		want   []string
	}{
		{"nothing", asIs, nil},
		{"another choice of seeds is no other task", hashed("tasks", "other"), nil},
		{"server version", hashed("server_version", "0.31.1"), []string{"server_version"}},
		{"digest", hashed("model_digest", strings.Repeat("b", 64)), []string{"model_digest"}},
		{"prompt", hashed("prompt", "q"), []string{"prompt"}},
		{"payoff, which stands in the prompt", hashed("abstain_reward", "0.9"), []string{"abstain_reward"}},
		{"an option", hashed("options", `{"temperature":0,"top_p":0.8}`), []string{"temperature"}},
		{"an option more", hashed("options", `{"temperature":0.7,"top_p":0.8,"min_p":0.1}`), []string{"min_p"}},
	} {
		for _, intended := range []bool{false, true} {
			req := compare.Request{}
			if intended {
				req.Intended = row.want
			}
			r, err := compare.Answers(t.Context(), ran("a", asIs), []*stored.Answers{ran("b", row.change)}, req)
			if err != nil {
				t.Errorf("%s: %v", row.name, err)
				continue
			}
			var told []string
			for _, c := range r.Circumstances {
				told = append(told, c.What)
				if c.Intended != intended || c.Run != "b" || c.Base == c.Other {
					t.Errorf("%s: %+v", row.name, c)
				}
			}
			warned := 0
			for _, w := range r.Warnings {
				if strings.HasPrefix(w.Code, "differs_") {
					warned++
				}
			}
			if !slices.Equal(told, row.want) || (warned == len(row.want)) == (intended && len(row.want) > 0) {
				t.Errorf("%s, intended %v: told %v, %d warnings", row.name, intended, told, warned)
			}
		}
	}
	_, err := compare.Answers(t.Context(), ran("a", asIs), []*stored.Answers{ran("b", asIs)}, compare.Request{Intended: []string{"heat"}})
	if !errors.As(err, new(*run.UsageError)) {
		t.Errorf("a word that names nothing: %v", err)
	}
}

// What each run brings along is told: under its name, or once for all.
func TestInheritedWarnings(t *testing.T) {
	random := func(s *run.Stored) { s.Manifest.Model.RandomWeights, s.Manifest.Model.Model = true, "tiny" }
	count := func(r *compare.Result, code, prefix string) int {
		n := 0
		for _, w := range r.Warnings {
			if w.Code == code && strings.HasPrefix(w.Message, prefix) {
				n++
			}
		}
		return n
	}
	one, err := compare.Answers(t.Context(), ran("a", asIs), []*stored.Answers{ran("b", random)}, compare.Request{})
	if err != nil || count(one, "random_weights", "b: ") != 1 {
		t.Errorf("%v %v", one, err)
	}
	both, err := compare.Answers(t.Context(), ran("a", random), []*stored.Answers{ran("b", random)}, compare.Request{})
	if err != nil || count(both, "random_weights", "tiny has random weights") != 1 || count(both, "random_weights", "") != 1 {
		t.Errorf("%v %v", both, err)
	}
}

// Each row is how two runs were paid, how the comparison pays them, and which
// rewards are then marked as hypothetical.
func TestAsIf(t *testing.T) {
	paid := func(a float64) func(*run.Stored) {
		return func(s *run.Stored) { s.Manifest.Config.Abstain = &a }
	}
	for _, row := range []struct {
		name  string
		a, b  float64
		req   compare.Request
		marks []string
	}{
		{"their own payment", .8, .8, compare.Request{}, []string{}},
		{"named", .8, .8, compare.Request{Rule: "brier", Abstain: new(.8)}, []string{}},
		{"another rule for both", .8, .8, compare.Request{Rule: "log"}, []string{"as if: answers given under brier, 0.8"}},
		{"the base's, which the other was not told", .8, .9, compare.Request{}, []string{"b: as if: answers given under brier, 0.9"}},
		{"neither's", .8, .9, compare.Request{Abstain: new(.85)}, []string{"a: as if: answers given under brier, 0.8", "b: as if: answers given under brier, 0.9"}},
	} {
		r, err := compare.Answers(t.Context(), ran("a", paid(row.a)), []*stored.Answers{ran("b", paid(row.b))}, row.req)
		if err != nil || !slices.Equal(r.AsIf, row.marks) {
			t.Errorf("%s: %+v, %v; want %q", row.name, r, err, row.marks)
		}
	}
}

// Each row makes the second run one of other tasks; the error names the task
// and, for a run that is not finished, how to go on.
func TestOtherTasks(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*run.Stored)
		want   string
	}{
		{"another claim", func(s *run.Stored) { s.Traces[1].ClaimKey, s.Traces[1].Claim = "x", "There is a cat." }, `task "random/2": claims "There is a dog in the image." in a but "There is a cat." in b`},
		{"another picture of the same name", func(s *run.Stored) { s.Traces[0].Image.SourceSHA256 = "x" }, `task "random/1": shows another picture`},
		{"another label", func(s *run.Stored) { s.Traces[0].Label = "REFUTED" }, `task "random/1": is labelled SUPPORTED in a but REFUTED in b`},
		{"not finished", func(s *run.Stored) { s.Traces = s.Traces[:1] }, `b is PARTIAL and lacks 1 tasks: candor eval --resume b`},
		{"more", func(s *run.Stored) { s.Failed, s.Manifest.Tasks = []string{"random/3"}, 3 }, `task "random/3": is in b but not in a`},
	} {
		_, err := compare.Answers(t.Context(), ran("a", asIs), []*stored.Answers{ran("b", row.change)}, compare.Request{})
		if !errors.As(err, new(*scoring.PairError)) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; want %q", row.name, err, row.want)
		}
	}
}
