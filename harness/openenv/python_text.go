package openenv

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// pythonStr is what Python's str makes of a JSON value.
func pythonStr(raw json.RawMessage) string {
	if kindOf(raw) == kindString {
		return text(raw)
	}
	return pythonRepr(raw)
}

// pythonRepr is what Python's repr makes of a JSON value.
func pythonRepr(raw json.RawMessage) string {
	switch kindOf(raw) {
	case kindNull:
		return "None"
	case kindTrue:
		return "True"
	case kindFalse:
		return "False"
	case kindString:
		return quoted(text(raw))
	case kindArray:
		list, _ := elements(raw)
		var parts []string
		for _, e := range list {
			parts = append(parts, pythonRepr(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case kindObject:
		list, _ := members(raw)
		var parts []string
		for _, m := range list {
			parts = append(parts, quoted(m.key)+": "+pythonRepr(m.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	number := strings.TrimSpace(string(raw))
	if strings.ContainsAny(number, ".eE") {
		value, _ := strconv.ParseFloat(number, 64)
		return strings.ToLower(Float(value).String())
	}
	return number
}

// quoted is a string in Python's quotes.
func quoted(s string) string {
	quote := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = `"`
	}
	s = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, quote, `\`+quote).Replace(s)
	return quote + s + quote
}

// pythonType is the name of a JSON value's type in Python.
func pythonType(raw json.RawMessage) string {
	switch kindOf(raw) {
	case kindObject:
		return "dict"
	case kindArray:
		return "list"
	case kindString:
		return "str"
	case kindTrue, kindFalse:
		return "bool"
	case kindNull:
		return "NoneType"
	}
	if strings.ContainsAny(string(raw), ".eE") {
		return "float"
	}
	return "int"
}

// pythonDump spaces a compact JSON text and escapes what is not ASCII, as
// Python's json.dumps does unless told otherwise.
func pythonDump(raw json.RawMessage) []byte {
	out := make([]byte, 0, len(raw)+len(raw)/8)
	inside := false
	for i := 0; i < len(raw); {
		c := raw[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(raw[i:])
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
			i += size
			continue
		}
		out = append(out, c)
		i++
		switch {
		case c == '\\' && inside && i < len(raw):
			out = append(out, raw[i])
			i++
		case c == '"':
			inside = !inside
		case (c == ',' || c == ':') && !inside:
			out = append(out, ' ')
		}
	}
	return out
}
