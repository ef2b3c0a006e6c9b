package openenv

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Respell spells JSON as the Python servers repeat what they were sent: no
// blanks between the values, text as itself and not as escapes, floats as
// [Float] has them, and null for a number too large for one. What is no JSON
// is returned as it is.
func Respell(value json.RawMessage) json.RawMessage {
	if !json.Valid(value) {
		return value
	}
	var out bytes.Buffer
	for rest := []byte(value); len(rest) > 0; {
		size := 1
		switch c := rest[0]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
		case c == '"':
			size = len(rest) - len(afterString(rest))
			out.Write(respellString(rest[:size]))
		case c == '-' || '0' <= c && c <= '9':
			size = len(rest) - len(bytes.TrimLeft(rest, "+-.0123456789eE"))
			out.Write(respellNumber(string(rest[:size])))
		default: // a brace or a letter of true, false and null
			out.WriteByte(c)
		}
		rest = rest[size:]
	}
	return out.Bytes()
}

// afterString is what follows the string that text begins with.
func afterString(text []byte) []byte {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[i+1:]
		}
	}
	return nil
}

func respellString(quoted []byte) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted
	}
	spelled, err := Marshal(text)
	if err != nil {
		return quoted
	}
	// The two characters that encoding/json escapes though JSON need not.
	return []byte(lineSeparators.Replace(string(spelled)))
}

// A backslash that stands for itself comes first, lest what follows it be
// taken for an escape.
var lineSeparators = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029")

func respellNumber(text string) []byte {
	if !strings.ContainsAny(text, ".eE") {
		return []byte(text)
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return []byte("null")
	}
	return []byte(Float(value).String())
}
