package openenv

import (
	"encoding/json"
	"math"
	"runtime"
	"strings"
	"testing"
)

// Values are shown as Python's repr shows them.
func TestPythonRepr(t *testing.T) {
	for _, row := range []struct{ value, want string }{
		{` {"a" : [1, 2.50 ,true,null] , "b":{}} `, `{'a': [1, 2.5, True, None], 'b': {}}`},
		{`[]`, `[]`},
		{`"it's"`, `"it's"`},
		{`"it's \"so\""`, `'it\'s "so"'`},
		{`"é\u0001\u007f\u00a0\u2028\\\n"`, `'é\x01\x7f\xa0\u2028\\\n'`},
		{`"\udb40\udc01"`, `'\U000e0001'`}, // a tag, which nobody sees
		{`[1E400,-1e400,-0,-0.0,1e22]`, `[inf, -inf, 0, -0.0, 1e+22]`},
	} {
		if got := pythonRepr(json.RawMessage(row.value), math.MaxInt); got != row.want {
			t.Errorf("%s is %s, want %s", row.value, got, row.want)
		}
	}
}

// What is told of a value takes no memory to speak of, however deep or long
// the value is.
func TestPythonStrIsBounded(t *testing.T) {
	long := `"` + strings.Repeat(`\u0001x`, 1<<18) + `"`
	for name, value := range map[string]string{
		"deep":        strings.Repeat("[", 9990) + long + strings.Repeat("]", 9990),
		"deep in few": strings.Repeat(`{"":`, 9990) + long + strings.Repeat("}", 9990),
		"long within": `[` + long + `]`,
		"many":        `[0` + strings.Repeat(",0", 1<<20) + `]`,
		"a long key":  `{` + long + `:1}`,
	} {
		raw := json.RawMessage(value)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := pythonStr(raw)
		runtime.ReadMemStats(&after)
		if letters := []rune(got); len(letters) != maxTold+1 || letters[maxTold] != '…' {
			t.Errorf("%s: %d letters: %s", name, len(letters), got)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%s: %d bytes of memory", name, used)
		}
	}
}
