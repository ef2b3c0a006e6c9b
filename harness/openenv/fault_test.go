package openenv

import (
	"encoding/json"
	"testing"
)

// The texts are those of a Python server, but for the version of pydantic.
func TestFaultsAreToldAsPydanticDoes(t *testing.T) {
	for _, row := range []struct {
		fault Fault
		text  string
	}{
		{Fault{Type: "missing", Loc: []any{"data"}, Msg: "Field required", Input: json.RawMessage(`{"type":"step"}`)},
			`{"type":"missing","loc":["data"],"msg":"Field required","input":{"type":"step"},"url":"https://errors.pydantic.dev/2.14/v/missing"}`},
		// The message is not one for a web page.
		{Fault{Type: "int_parsing", Loc: []any{"values", 5}, Msg: "no <int> & so on", Input: json.RawMessage(`"<&>"`), Ctx: json.RawMessage(`{"a":1}`)},
			`{"type":"int_parsing","loc":["values",5],"msg":"no <int> & so on","input":"<&>","ctx":{"a":1},"url":"https://errors.pydantic.dev/2.14/v/int_parsing"}`},
		// A place where no JSON stands.
		{Fault{Type: "dict_type", Loc: []any{}, Msg: "no object", Input: json.RawMessage(`{"a":`)},
			`{"type":"dict_type","loc":[],"msg":"no object","input":"{\"a\":","url":"https://errors.pydantic.dev/2.14/v/dict_type"}`},
	} {
		want := `{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[` + row.text + `]}`
		if got := string(Invalid(row.fault).Data); got != want {
			t.Errorf("told %s, not %s", got, want)
		}
	}
}
