package lens_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"candor/harness/lens"
	"candor/harness/lens/play"
	"candor/harness/openenv"
)

// local is guess with a schema of its actions.
func local(schema string) *lens.Lens {
	return lens.Local(openenv.Spec{Name: "guess", Schemas: openenv.Schemas{Action: json.RawMessage(schema)},
		Action: func(action json.RawMessage) (json.RawMessage, error) {
			if string(action) == "{}" {
				return nil, openenv.Invalid(openenv.Fault{Type: "missing", Loc: []any{"guess"}, Msg: "Field required", Input: action})
			}
			return action, nil
		},
		New: func(context.Context) (openenv.Environment, error) { return &guess{}, nil }})
}

// Where chance is only known by what the agent itself says, its competence is
// bounded and no more.
func TestCompetenceIsOnlyBounded(t *testing.T) {
	const text, number = `{"type":"object","properties":{"guess":{"type":"string"},"metadata":{"type":"object"}},"required":["guess"]}`,
		`{"type":"object","properties":{"guess":{"type":"integer"}},"required":["guess"]}`
	for _, row := range []struct {
		name, schema string
		d            lens.Declaration
		bounded      bool
	}{
		{"free text", text, lens.Declaration{}, true},
		{"no schema", "", lens.Declaration{}, true},
		{"numbers", number, lens.Declaration{}, false},
		{"free text, and a no-op", text, lens.Declaration{NoOp: json.RawMessage(`{"guess":-1}`)}, false},
		{"a no-op that is refused", text, lens.Declaration{NoOp: json.RawMessage(`{}`)}, true},
		{"a random policy", text, lens.Declaration{Random: func(*rand.Rand, string) string { return `{"guess":0}` }}, false},
	} {
		r, err := local(row.schema).Declare(row.d).Evaluate(t.Context(), repeating, lens.Options{Bootstrap: -1})
		if err != nil || r.Competence == nil || r.LQS == nil {
			t.Fatalf("%s: %+v, %v", row.name, r, err)
		}
		notes := strings.Join(r.Probes["competence"].Notes, "\n")
		if r.CompetenceBound != row.bounded || r.UpperBound != row.bounded || strings.Contains(notes, "--no-op JSON") != row.bounded ||
			strings.HasPrefix(r.Verdict, "Competence is only bounded") != row.bounded || strings.Contains(r.Verdict, "strong") == row.bounded {
			t.Errorf("%s: bounded %v, %v\n%s\n%s", row.name, r.CompetenceBound, r.UpperBound, r.Verdict, notes)
		}
	}
}

// What the random policy does depends on the schema and the seed, and not on who
// is measured.
func TestChanceIsTheSameForAll(t *testing.T) {
	const schema = `{"type":"object","properties":{"guess":{"type":"integer","minimum":2,"maximum":3},"loud":{"type":"boolean"},
		"how":{"anyOf":[{"enum":["a","b"]},{"type":"null"}]},"list":{"type":"array","items":{"$ref":"#/$defs/share"},"minItems":1,"maxItems":2}},
		"required":["guess"],"$defs":{"share":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}}}`
	var before []string
	for _, agent := range []lens.Agent{repeating, func(context.Context, string) (string, string, error) {
		return `{"guess": 3, "loud": true, "other": [1]}`, "", nil
	}} {
		journal := t.TempDir() + "/j"
		if _, err := local(schema).Evaluate(t.Context(), agent, lens.Options{Bootstrap: -1, Journal: journal}); err != nil {
			t.Fatal(err)
		}
		sent := randomActions(t, journal)
		if before != nil && !slices.Equal(sent, before) {
			t.Errorf("%v\nnot\n%v", sent, before)
		}
		before = sent
	}
	seen := map[string]bool{}
	for _, text := range before {
		var a struct {
			Guess *int
			Loud  *bool
			How   *string
			List  []float64
		}
		if err := json.Unmarshal([]byte(text), &a); err != nil || a.Guess == nil || *a.Guess < 2 || *a.Guess > 3 || len(a.List) > 2 {
			t.Errorf("%s: %v", text, err)
		}
		for _, share := range a.List {
			if !(share > 0 && share < 1) {
				t.Errorf("%s", text)
			}
		}
		for key, there := range map[string]bool{"loud": a.Loud != nil, "quiet": a.Loud == nil, "how": a.How != nil, "no how": a.How == nil, "list": a.List != nil, "two": a.Guess != nil && *a.Guess == 2, "three": a.Guess != nil && *a.Guess == 3} {
			seen[key] = seen[key] || there
		}
	}
	if len(before) != 40 || len(seen) != 7 || slices.Contains([]bool{seen["loud"], seen["quiet"], seen["how"], seen["no how"], seen["list"], seen["two"], seen["three"]}, false) {
		t.Errorf("%d actions, %v", len(before), seen)
	}
}

func randomActions(t *testing.T, journal string) (sent []string) {
	t.Helper()
	recording, err := play.ReadJournal(journal)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range recording.Episodes() {
		for _, s := range e.Steps {
			if e.Actor == "random" {
				sent = append(sent, string(s.Sent))
			}
		}
	}
	return sent
}

// A schema without end costs no more than others.
func TestSchemasWithoutEnd(t *testing.T) {
	many := strings.Repeat(`{"$ref":"#"},`, 200)
	schema := `{"type":"object","properties":{"a":{"anyOf":[` + many + `{"type":"integer"}]},"b":{"type":"array","items":{"$ref":"#/properties/b"},"minItems":1000}},"required":["a","b"]}`
	if _, err := local(schema).Evaluate(t.Context(), repeating, lens.Options{Bootstrap: -1, Episodes: 1}); err != nil {
		t.Error(err)
	}
}

// Who answers only some forms of a state is not consistent by saying nothing to
// the others.
func TestUnansweredQuestions(t *testing.T) {
	for _, row := range []struct {
		crashes  func(observation string) bool
		measured bool
		says     string
	}{
		{func(o string) bool { return !strings.HasPrefix(o, "{") }, false, "only 15 of 35 questions about states were answered"},
		{func(o string) bool { return strings.HasPrefix(o, "Step") }, true, "30 of 35 questions were answered"},
		{func(string) bool { return false }, true, ""},
	} {
		r := evaluate(t, &guess{}, func(ctx context.Context, o string) (string, string, error) {
			if row.crashes(o) {
				return "", "", errors.New("crashed")
			}
			return repeating(ctx, o)
		}, lens.Options{})
		s := r.Probes[lens.Consistency]
		if said := s.Unknown + strings.Join(s.Notes, ""); (s.Value != nil) != row.measured || !strings.Contains(said, row.says) || row.says == "" && said != "" {
			t.Errorf("%v, %q, %q", s.Value, s.Unknown, s.Notes)
		}
	}
}

// A refused action is told with what was wrong where, and what was sent.
func TestRefusalsAreTold(t *testing.T) {
	journal := t.TempDir() + "/j"
	r, err := local("").Evaluate(t.Context(), func(context.Context, string) (string, string, error) { return "{}", "", nil }, lens.Options{Bootstrap: -1, Journal: journal})
	if err != nil || len(r.Missing.Messages) != 1 || !strings.Contains(r.Missing.Messages[0], "guess: Field required") || !strings.HasSuffix(r.Missing.Messages[0], "it was sent {}") {
		t.Errorf("%v, %q", err, r.Missing.Messages)
	}
	if text, err := os.ReadFile(journal); err != nil || !strings.Contains(string(text), "guess: Field required") {
		t.Errorf("%s, %v", text, err)
	}
}
