package numbersort

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// readValues reads an answer as the package's form does: values, or the JSON
// text in it, is walked through and each item given to int(). Where Python
// raises an error there are no values.
func readValues(action json.RawMessage) []int {
	var fields map[string]json.RawMessage
	if json.Unmarshal(action, &fields) != nil {
		return nil
	}
	values := fields["values"]
	if text, ok := text(values); ok {
		if !json.Valid([]byte(text)) {
			return nil
		}
		values = json.RawMessage(text)
	}
	var numbers []int
	for _, item := range items(values) {
		value, ok := pythonInt(item)
		if !ok {
			return nil
		}
		numbers = append(numbers, small(value))
	}
	return numbers
}

// items is what Python's for walks through: the items of a list, the keys of
// an object, the characters of a string.
func items(value json.RawMessage) (items []json.RawMessage) {
	if text, ok := text(value); ok {
		for _, r := range text {
			items = append(items, quoted(string(r)))
		}
		return items
	}
	switch first(value) {
	case '[':
		if json.Unmarshal(value, &items) != nil {
			return nil
		}
	case '{':
		for _, key := range keys(value) {
			items = append(items, quoted(key))
		}
	}
	return items
}

// keys are those of an object, in the order of their first appearance.
func keys(object json.RawMessage) (keys []string) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.Token() // the brace
	seen := map[string]bool{}
	for decoder.More() {
		key, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			return nil
		}
		if key := key.(string); !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// pythonInt is int(item); false is an error of Python's.
func pythonInt(item json.RawMessage) (*big.Int, bool) {
	if text, ok := text(item); ok {
		return parseInt(text)
	}
	switch first(item) {
	case 't':
		return big.NewInt(1), true
	case 'f':
		return new(big.Int), true
	case '{', '[', 'n':
		return nil, false
	}
	if !bytes.ContainsAny(item, ".eE") {
		return decimalInt(string(item))
	}
	float, err := strconv.ParseFloat(string(item), 64)
	if err != nil {
		return nil, false
	}
	value, _ := big.NewFloat(math.Trunc(float)).Int(nil)
	return value, true
}

// maxDigits is how long an integer may be for Python to read it.
const maxDigits = 4300

// decimalInt is an integer of no more digits than Python reads.
func decimalInt(text string) (*big.Int, bool) {
	if len(strings.TrimPrefix(text, "-")) > maxDigits {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}

// parseInt is int() of a string: digits of any script, with single underscores
// between them, a sign before them, and blanks around all.
func parseInt(text string) (*big.Int, bool) {
	text = strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f'
	})
	ascii := strings.Map(asciiDigit, text)
	if !pythonInteger.MatchString(ascii) {
		return nil, false
	}
	return decimalInt(strings.TrimPrefix(strings.ReplaceAll(ascii, "_", ""), "+"))
}

var pythonInteger = regexp.MustCompile(`^[+-]?[0-9]+(_[0-9]+)*$`)

// asciiDigit is the digit 0 to 9 of one of any script. Unicode keeps the ten
// of a script together and in order.
func asciiDigit(r rune) rune {
	for _, digits := range unicode.Nd.R16 {
		if lowest := rune(digits.Lo); lowest <= r && r <= rune(digits.Hi) {
			return '0' + (r-lowest)%10
		}
	}
	for _, digits := range unicode.Nd.R32 {
		if lowest := rune(digits.Lo); lowest <= r && r <= rune(digits.Hi) {
			return '0' + (r-lowest)%10
		}
	}
	return r
}

// text is the string of a JSON value that is one.
func text(value json.RawMessage) (text string, ok bool) {
	return text, first(value) == '"' && json.Unmarshal(value, &text) == nil
}

func quoted(text string) json.RawMessage {
	value, _ := json.Marshal(text) // a string always can be
	return value
}

func decimal(n int) string { return strconv.Itoa(n) }
