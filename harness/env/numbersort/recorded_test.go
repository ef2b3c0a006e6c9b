package numbersort

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"regexp"
	"slices"
	"testing"

	"candor/harness/env/pyrandom"
	"candor/harness/openenv"
)

// row is what was recorded of one seed: its numbers and what answers about
// them were paid.
type row struct {
	Task    Task
	Seed    string
	Numbers []int
	First   string // observations of the package's form, as json.dumps has them
	Last    string
	Tries   []try
}

// A try is [values, reward].
type try []json.RawMessage

func recorded(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func (r row) options(t *testing.T) openenv.ResetOptions {
	t.Helper()
	seed, ok := new(big.Int).SetString(r.Seed, 10)
	if !ok {
		t.Fatalf("%q is no seed", r.Seed)
	}
	return openenv.ResetOptions{Seed: seed}
}

// play plays every try of a row in a new episode each.
func (r row) play(t *testing.T, e openenv.Environment) {
	t.Helper()
	for _, try := range r.Tries {
		if _, err := e.Reset(t.Context(), r.options(t)); err != nil {
			t.Fatal(err)
		}
		result, err := e.Step(t.Context(), json.RawMessage(`{"values":`+string(try[0])+`}`))
		if err != nil || string(result.Reward) != string(try[1]) || !result.Done {
			t.Errorf("%s %s: %s is paid %s (%v), recorded %s", r.Task, r.Seed, try[0], result.Reward, err, try[1])
		}
	}
}

// TestPackageForm plays what was recorded of learnlens-rl's own environment:
// numbers and texts of 22 seeds of each task, the pay of 14 answers each, and
// what int() makes of values that are no integers.
func TestPackageForm(t *testing.T) {
	var recording struct {
		Rows   []row
		Odd    []try
		Errors []string
	}
	recorded(t, "library.json", &recording)
	for _, row := range recording.Rows {
		l, err := NewLibrary(Config{Task: row.Task})
		if err != nil {
			t.Fatal(err)
		}
		first, err := l.Reset(t.Context(), row.options(t))
		if err != nil || !sameText(first.Observation, row.First) {
			t.Errorf("%s %s: begins with %s (%v), recorded %s", row.Task, row.Seed, first.Observation, err, row.First)
		}
		row.play(t, l)
		last, err := l.result()
		if err != nil || !sameText(last.Observation, lastObservation(t, row.Last)) {
			t.Errorf("%s %s: ends with %s (%v), recorded %s", row.Task, row.Seed, last.Observation, err, row.Last)
		}
	}
	l, err := NewLibrary(Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, notReset := l.Step(t.Context(), json.RawMessage(`{}`))
	for _, try := range recording.Odd {
		if _, err := l.Reset(t.Context(), openenv.Seeded(0)); err != nil {
			t.Fatal(err)
		}
		result, err := l.Step(t.Context(), try[0])
		if err != nil || string(result.Reward) != string(try[1]) {
			t.Errorf("%s is paid %s (%v), recorded %s", try[0], result.Reward, err, try[1])
		}
	}
	_, done := l.Step(t.Context(), json.RawMessage(`{}`))
	if got := []string{done.Error(), notReset.Error()}; !slices.Equal(got, recording.Errors) {
		t.Errorf("errors are %q, recorded %q", got, recording.Errors)
	}
	if tries := len(recording.Rows) * len(recording.Rows[0].Tries); tries < 900 {
		t.Errorf("only %d tries are recorded", tries)
	}
}

// lastObservation takes the observation out of a step's recorded result.
func lastObservation(t *testing.T, result string) string {
	t.Helper()
	var fields struct{ Observation json.RawMessage }
	if err := json.Unmarshal([]byte(result), &fields); err != nil {
		t.Fatal(err)
	}
	return string(fields.Observation)
}

// sameText compares but for blanks: key order and spelling of numbers count.
func sameText(got json.RawMessage, want string) bool {
	var compact bytes.Buffer
	return json.Compact(&compact, []byte(want)) == nil && compact.String() == string(got)
}

// TestServedForm plays what was recorded of LearnLens's own OpenEnv server:
// the pay of 14 answers to 22 seeds of each task, and whole sessions, each
// reply byte for byte but for random IDs and the version of pydantic.
func TestServedForm(t *testing.T) {
	var recording struct {
		Schemas  openenv.Schemas
		Rows     []row
		Sessions [][]exchange
	}
	recorded(t, "space.json", &recording)
	if got := Schemas(); !sameText(got.Action, string(recording.Schemas.Action)) ||
		!sameText(got.Observation, string(recording.Schemas.Observation)) ||
		!sameText(got.State, string(recording.Schemas.State)) {
		t.Errorf("the schemas differ from those recorded: %s", recording.Schemas)
	}
	for _, row := range recording.Rows {
		e := opened(t, Config{Task: row.Task})
		if got := row.Task.Numbers(pyrandom.New(row.options(t).Seed)); !slices.Equal(got, row.Numbers) {
			t.Errorf("%s %s: numbers %v, recorded %v", row.Task, row.Seed, got, row.Numbers)
		}
		row.play(t, e)
	}
	said := 0
	for _, session := range recording.Sessions {
		e := opened(t, Config{})
		for _, exchange := range session {
			said++
			exchange.check(t, e)
		}
	}
	if said < 300 {
		t.Errorf("only %d exchanges are recorded", said)
	}
}

// opened begins a session as a server does.
func opened(t *testing.T, cfg Config) openenv.Environment {
	t.Helper()
	spec, err := openenv.Local(Spec(cfg))
	if err != nil {
		t.Fatal(err)
	}
	e, err := spec.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// exchange is a message to the server and what it said.
type exchange struct {
	Ask struct {
		Type string
		Data json.RawMessage
	}
	Reply string
}

var varying = regexp.MustCompile(`"episode_id":"[0-9a-f]{8}"|pydantic.dev/2\.\d+`)

func (x exchange) check(t *testing.T, e openenv.Environment) {
	t.Helper()
	got := varying.ReplaceAllString(x.reply(t, e), "…")
	want := varying.ReplaceAllString(x.Reply, "…")
	if got != want {
		t.Errorf("%s %s:\n  says %s\nrecorded %s", x.Ask.Type, x.Ask.Data, got, want)
	}
}

// reply is what a server makes of what the environment does.
func (x exchange) reply(t *testing.T, e openenv.Environment) string {
	t.Helper()
	if x.Ask.Type == "state" {
		state, err := e.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return `{"type":"state","data":` + string(state) + `}`
	}
	result, err := x.act(t.Context(), e)
	var told *openenv.Error
	switch {
	case errors.As(err, &told) && told.Data != nil:
		return `{"type":"error","data":` + string(told.Data) + `}`
	case errors.As(err, &told):
		text, _ := openenv.Marshal(struct {
			Message string `json:"message"`
			Code    string `json:"code"`
		}{told.Message, told.Code})
		return `{"type":"error","data":` + string(text) + `}`
	case err != nil:
		t.Fatal(err)
	}
	done := "false"
	if result.Done {
		done = "true"
	}
	return `{"type":"observation","data":{"observation":` + string(result.Observation) +
		`,"reward":` + string(result.Reward) + `,"done":` + done + `}}`
}

func (x exchange) act(ctx context.Context, e openenv.Environment) (openenv.Result, error) {
	if x.Ask.Type == "step" {
		return e.Step(ctx, x.Ask.Data)
	}
	options := openenv.ResetOptions{}
	if err := json.Unmarshal(x.Ask.Data, &options.Extra); err != nil {
		return openenv.Result{}, err
	}
	if seed, ok := new(big.Int).SetString(string(options.Extra["seed"]), 10); ok {
		options.Seed = seed
	}
	return e.Reset(ctx, options)
}
