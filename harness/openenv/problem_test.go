package openenv

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// However much is wrong, a bounded amount of it is told, by a schema and by an
// environment's own check.
func TestMuchThatIsWrong(t *testing.T) {
	convert, err := Conversion(json.RawMessage(`{"properties":{"v":{"type":"array","items":{"type":"integer"}}},"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	long := `"` + strings.Repeat("x", maxToldInput) + `"`
	for name, list := range map[string]string{"many": "[" + strings.Repeat("[],", 50_000) + "[]]", "long": "[" + long + "]"} {
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(list), &items); err != nil {
			t.Fatal(err)
		}
		var faults []Fault
		for i, item := range items {
			faults = append(faults, Fault{Type: "x", Loc: []any{i}, Input: item})
		}
		_, refused := convert(json.RawMessage(`{"v":` + list + `}`))
		for way, err := range map[string]error{"schema": refused, "own": Invalid(faults...)} {
			told, ok := err.(*Error)
			if !ok {
				t.Fatalf("%s, %s: %v", name, way, err)
			}
			var data struct{ Errors []struct{ Input any } }
			if err := json.Unmarshal(told.Data, &data); err != nil {
				t.Fatal(err)
			}
			if got, want := len(data.Errors), min(len(items), 100); got != want || len(told.Data) > 20_000 {
				t.Errorf("%s, %s: %d faults in %d bytes", name, way, got, len(told.Data))
			}
			if name == "long" && data.Errors[0].Input != "(65538 bytes)" {
				t.Errorf("%s: a long input is told as %.40v", way, data.Errors[0].Input)
			}
		}
	}
	if !slices.Equal([]int{longInteger([]byte(`{"1":"` + strings.Repeat("1", 5000) + `","a":0.` + strings.Repeat("1", 5000) + `}`)),
		longInteger([]byte("[1,-" + strings.Repeat("7", 4300) + "]")), longInteger([]byte("[1,-" + strings.Repeat("7", 4301) + "]"))}, []int{0, 0, 4301}) {
		t.Error("long integers are not told from others")
	}
}
