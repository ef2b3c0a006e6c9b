package pyjson_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"candor/harness/lens/pyjson"
)

// recorded is what scripts/record/lens.py wrote.
type recorded struct {
	Observations [][2]string       `json:"observations"` // JSON text, what the agent sees
	Actions      [][2]string       `json:"actions"`      // what the agent says, the action
	Fixed        [][]recordedFloat `json:"fixed"`
}

type recordedFloat struct {
	json.RawMessage
}

func (r recordedFloat) float(t *testing.T) (f float64) {
	t.Helper()
	if err := json.Unmarshal(r.RawMessage, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func (r recordedFloat) text(t *testing.T) (s string) {
	t.Helper()
	if err := json.Unmarshal(r.RawMessage, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T) (r recorded) {
	t.Helper()
	text, err := os.ReadFile("testdata/python.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Every text is what learnlens-rl showed its agent of the same observation.
func TestObservationsAreShownAsPythonShowsThem(t *testing.T) {
	rows := read(t).Observations
	if len(rows) < 50 {
		t.Fatalf("only %d rows were recorded", len(rows))
	}
	for _, row := range rows {
		got, err := pyjson.Observation(json.RawMessage(row[0]))
		if err != nil || got != row[1] {
			t.Errorf("%s is shown as\n%s (%v), not as\n%s", row[0], got, err, row[1])
		}
	}
}

// Every action is what learnlens-rl made of the same words; it tries itself,
// character by character, since json.dumps spells what was read.
func TestActionsAreReadAsPythonReadsThem(t *testing.T) {
	rows := read(t).Actions
	if len(rows) < 50 {
		t.Fatalf("only %d rows were recorded", len(rows))
	}
	for _, row := range rows {
		if got := string(pyjson.Action(row[0])); got != row[1] {
			t.Errorf("%.60q is the action\n%.200s, not\n%.200s", row[0], got, row[1])
		}
	}
}

func TestRoundingIsPythons(t *testing.T) {
	for _, row := range read(t).Fixed {
		x := row[0].float(t)
		if got, want := pyjson.Round(x, 4), row[1].float(t); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("round(%v, 4) is %v, not %v", x, got, want)
		}
		if got, want := pyjson.Round(x, 0), row[2].float(t); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("round(%v, 0) is %v, not %v", x, got, want)
		}
		for i, digits := range []int{2, 4} {
			if got, want := pyjson.Fixed(x, digits), row[3+i].text(t); got != want {
				t.Errorf("%v to %d digits is %s, not %s", x, digits, got, want)
			}
		}
	}
}

func TestCanonicalTextsAreEqualWhereValuesAre(t *testing.T) {
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":2}`, `{ "b": 2.0, "a": 1e0 }`, true},    // order, blanks, spelling of numbers
		{`{"a":{"c":1,"b":2}}`, `{"a":{"b":2,"c":1}}`, true}, // at every depth
		{`[1,2]`, `[2,1]`, false},                            // a list has an order
		{`1`, `"1"`, false},                                  // a number is no string
		{`0.1`, `0.10`, true},
		{`-0.0`, `0`, true},
		{`1e400`, `2e400`, true}, // both are infinite to Python
		{`9007199254740993`, `9007199254740992`, false},
		{`"\u00e9"`, `"é"`, true},
		{`true`, `1`, false},
	} {
		a, err := pyjson.Parse(row.a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := pyjson.Parse(row.b)
		if err != nil {
			t.Fatal(err)
		}
		if same := a.Canonical() == b.Canonical(); same != row.same {
			t.Errorf("%s and %s: same is %v", row.a, row.b, same)
		}
	}
}

// What is no JSON is refused with its place, and depth and length have an end.
func TestWhatIsNoJSONIsRefused(t *testing.T) {
	for _, text := range []string{"", "{", "[1,", `"a`, `"\ud8"`, "01", "1.", "nul", "[1]]", strings.Repeat("[", 1_000_000), strings.Repeat(`{"a":`, 100_000)} {
		if v, err := pyjson.Parse(text); err == nil {
			t.Errorf("%.20q is %v", text, v.Kind)
		}
	}
	if _, err := pyjson.Observation(json.RawMessage("{bad")); err == nil || !strings.Contains(err.Error(), "at byte 1") {
		t.Errorf("the error is %v", err)
	}
}

func ExampleObservation() {
	text, _ := pyjson.Observation(json.RawMessage(`{"numbers":[3,1],"last_reward":0.0,"note":"é","more":{}}`))
	fmt.Println(text)
	// Output:
	// {
	//   "numbers": [
	//     3,
	//     1
	//   ],
	//   "last_reward": 0.0,
	//   "note": "\u00e9",
	//   "more": {}
	// }
}

func ExampleAction() {
	fmt.Println(string(pyjson.Action(` {"values":[3,1]} `)))
	fmt.Println(string(pyjson.Action("go left")))
	// Output:
	// {"values": [3, 1]}
	// {"action": "go left"}
}
