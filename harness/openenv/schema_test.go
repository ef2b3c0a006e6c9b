package openenv

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

func actionsOf(t testing.TB, schema string) actions {
	t.Helper()
	check, err := newActions(Spec{Name: "x", Schemas: Schemas{Action: json.RawMessage(schema)}})
	if err != nil {
		t.Fatal(err)
	}
	return check
}

// An action comes out converted, or is refused in pydantic's words; what
// pydantic has no word for, a validator refuses.
func TestActionsAgainstSchemas(t *testing.T) {
	for _, row := range []struct {
		name, schema, action string
		want                 string // the action, or part of the refusal
	}{
		{"nothing is asked", `{}`, `{"a": 1}`, `{"a": 1}`},
		{"numbers in strings, wherever they are", `{"properties":{"a":{"items":{"properties":{"n":{"type":"integer"}},"type":"object"},"type":"array"}}}`,
			`{"a":[{"n":"3"},{"n":4}]}`, `{"a":[{"n":3},{"n":4}]}`},
		{"order and spelling stay", `{"properties":{"n":{"type":"integer"}}}`, `{"z":1.50,"n":"1","a":1e2}`, `{"z":1.50,"n":1,"a":1e2}`},
		{"a reference", `{"$defs":{"N":{"type":"integer"}},"properties":{"n":{"$ref":"#/$defs/N"}}}`, `{"n":"x"}`, `"type":"int_parsing","loc":["n"]`},
		{"a schema that holds itself", `{"$defs":{"T":{"properties":{"left":{"$ref":"#/$defs/T"},"v":{"type":"integer"}},"type":"object"}},"$ref":"#/$defs/T"}`,
			`{"left":{"left":{"v":"7"}}}`, `{"left":{"left":{"v":7}}}`},
		{"an optional value names no branch", `{"properties":{"n":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`, `{"n":"x"}`, `"loc":["n"]`},
		{"a union names each", `{"properties":{"n":{"anyOf":[{"type":"integer"},{"type":"boolean"}]}}}`, `{"n":"x"}`, `"loc":["n","int"]`},
		{"a union takes what fits as it is", `{"properties":{"n":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}`, `{"n":"3"}`, `{"n":"3"}`},
		{"one of three", `{"properties":{"k":{"enum":["a","b","c"]}}}`, `{"k":"d"}`, `Input should be 'a', 'b' or 'c'`},
		{"one constant", `{"properties":{"k":{"const":5}}}`, `{"k":6}`, `Input should be 5`},
		{"a number is not a string", `{"properties":{"k":{"enum":["5"]}}}`, `{"k":5}`, `literal_error`},
		{"bounds", `{"properties":{"x":{"type":"number","exclusiveMinimum":0,"maximum":1.5}}}`, `{"x":0}`, `"type":"greater_than","loc":["x"],"msg":"Input should be greater than 0"`},
		{"too few", `{"properties":{"x":{"type":"array","minItems":2}}}`, `{"x":[1]}`, `List should have at least 2 items after validation, not 1`},
		{"too many", `{"properties":{"x":{"type":"array","maxItems":1}}}`, `{"x":[1,2]}`, `List should have at most 1 item after validation, not 2`},
		{"a pattern", `{"properties":{"x":{"type":"string","pattern":"^a+$"}}}`, `{"x":"b"}`, `"type":"value_error","loc":["x"]`},
		{"a pattern that fits", `{"properties":{"x":{"type":"string","pattern":"^a+$"}}}`, `{"x":"aa"}`, `{"x":"aa"}`},
		{"a multiple", `{"properties":{"x":{"type":"integer","multipleOf":3}}}`, `{"x":"4"}`, `value_error`},
		{"metadata is always allowed", `{"additionalProperties":false,"properties":{}}`, `{"metadata":{"a":1}}`, `{"metadata":{"a":1}}`},
		{"but an object", `{"additionalProperties":false,"properties":{}}`, `{"metadata":1}`, `"type":"dict_type","loc":["metadata"]`},
		{"others of a kind", `{"additionalProperties":{"type":"integer"}}`, `{"a":"x"}`, `"type":"int_parsing","loc":["a"]`},
		{"a nested model", `{"properties":{"p":{"title":"Point","type":"object","properties":{"x":{}}}}}`, `{"p":5}`, `Input should be a valid dictionary or instance of Point`},
		{"a very long integer", `{"properties":{"n":{"type":"integer"}}}`, `{"n":1` + strings.Repeat("0", 5000) + `}`, `int_parsing_size`},
		{"the longest that is one, whatever its sign and zeros", `{"properties":{"n":{"type":"integer"}}}`, `{"n":"-000` + strings.Repeat("7", 4300) + `"}`, `{"n":-` + strings.Repeat("7", 4300) + `}`},
		{"a longer one, in a string", `{"properties":{"n":{"type":"integer"}}}`, `{"n":"1` + strings.Repeat("0", 4300) + `"}`, `int_parsing_size`},
		{"and one in parts", `{"properties":{"n":{"type":"integer"}}}`, `{"n":"1_` + strings.Repeat("0", 4300) + `"}`, `"int_parsing"`},
		{"a float beyond 64 bits", `{"properties":{"n":{"type":"integer"}}}`, `{"n":-9223372036854775808.0}`, `int_parsing_size`},
		{"the largest float below", `{"properties":{"n":{"type":"integer"}}}`, `{"n":9.2e18}`, `{"n":9200000000000000000}`},
		{"an integer beyond floats", `{"properties":{"n":{"type":"integer"}}}`, `{"n":1` + strings.Repeat("0", 400) + `}`, `{"n":1` + strings.Repeat("0", 400) + `}`},
		{"a whole float that is no int64", `{"properties":{"n":{"type":"integer"}}}`, `{"n":9.3e18}`, `"type":"int_parsing_size","loc":["n"]`},
		{"one that is", `{"properties":{"n":{"type":"integer"}}}`, `{"n":-9.2e18}`, `{"n":-9200000000000000000}`},
		{"an integer as large", `{"properties":{"n":{"type":"integer"}}}`, `{"n":9300000000000000001}`, `{"n":9300000000000000001}`},
		{"no zero below zero", `{"properties":{"n":{"type":"integer"}}}`, `{"n":-0}`, `{"n":0}`},
		{"floats are floats", `{"properties":{"x":{"items":{"type":"number"},"type":"array"}}}`, `{"x":[3,1e16,1.50,-0,-0.0,"1_e1",9007199254740993]}`, `{"x":[3.0,1e+16,1.5,0.0,-0.0,10.0,9007199254740992.0]}`},
		{"but for a union that has integers", `{"properties":{"x":{"anyOf":[{"type":"number"},{"type":"integer"}]}}}`, `{"x":3}`, `{"x":3}`},
		{"zeros and ones are booleans", `{"properties":{"x":{"items":{"type":"boolean"},"type":"array"}}}`, `{"x":[-0,-0.0,0e0,1.0e0,1e-400]}`, `{"x":[false,false,false,true,false]}`},
		{"other integers might have been", `{"properties":{"x":{"type":"boolean"}}}`, `{"x":2.0}`, `bool_parsing`},
		{"other floats not", `{"properties":{"x":{"type":"boolean"}}}`, `{"x":0.5}`, `bool_type`},
		{"nor large ones", `{"properties":{"x":{"type":"boolean"}}}`, `{"x":9223372036854775808}`, `bool_type`},
		{"no infinity", `{"properties":{"x":{"type":"number"}}}`, `{"x":"-Infinity"}`, `finite_number`},
		{"nor one by overflow", `{"properties":{"x":{"type":"number"}}}`, `{"x":1e999}`, `"type":"finite_number","loc":["x"],"msg":"Input should be a finite number","input":null`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := actionsOf(t, row.schema)(json.RawMessage(row.action))
			if strings.HasPrefix(row.want, "{") {
				if err != nil || string(got) != row.want {
					t.Errorf("%s, %v; want %s", got, err, row.want)
				}
				return
			}
			told, ok := err.(*Error)
			if !ok || told.Code != CodeValidation || !strings.Contains(string(told.Data), row.want) {
				t.Errorf("%s, %v; want %s", got, errorText(err), row.want)
			}
		})
	}
}

func errorText(err error) string {
	if told, ok := err.(*Error); ok {
		return string(told.Data)
	}
	return ""
}

// What is told of a bad message is bounded, whatever is in it.
func TestRefusalsAreShort(t *testing.T) {
	check := actionsOf(t, `{"properties":{"v":{"items":{"type":"integer"},"type":"array"}},"required":["w"]}`)
	for name, action := range map[string]string{
		"very many mistakes": `{"v":["x"` + strings.Repeat(`,"x"`, 100_000) + `]}`,
		"a very long input":  `{"v":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		_, err := check(json.RawMessage(action))
		if size := len(errorText(err)); size == 0 || size > 1<<17 {
			t.Errorf("%s: the answer has %d bytes", name, size)
		}
	}
}

// An environment's own check decides the code, and may change the action.
func TestOwnActionCheck(t *testing.T) {
	check, err := newActions(Spec{Action: func(action json.RawMessage) (json.RawMessage, error) {
		if string(action) == `{}` {
			return nil, &Error{Code: CodeExecution, Message: "mine"}
		}
		if string(action) == `{"a":1}` {
			return nil, context.Canceled
		}
		return json.RawMessage(`{"b":2}`), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := check(json.RawMessage(`{"c":3}`)); err != nil || string(got) != `{"b":2}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := check(json.RawMessage(`{}`)); codeOf(err) != CodeExecution {
		t.Errorf("its own error is told as %v", err)
	}
	if _, err := check(json.RawMessage(`{"a":1}`)); codeOf(err) != CodeValidation || !strings.Contains(errorText(err), "Value error, context canceled") {
		t.Errorf("any other error is told as %v", errorText(err))
	}
}

// Any bytes are explained or valid, in time that grows with their length.
func FuzzWhyNoJSON(f *testing.F) {
	for _, seed := range []string{"", "{", `{"a":[1,2,{"b":null}]`, "\ufeff{}", `"\ud800"`, "[1e", "-", "nul", strings.Repeat("[", 20000), "\xff", `{"a":1}}`, "NaN"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		got, why := readJSON(input)
		if why == nil && json.Valid(got) {
			return
		}
		if why == nil || (why.what == "") != (why.digits > 0) || why.at < 0 || why.at > len(input) || why.line < 1 || why.col < 1 {
			t.Errorf("%q: %+v", input, why)
		}
	})
}

// What Python's json module writes and JSON has not is null; only outside of
// texts, and only if all else is JSON.
func TestReadJSON(t *testing.T) {
	for _, row := range []struct{ input, want, why string }{
		{`{"a":NaN,"b":[Infinity,-Infinity]}`, `{"a":1e999,"b":[1e999,-1e999]}`, ""},
		{`{"NaN":"-Infinity \" NaN"}`, `{"NaN":"-Infinity \" NaN"}`, ""},
		{`{"a":"\\","b":NaN}`, `{"a":"\\","b":1e999}`, ""},
		{`[-1, -Infinity]`, `[-1, -1e999]`, ""},
		{`{"a":NaN,}`, "", "Expecting property name enclosed in double quotes: line 1 column 10 (char 9)"},
		{`{NaN:1}`, "", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"},
		{`nan`, "", "Expecting value: line 1 column 1 (char 0)"},
		{`+Infinity`, "", "Expecting value: line 1 column 1 (char 0)"},
		{`-Inf`, "", "Expecting value: line 1 column 1 (char 0)"},
		{`"NaN`, "", "Unterminated string starting at: line 1 column 1 (char 0)"},
	} {
		got, why := readJSON([]byte(row.input))
		if row.why == "" && (why != nil || string(got) != row.want) || row.why != "" && (why == nil || why.Error() != row.why) {
			t.Errorf("%s is %s, %v; want %s%s", row.input, got, why, row.want, row.why)
		}
	}
}

// An action is refused or comes out as an object; what was converted needs no
// second conversion.
func FuzzActions(f *testing.F) {
	check := actionsOf(f, `{"additionalProperties":false,"properties":{
		"v":{"items":{"type":"integer"},"type":"array"},"n":{"type":"integer","minimum":0},"x":{"type":"number"},"b":{"type":"boolean"},
		"s":{"type":"string","maxLength":5},"u":{"anyOf":[{"type":"integer"},{"type":"string"},{"type":"null"}]}}}`)
	for _, seed := range []string{`{}`, `{"v":["1",2.0,true]}`, `{"n":"-0","x":"1_0","b":"on"}`, `{"u":"5","s":"abcdef"}`, `{"metadata":{}}`, `{"v":{}}`, `{"x":1e400}`, `{"n":" 7 ","n":"8"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		if !json.Valid([]byte(input)) || kindOf(json.RawMessage(input)) != kindObject {
			return
		}
		once, err := check(json.RawMessage(input))
		if err != nil {
			if !json.Valid([]byte(errorText(err))) {
				t.Errorf("%s is refused by %s", input, errorText(err))
			}
			return
		}
		twice, err := check(once)
		if err != nil || string(twice) != string(once) {
			t.Errorf("%s is %s, and that %s, %v", input, once, twice, err)
		}
	})
}
