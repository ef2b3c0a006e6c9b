package openenv

import (
	"encoding/json"
	"testing"
)

func TestRespell(t *testing.T) {
	for _, row := range []struct{ value, want string }{
		{` { "a" : [ 1 , 2.50 , -0.0 , 1e3 , 1E400 , true , null ] } `, `{"a":[1,2.5,-0.0,1000.0,null,true,null]}`},
		{`"k\u00e4se \ud83d\ude00 <&>"`, `"käse 😀 <&>"`},
		{`"\u2028 \\u2028 \" \\"`, "\"\u2028 \\\\u2028 \\\" \\\\\""}, // an escape and what looks like one
		{`"\u0001\n"`, `"\u0001\n"`},                                 // these must be escaped
		{`12345678901234567890123`, `12345678901234567890123`},       // integers have any size
		{`{"a":`, `{"a":`},
		{``, ``},
	} {
		if got := string(Respell(json.RawMessage(row.value))); got != row.want {
			t.Errorf("%s is respelled %s, not %s", row.value, got, row.want)
		}
	}
}

// Respelling changes no value: what is JSON stays so, and twice is once.
func FuzzRespell(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e-7,"x\\\"\u2028"]}`, `1e309`, `"`, `[" ",{}]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := Respell(json.RawMessage(text))
		if json.Valid([]byte(text)) != json.Valid(once) {
			t.Errorf("%q is respelled %q", text, once)
		}
		if twice := Respell(once); string(twice) != string(once) {
			t.Errorf("%q is respelled %q and then %q", text, once, twice)
		}
	})
}
