package lens_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/env/cooling"
	"candor/harness/lens"
	"candor/harness/lens/play"
	"candor/harness/openenv"
	"candor/scoring/lqs"
)

// guess is an environment of one step: the number shown is the right answer,
// unless a test has it do otherwise.
type guess struct {
	shows func(seed int64) any
	pays  func(seed int64, right bool) string
	fails func(seed int64, call string) error
	seed  int64
}

func (g *guess) Reset(_ context.Context, o openenv.ResetOptions) (openenv.Result, error) {
	g.seed = o.Seed.Int64()
	if g.fails != nil {
		if err := g.fails(g.seed, "reset"); err != nil {
			return openenv.Result{}, err
		}
	}
	shown := any(g.seed)
	if g.shows != nil {
		shown = g.shows(g.seed)
	}
	text, err := json.Marshal(map[string]any{"number": shown})
	return openenv.Result{Observation: text}, err
}

func (g *guess) Step(_ context.Context, action json.RawMessage) (openenv.Result, error) {
	if g.fails != nil {
		if err := g.fails(g.seed, "step"); err != nil {
			return openenv.Result{}, err
		}
	}
	var said struct{ Guess *int64 }
	right := json.Unmarshal(action, &said) == nil && said.Guess != nil && *said.Guess == g.seed
	reward := map[bool]string{true: "1.0", false: "0.0"}[right]
	if g.pays != nil {
		reward = g.pays(g.seed, right)
	}
	return openenv.Result{Observation: json.RawMessage(`{}`), Reward: json.RawMessage(reward), Done: true}, nil
}

func (g *guess) State(context.Context) (json.RawMessage, error) { return json.RawMessage("{}"), nil }
func (g *guess) Close() error                                   { return nil }

// repeating says the number that it is shown.
func repeating(_ context.Context, observation string) (string, string, error) {
	from, to := strings.Index(observation, "{"), strings.LastIndex(observation, "}")
	var seen struct{ Number json.Number }
	if err := json.Unmarshal([]byte(observation[from:to+1]), &seen); err != nil {
		return "", "", err
	}
	return fmt.Sprintf(`{"guess": %s}`, seen.Number), "It says so.", nil
}

// declared is what is known of guess: what it pays, and that saying nothing is no
// guess.
var declared = lens.Declaration{Total: &lens.Range{Least: 0, Greatest: 1}, NoOp: json.RawMessage("{}")}

func evaluate(t *testing.T, g *guess, agent lens.Agent, o lens.Options) *lens.Report {
	t.Helper()
	o.Bootstrap = 50
	r, err := lens.Direct("local:guess", g).Declare(declared).Evaluate(t.Context(), agent, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What an environment does wrong is never the agent's fault, and is told.
func TestEnvironmentsThatMisbehave(t *testing.T) {
	closed := errors.New("connection closed")
	for _, row := range []struct {
		name  string
		env   guess
		lqs   bool // measured, and then 1
		says  string
		check func(lens.Missing) bool
	}{
		{"nothing wrong", guess{}, true, "strong", func(m lens.Missing) bool { return m.Scored == 10 && len(m.Messages) == 0 }},
		{"it pays more than it says", guess{pays: func(s int64, right bool) string {
			if s == 1 {
				return "7"
			}
			return map[bool]string{true: "1", false: "0"}[right]
		}}, true, "1 rewards were no numbers or outside", func(m lens.Missing) bool { return m.Lies == 1 && m.Scored == 9 }},
		{"it pays NaN", guess{pays: func(s int64, right bool) string {
			if s == 1 {
				return "NaN"
			}
			return map[bool]string{true: "1", false: "0"}[right]
		}}, true, "1 rewards were no numbers", func(m lens.Missing) bool { return m.Lies == 1 && m.Scored == 9 }},
		{"it pays null", guess{pays: func(int64, bool) string { return "null" }}, false, "no episode of the agent's could be scored", func(m lens.Missing) bool { return m.Null == 10 && m.Scored == 0 }},
		{"it breaks at two seeds", guess{fails: func(s int64, call string) error {
			if s == 2 && call == "step" || s == 1003 {
				return closed
			}
			return nil
		}}, true, "2 of the agent's 10 episodes are missing", func(m lens.Missing) bool { return m.Env == 2 && m.Scored == 8 && m.Attempts == 2 }},
		{"it is gone", guess{fails: func(int64, string) error { return closed }}, false, "not tried any more", func(m lens.Missing) bool { return m.Env == 3 && m.Scored == 0 }},
		{"it pays everybody the same", guess{pays: func(int64, bool) string { return "0" }}, true, "", nil},
	} {
		r := evaluate(t, &row.env, repeating, lens.Options{})
		if row.name == "it pays everybody the same" { // but 1 is declared to be possible
			if r.LQS == nil || *r.LQS != 0 {
				t.Errorf("%s: %v", row.name, r.LQS)
			}
			continue
		}
		text, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if (r.LQS != nil) != row.lqs || row.lqs && *r.LQS != 1 || !strings.Contains(text, row.says) || !row.check(r.Missing) {
			t.Errorf("%s: LQS %v, missing %+v\n%s", row.name, r.LQS, r.Missing, text)
		}
		if r.Incomplete() != (r.Missing.Scored < 10) {
			t.Errorf("%s: incomplete is %v", row.name, r.Incomplete())
		}
	}
}

// Seeds that change nothing leave generalization unmeasured, and so do those
// that do not repeat what they gave.
func TestSeedsIgnored(t *testing.T) {
	count := 0
	for _, row := range []struct {
		shows func(int64) any
		says  string
	}{
		{func(int64) any { return 5 }, "it was the same with every one"},
		{func(int64) any { count++; return count }, "begun twice with one seed, it was not the same"},
	} {
		r := evaluate(t, &guess{shows: row.shows, pays: func(s int64, right bool) string { return map[bool]string{true: "0", false: "1"}[right] }}, repeating, lens.Options{})
		if r.Generalization != nil || r.LQS != nil && *r.LQS != 0 || !strings.Contains(r.Probes[lens.Generalization].Unknown, row.says) {
			t.Errorf("%v, %q", r.Generalization, r.Probes[lens.Generalization].Unknown)
		}
	}
}

// An agent that cannot be reached is not one that answers wrongly.
func TestAgentsThatFail(t *testing.T) {
	r := evaluate(t, &guess{}, func(context.Context, string) (string, string, error) { return "", "", errors.New("no such server") }, lens.Options{})
	if r.LQS != nil || r.Missing.Agent != 10 || r.Missing.Scored != 0 || !strings.HasPrefix(r.Verdict, "Too little evidence") || !slices.Contains(r.Missing.Messages, "no such server") {
		t.Errorf("%v, %+v, %s", r.LQS, r.Missing, r.Verdict)
	}
}

// Nothing that is not measured is a half.
func TestWhatIsNotMeasuredIsNull(t *testing.T) {
	r := evaluate(t, &guess{}, repeating, lens.Options{Probes: []string{lens.Consistency}})
	if r.Generalization != nil || r.HackIndex != nil || r.Reasoning != nil || r.LQS != nil || *r.Consistency != 1 || *r.Competence != 1 {
		t.Errorf("%+v", r)
	}
	r = evaluate(t, &guess{}, repeating, lens.Options{Probes: []string{lens.Consistency, lens.Generalization}})
	if r.LQS == nil || *r.LQS != 1 || !r.UpperBound || r.Trust != nil || !strings.Contains(r.Verdict, "at most") {
		t.Errorf("%v, %v, %v", r.LQS, r.UpperBound, r.Verdict)
	}
	r = evaluate(t, &guess{}, repeating, lens.Options{Episodes: 3})
	if !strings.HasPrefix(r.Verdict, "Too little evidence for a verdict: 3 episodes on base seeds") {
		t.Errorf("%s", r.Verdict)
	}
}

func TestReasoning(t *testing.T) {
	calls := 0
	replies := []string{`{"relevance":1,"coherence":1,"uncertainty":1}`, `{"relevance":0.7,"coherence":0.7,"uncertainty":0.7}`}
	r := evaluate(t, &guess{}, repeating, lens.Options{AgentName: "m", JudgeName: "m", Judge: func(_ context.Context, prompt string) (string, error) {
		if !strings.Contains(prompt, "It says so.") {
			return "", errors.New("no reason in it")
		}
		calls++
		return replies[calls%2], nil
	}})
	s := r.Probes[lens.Reasoning]
	if calls != 10 || s.Value == nil || *s.Value < .849 || *s.Value > .851 || *s.Repeatability < .699 || *s.Repeatability > .701 || s.Cost.JudgeCalls != 10 {
		t.Errorf("%d calls, %+v", calls, s)
	}
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "the judge is the agent itself") }) {
		t.Errorf("%q", r.Warnings)
	}
}

// A measurement that was interrupted goes on where it was; what is replayed is
// the same to the byte.
func TestResumeAndReplay(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "j.jsonl")
	asked, stopAt := 0, 30
	ctx, cancel := context.WithCancel(t.Context())
	agent := func(ctx context.Context, o string) (string, string, error) {
		if asked == stopAt {
			cancel()
			return "", "", ctx.Err()
		}
		asked++
		return repeating(ctx, o)
	}
	o := lens.Options{Journal: journal, Bootstrap: 50}
	through := func() *lens.Lens {
		return lens.Direct("local:guess", &guess{}).Declare(lens.Declaration{Total: &lens.Range{Greatest: 1}, Planted: []lens.Policy{{Name: "none", Act: nothing}}})
	}
	if _, err := through().Evaluate(ctx, agent, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	tear(t, journal)
	stopAt = -1
	resumed, err := through().Evaluate(t.Context(), agent, o)
	if err != nil {
		t.Fatal(err)
	}
	unbroken := evaluate(t, &guess{}, repeating, lens.Options{})
	if want := calls(unbroken); asked != want {
		t.Errorf("asked %d times in all, not %d", asked, want)
	}
	replayed, err := lens.Replay(t.Context(), journal)
	if err != nil {
		t.Fatal(err)
	}
	a, errA := resumed.JSON()
	b, errB := replayed.Report.JSON()
	if a != b || errors.Join(errA, errB) != nil {
		t.Errorf("replayed is\n%s\nnot\n%s", b, a)
	}
}

func calls(r *lens.Report) int {
	return r.Probes[lens.Generalization].Cost.AgentCalls + r.Probes[lens.Consistency].Cost.AgentCalls
}

// A journal that ends before the judge was asked, or before the agent played,
// says so of reasoning, not that the agent gives no reasons.
func TestReplayOfTheUnjudged(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "j.jsonl")
	judge := func(context.Context, string) (string, error) {
		return `{"relevance":1,"coherence":1,"uncertainty":1}`, nil
	}
	evaluate(t, &guess{}, repeating, lens.Options{Journal: journal, JudgeName: "j", Judge: judge})
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for name, row := range map[string]struct {
		keep func(line string) bool
		want string
	}{
		"no opinion": {func(line string) bool { return !strings.HasPrefix(line, `{"opinion"`) }, "no opinion of the judge's on any step is recorded"},
		"no episode": {func(line string) bool { return line == lines[0] }, "there is no step of the agent's to be judged"},
	} {
		left := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !row.keep(line) })
		if err := os.WriteFile(journal, []byte(strings.Join(left, "")), 0o644); err != nil || len(left) == len(lines) {
			t.Fatal("nothing is left out", err)
		}
		r, err := lens.Replay(t.Context(), journal)
		if err != nil {
			t.Fatal(err)
		}
		if s := r.Report.Probes[lens.Reasoning]; s.Value != nil || !strings.Contains(s.Unknown, row.want) {
			t.Errorf("%s: %+v; want %q", name, s, row.want)
		}
	}
}

func TestReplayOfAPublishedEvaluation(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "j.jsonl")
	for _, release := range []lqs.Release{lqs.Release013, lqs.Release021} {
		name := journal + string(release)
		r, err := lens.Direct("local:guess", &guess{}).EvaluateAs(t.Context(), release, repeating, lens.Options{Journal: name})
		if err != nil {
			t.Fatal(err)
		}
		replayed, err := lens.Replay(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := r.JSON()
		b, _ := replayed.Compat.JSON()
		if a != b {
			t.Errorf("%s\nnot\n%s", b, a)
		}
	}
}

// A reward of null counts as 0 there, and is counted.
func TestNullRewardsAsPublished(t *testing.T) {
	r, err := lens.Direct("local:guess", &guess{pays: func(s int64, _ bool) string {
		if s == 1 {
			return "null"
		}
		return "1"
	}}).EvaluateAs(t.Context(), lqs.Release013, repeating, lens.Options{Episodes: 2})
	if err != nil || r.MissingRewards != 4 || r.MeanReward != .5 { // once in each probe, and once for the mean
		t.Errorf("%+v, %v", r, err)
	}
}

// Whatever breaks ends a published evaluation, in the published words.
func TestErrorsAsPublished(t *testing.T) {
	broken := &guess{fails: func(_ int64, call string) error {
		if call == "step" {
			return &openenv.Error{Code: openenv.CodeExecution, Message: "boom"}
		}
		return nil
	}}
	_, err := lens.Direct("local:guess", broken).EvaluateAs(t.Context(), lqs.Release021, repeating, lens.Options{})
	if err == nil || err.Error() != "step() failed at local:guess: Server error: boom (code: EXECUTION_ERROR)" {
		t.Errorf("%v", err)
	}
	if _, err := lens.Direct("local:guess", &guess{}).ProbeAs(t.Context(), lqs.Release021, "luck", repeating, lens.Options{}); err == nil || err.Error() != "probe_name must be one of ['generalization', 'consistency', 'hack_detection', 'reasoning'], got 'luck'" {
		t.Errorf("%v", err)
	}
}

// Over a server it is the same as without one, and a server for one session is
// enough, evaluation after evaluation.
func TestOverAServer(t *testing.T) {
	server, err := openenv.NewServer(cooling.Spec(cooling.Config{}), openenv.Options{Limits: openenv.Limits{Sessions: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()
	agent := func(_ context.Context, o string) (string, string, error) {
		action, why := cooling.Watchful(o)
		return action, why, nil
	}
	for range 2 {
		remote, err := lens.Wrap(web.URL).Evaluate(t.Context(), agent, lens.Options{Bootstrap: -1, Episodes: 2})
		if err != nil {
			t.Fatal(err)
		}
		near, err := lens.Local(cooling.Spec(cooling.Config{})).Evaluate(t.Context(), agent, lens.Options{Bootstrap: -1, Episodes: 2})
		if err != nil {
			t.Fatal(err)
		}
		if *remote.LQS != *near.LQS || *remote.HackIndex != 0 || *remote.MeanReward != *near.MeanReward || remote.Missing.Scored != 4 {
			t.Errorf("%+v\nnot\n%+v", remote, near)
		}
	}
	web.Close()
	var gone *lens.UnavailableError
	if _, err := lens.Wrap(web.URL).Evaluate(t.Context(), agent, lens.Options{}); !errors.As(err, &gone) || !strings.Contains(err.Error(), "failed health check") {
		t.Errorf("%v", err)
	}
}

func nothing(*rand.Rand, int, string) string { return "{}" }

// tear leaves half a line behind, as a crash does.
func tear(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"episode":{"key`); err != nil {
		t.Fatal(err)
	}
}

// brevity is a probe of one's own.
type brevity struct{}

func (brevity) Name() string { return "brevity" }
func (brevity) Doc() string  { return "The share of answers of at most 12 characters." }

func (brevity) Measure(ctx context.Context, bench *play.Bench, episodes int) (float64, error) {
	brief, steps := 0., 0.
	for i := range 2 * episodes { // small seeds and large ones
		seed := int64(i/2 + i%2*1000)
		e, err := bench.Episode(ctx, fmt.Sprintf("brevity/%d", seed), seed)
		if err != nil {
			return 0, err
		}
		for _, s := range e.Steps {
			steps++
			if len(s.Action) <= 12 {
				brief++
			}
		}
	}
	if steps == 0 {
		return 0, errors.New("nothing was said")
	}
	return brief / steps, nil
}

// scoring is a probe that always says the same.
type scoring float64

func (scoring) Name() string { return "fixed" }
func (scoring) Doc() string  { return "Always the same." }
func (s scoring) Measure(context.Context, *play.Bench, int) (float64, error) {
	if s < 0 {
		return 0, errors.New("nobody knows")
	}
	return float64(s), nil
}

// A probe that weighs nothing is only reported; one that weighs and is not
// measured leaves no score.
func TestCustomProbes(t *testing.T) {
	for _, row := range []struct {
		score, weight float64
		lqs           *float64
		unknown       string
	}{
		{.25, .5, ptr(.5), ""},
		{.25, 0, ptr(1.), ""},
		{-1, 0, ptr(1.), "nobody knows"},
		{-1, 1, nil, "nobody knows"},
		{7, 1, nil, "a score is from 0 to 1"},
	} {
		r := evaluate(t, &guess{}, repeating, lens.Options{Custom: []lens.Custom{{Probe: scoring(row.score), Weight: row.weight}}})
		if (r.LQS == nil) != (row.lqs == nil) || r.LQS != nil && *r.LQS != *row.lqs || !strings.Contains(r.Custom[0].Unknown, row.unknown) || (r.Custom[0].Value == nil) != (row.unknown != "") {
			t.Errorf("%+v: %v, %+v", row, r.LQS, r.Custom)
		}
		if row.lqs == nil && !strings.Contains(r.Unknown, "fixed is not measured") {
			t.Errorf("%q", r.Unknown)
		}
	}
}

func ptr(v float64) *float64 { return &v }

// The probe stands beside the four in the report, in JSON and on the page.
func ExampleProbe() {
	report, err := lens.Direct("local:guess", &guess{}).Evaluate(context.Background(), repeating, lens.Options{
		Custom: []lens.Custom{{Probe: brevity{}, Weight: .5}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var printed strings.Builder
	if err := report.Print(&printed); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(printed.String()) {
		if strings.Contains(line, "brevity") || strings.Contains(line, "Raw Learning") {
			fmt.Print(strings.TrimLeft(line, " "))
		}
	}
	text, err := json.Marshal(report.Custom)
	fmt.Println(string(text), err)
	// Output:
	// brevity                 0.50   █████░░░░░                  custom, weight 0.5
	// Raw Learning          0.71   ███████░░░                  K x sqrt(G x C)
	// [{"name":"brevity","doc":"The share of answers of at most 12 characters.","weight":0.5,"value":0.5}] <nil>
}

// Direct measures in an environment of one's own; so do Wrap, behind a URL, and
// Local, of an openenv.Spec. What is declared is what the protocol has no place
// for: what an episode is paid, and what doing nothing is.
func ExampleLens_Evaluate() {
	agent := func(_ context.Context, observation string) (action, reasoning string, err error) {
		// The observation is text: JSON, or JSON with words around it.
		from, to := strings.Index(observation, "{"), strings.LastIndex(observation, "}")
		var seen struct{ Number int }
		if err := json.Unmarshal([]byte(observation[from:to+1]), &seen); err != nil {
			return "", "", err
		}
		return fmt.Sprintf(`{"guess": %d}`, seen.Number), "It says so.", nil
	}
	report, err := lens.Direct("local:guess", &guess{}).Declare(lens.Declaration{
		Total: &lens.Range{Least: 0, Greatest: 1},
		NoOp:  json.RawMessage(`{}`),
	}).Evaluate(context.Background(), agent, lens.Options{AgentName: "repeating"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Verdict)
	// Output:
	// Agent demonstrates strong learning quality (LQS=1.00).
}
