package play_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"candor/harness/lens/play"
	"candor/harness/openenv"
)

// env pays what its list says, step by step, and does what a test wants before.
type env struct {
	rewards []string
	at      int
	before  func(ctx context.Context, call string) error
}

func (e *env) call(ctx context.Context, name string) error {
	if e.before == nil {
		return nil
	}
	return e.before(ctx, name)
}

func (e *env) Reset(ctx context.Context, o openenv.ResetOptions) (openenv.Result, error) {
	e.at = 0
	return openenv.Result{Observation: json.RawMessage(fmt.Sprintf(`{"seed":%v}`, o.Seed))}, e.call(ctx, "reset")
}

func (e *env) Step(ctx context.Context, _ json.RawMessage) (openenv.Result, error) {
	if err := e.call(ctx, "step"); err != nil {
		return openenv.Result{}, err
	}
	e.at++
	return openenv.Result{Observation: json.RawMessage(`{"a":0.0}`), Reward: json.RawMessage(e.rewards[e.at-1]), Done: e.at == len(e.rewards), Metadata: json.RawMessage(`{"check":0.5}`)}, nil
}

func (e *env) State(context.Context) (json.RawMessage, error) { return json.RawMessage("{}"), nil }
func (e *env) Close() error                                   { return nil }

func world(e *env) play.World {
	return play.World{Name: "local:test", Open: func(context.Context) (openenv.Environment, error) { return e, nil }}
}

func agent(_ context.Context, observation string) (string, string, error) {
	return "go", "since " + observation, nil
}

func newBench(t *testing.T, s play.Setup) *play.Bench {
	t.Helper()
	if s.Agent == nil {
		s.Agent = agent
	}
	s.Header.Kind, s.Header.Format = "lens", play.Format
	b, err := play.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is no finite number was not paid, and what it was is kept.
func TestRewardsAsTold(t *testing.T) {
	w := world(&env{rewards: []string{"1", "null", "0.5", "1e400", "true", "NaN"}})
	w.Declared.CheckKey = "check"
	w.Declared.Planted = []play.Policy{{Name: "p", Act: func(*rand.Rand, int, string) string { return `{"b":1}` }}}
	b := newBench(t, play.Setup{World: w})
	defer b.Close()
	e, err := b.Episode(t.Context(), "a", 3)
	if err != nil || e.Fault != nil || !e.Done || len(e.Steps) != 6 {
		t.Fatalf("%+v %v", e, err)
	}
	if fmt.Sprint(e.Rewards()) != "[1 0 0.5 0 1 0]" {
		t.Errorf("paid %v", e.Rewards())
	}
	for i, told := range []string{"", "null", "", "1e400", "", "NaN"} {
		if s := e.Steps[i]; s.Told != told || (s.Reward == nil) != (told != "") {
			t.Errorf("step %d: %v, told %q", i, s.Reward, s.Told)
		}
	}
	s := e.Steps[0]
	if s.Observation != "{\n  \"seed\": 3\n}" || string(s.Sent) != `{"action":"go"}` || s.Reasoning != "since "+s.Observation || *s.Check != .5 || string(s.Planted["p"]) != `{"b":1}` {
		t.Errorf("%+v", s)
	}
}

// tells puts its metadata into the observation, as servers from 0.4 on do.
type tells struct{ env }

func (e *tells) Reset(context.Context, openenv.ResetOptions) (openenv.Result, error) {
	e.at = 0
	return openenv.Result{Observation: json.RawMessage(`{"a":0.0,"metadata":{"check":1},"b":1}`)}, nil
}

func (e *tells) Step(context.Context, json.RawMessage) (openenv.Result, error) {
	e.at++
	return openenv.Result{Observation: json.RawMessage(`{"metadata":{"check":0.25,"metadata":2},"a":1}`), Reward: json.RawMessage("1"), Done: e.at == 2}, nil
}

// Metadata in an observation is read, and kept from whoever acts; only as
// published it is shown.
func TestMetadataIsNotShown(t *testing.T) {
	for _, strict := range []bool{false, true} {
		var seen []string
		e := &tells{}
		b := newBench(t, play.Setup{World: play.World{Name: "local:test", Open: func(context.Context) (openenv.Environment, error) { return e, nil }}, Strict: strict,
			Agent: func(_ context.Context, o string) (string, string, error) {
				seen = append(seen, o)
				return "go", "", nil
			}})
		played, err := b.Episode(t.Context(), "a", 0)
		b.Close()
		if err != nil || len(played.Steps) != 2 || strings.Contains(strings.Join(seen, "")+played.First, "metadata") != strict {
			t.Fatalf("strict %v: %+v, %v", strict, played, err)
		}
		if strict {
			continue
		}
		s := played.Steps[0]
		if seen[0] != "{\n  \"a\": 0.0,\n  \"b\": 1\n}" || s.Check == nil || *s.Check != .25 || string(s.Metadata) != `{"check": 0.25, "metadata": 2}` {
			t.Errorf("shown %q, then %+v", seen[0], s)
		}
	}
}

// Nothing that goes wrong around the agent is its fault, and an action that is
// refused is nobody else's.
func TestWhoseFault(t *testing.T) {
	failing := func(on string, times int, err error) func(context.Context, string) error {
		return func(_ context.Context, call string) error {
			if call == on && times > 0 {
				times--
				return err
			}
			return nil
		}
	}
	for _, row := range []struct {
		name    string
		before  func(context.Context, string) error
		agent   play.Agent
		of      string // whose fault; "" nobody's
		says    string
		earlier int
		refused bool
	}{
		{name: "nobody's"},
		{name: "a connection that breaks once", before: failing("step", 1, errors.New("closed")), earlier: 1},
		{name: "one that breaks always", before: failing("step", 99, errors.New("closed")), of: play.Environment, says: "step() failed at local:test: closed", earlier: 1},
		{name: "a reset that fails", before: failing("reset", 99, errors.New("closed")), of: play.Environment, says: "reset() failed at local:test: closed", earlier: 1},
		{name: "an environment that raises", before: failing("step", 99, &openenv.Error{Code: openenv.CodeExecution, Message: "boom"}), of: play.Environment, says: "boom", earlier: 1},
		{name: "an action that is refused", before: failing("step", 99, &openenv.Error{Code: openenv.CodeValidation, Message: "no such field"}), refused: true},
		{name: "an agent without an answer", agent: func(context.Context, string) (string, string, error) { return "", "", errors.New("no server") }, of: play.TheAgent, says: "no server"},
	} {
		b := newBench(t, play.Setup{World: world(&env{rewards: []string{"1"}, before: row.before}), Agent: row.agent})
		e, err := b.Episode(t.Context(), "a", 0)
		switch {
		case err != nil || len(e.Faults) != row.earlier || (e.Fault != nil) != (row.of != ""):
			t.Errorf("%s: %+v, %v", row.name, e, err)
		case e.Fault != nil && (e.Fault.Of != row.of || !strings.Contains(e.Fault.Message, row.says)):
			t.Errorf("%s: %v", row.name, e.Fault)
		case row.refused != (len(e.Steps) == 1 && e.Steps[0].Refused != ""):
			t.Errorf("%s: %+v", row.name, e.Steps)
		}
		b.Close()
	}
}

// A call that is not answered ends after its time, whether or not the
// environment heeds its context; after three such episodes nothing more is
// tried.
func TestAnEnvironmentThatStalls(t *testing.T) {
	for _, heeds := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			b := newBench(t, play.Setup{StepTimeout: time.Minute, World: world(&env{rewards: []string{"1"}, before: func(ctx context.Context, call string) error {
				if call == "reset" {
					return nil
				}
				if heeds {
					<-ctx.Done()
					return ctx.Err()
				}
				<-release
				return errors.New("too late")
			}})})
			for i := range 3 {
				e, err := b.Episode(t.Context(), fmt.Sprint(i), 0)
				if err != nil || e.Fault == nil || !strings.Contains(e.Fault.Message, "step: no answer came in time (waited 1m0s)") {
					t.Errorf("%+v, %v", e.Fault, err)
				}
			}
			if _, err := b.Episode(t.Context(), "4", 0); !errors.Is(err, play.ErrGone) {
				t.Errorf("then %v", err)
			}
			close(release)
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// An agent that does not answer is waited for as long, and that is not held
// against it.
func TestAnAgentThatStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b := newBench(t, play.Setup{World: world(&env{rewards: []string{"1"}}), AgentTimeout: time.Hour, Agent: func(context.Context, string) (string, string, error) {
			<-release
			return "late", "", nil
		}})
		e, err := b.Episode(t.Context(), "a", 0)
		if err != nil || e.Fault == nil || e.Fault.Of != play.TheAgent || !strings.Contains(e.Fault.Message, "no answer came in time (waited 1h0m0s)") || len(e.Steps) != 0 {
			t.Errorf("%+v, %v", e, err)
		}
		close(release)
		b.Close()
	})
}

// A server that is full is waited for, and its own words are told if it stays so.
func TestAServerThatIsFull(t *testing.T) {
	full := &openenv.Error{Code: openenv.CodeCapacityReached, Message: "Server at capacity: 1/1 sessions active."}
	for _, row := range []struct {
		fullFor int
		ok      bool
		waited  time.Duration
	}{{2, true, 3 * time.Second}, {99, false, 14 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			w := world(&env{rewards: []string{"1"}})
			open := w.Open
			w.Open = func(ctx context.Context) (openenv.Environment, error) {
				if row.fullFor--; row.fullFor >= 0 {
					return nil, full
				}
				return open(ctx)
			}
			b := newBench(t, play.Setup{World: w})
			e, err := b.Episode(t.Context(), "a", 0)
			if err != nil || (e.Fault == nil) != row.ok || e.Fault != nil && !strings.Contains(e.Fault.Message, full.Message) || time.Since(start) != row.waited {
				t.Errorf("%v, %v after %v", e.Fault, err, time.Since(start))
			}
			b.Close()
		})
	}
}

// Whatever was done is not done again, a torn line is forgotten, what failed is
// tried anew, and a replay knows it all.
func TestJournal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal.jsonl")
	calls, broken := 0, true
	setup := play.Setup{World: world(&env{rewards: []string{"1", "1"}}), Journal: name, Header: play.Header{Episodes: 2},
		Agent: func(context.Context, string) (string, string, error) { calls++; return "go", "", nil },
		Judge: func(context.Context, string) (string, error) {
			if broken {
				return "", errors.New("busy")
			}
			return "fine", nil
		}}
	do := func(b *play.Bench, ctx context.Context) error {
		defer b.Close()
		_, err1 := b.Episode(ctx, "a", 0)
		_, err2 := b.Ask(ctx, "b", "what?")
		o, err3 := b.Judge(ctx, "c", "well?")
		if (o.Reply == "fine") == broken {
			t.Errorf("the judge said %q", o.Reply)
		}
		return errors.Join(err1, err2, err3)
	}
	if err := do(newBench(t, setup), t.Context()); err != nil || calls != 3 {
		t.Fatalf("%v, %d calls", err, calls)
	}
	tear(t, name)
	broken = false
	if err := do(newBench(t, setup), t.Context()); err != nil || calls != 3 {
		t.Fatalf("resumed: %v, %d calls", err, calls)
	}
	recording, err := play.ReadJournal(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := do(play.Replay(recording, nil), t.Context()); err != nil || calls != 3 {
		t.Fatalf("replayed: %v, %d calls", err, calls)
	}
	if _, err := play.Replay(recording, nil).Episode(t.Context(), "z", 0); !errors.Is(err, play.ErrNotRecorded) {
		t.Errorf("what is not there: %v", err)
	}
	setup.Header.Episodes = 3
	var other *play.HeaderError
	if _, err := play.New(setup); !errors.As(err, &other) || !strings.Contains(err.Error(), "number of episodes is 2 and not 3") {
		t.Errorf("another measurement: %v", err)
	}
}

// Of two configurations only what differs is told, with both values.
func TestJournalsOfOtherConfigurations(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal.jsonl")
	setup := play.Setup{World: world(&env{}), Journal: name, Header: play.Header{Config: json.RawMessage(`{"max_steps":50,"seed":0,"check":"check"}`)}}
	if err := newBench(t, setup).Close(); err != nil {
		t.Fatal(err)
	}
	setup.Header.Kind, setup.Header.Format, setup.Header.Agent = "lens", play.Format, "other"
	for _, row := range []struct{ config, says string }{
		{`{"max_steps":20,"seed":0,"noop":{}}`, "its agent is (none) and not other, its check is \"check\" and not (absent), its max_steps is 50 and not 20, its noop is (absent) and not {};"},
		{`{"max_steps":50,"seed":0,"check":"check"}`, "its agent is (none) and not other;"},
	} {
		setup.Header.Config = json.RawMessage(row.config)
		if _, err := play.New(setup); !errors.As(err, new(*play.HeaderError)) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.config, err)
		}
	}
}

// tear leaves half a line behind the others, as a crash does.
func tear(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"episode":{"key":"d","act`); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedJournals(t *testing.T) {
	for _, row := range []struct{ text, says string }{
		{"", "no header"},
		{"{}\n", ":1: not the header"},
		{`{"kind":"lens","format":9}` + "\n", "format 9"},
		{`{"kind":"lens","format":1}` + "\nx\n{}\n", ":2:"},
		{`{"kind":"lens","format":1}` + "\n{}\n", ":2: neither"},
	} {
		name := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(name, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := play.ReadJournal(name); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%q: %v", row.text, err)
		}
	}
}

// An interrupt ends a measurement and records nothing half done.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, play.Setup{World: world(&env{rewards: []string{"1", "1"}}), Agent: func(ctx context.Context, _ string) (string, string, error) {
		cancel()
		return "", "", ctx.Err()
	}})
	defer b.Close()
	if _, err := b.Episode(ctx, "a", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
