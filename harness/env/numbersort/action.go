package numbersort

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"candor/harness/openenv"
)

// readAction reads an answer as the served form does: as pydantic reads
// values and original, lists of integers, task, a string, and metadata, an
// object, none of which need be there. Other keys are allowed.
func readAction(action json.RawMessage) ([]int, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(action, &fields); err != nil || fields == nil {
		return nil, openenv.Invalid(fault("dict_type", "Input should be a valid dictionary", action))
	}
	var faults []openenv.Fault
	if metadata, ok := fields["metadata"]; ok && first(metadata) != '{' {
		faults = append(faults, fault("dict_type", "Input should be a valid dictionary", metadata, "metadata"))
	}
	values, wrong := readIntegers(fields, "values")
	_, wrongOriginal := readIntegers(fields, "original")
	faults = append(append(faults, wrong...), wrongOriginal...)
	if task, ok := fields["task"]; ok && first(task) != '"' {
		faults = append(faults, fault("string_type", "Input should be a valid string", task, "task"))
	}
	if len(faults) > 0 {
		return nil, openenv.Invalid(faults...)
	}
	return values, nil
}

func readIntegers(fields map[string]json.RawMessage, key string) (values []int, faults []openenv.Fault) {
	field, ok := fields[key]
	if !ok {
		return nil, nil
	}
	var items []json.RawMessage
	if first(field) != '[' || json.Unmarshal(field, &items) != nil {
		return nil, []openenv.Fault{fault("list_type", "Input should be a valid list", field, key)}
	}
	for i, item := range items {
		value, kind, message := readInteger(item)
		if kind != "" {
			faults = append(faults, fault(kind, message, item, key, i))
		}
		values = append(values, small(value))
	}
	return values, faults
}

// readInteger makes an integer of what pydantic makes one of; kind is ""
// unless it is a fault.
func readInteger(item json.RawMessage) (value *big.Int, kind, message string) {
	switch text := string(item); first(item) {
	case 't':
		return big.NewInt(1), "", ""
	case 'f':
		return new(big.Int), "", ""
	case '"':
		var s string
		if json.Unmarshal(item, &s) == nil && integerText.MatchString(strings.TrimSpace(s)) {
			digits, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(s), "_", ""), ".")
			value, _ = new(big.Int).SetString(digits, 10)
			return value, "", ""
		}
		return nil, "int_parsing", "Input should be a valid integer, unable to parse string as an integer"
	case '{', '[', 'n':
		return nil, "int_type", "Input should be a valid integer"
	default:
		if value, ok := new(big.Int).SetString(text, 10); ok {
			return value, "", ""
		}
		float, _ := strconv.ParseFloat(text, 64)
		switch {
		case math.IsInf(float, 0):
			return nil, "finite_number", "Input should be a finite number"
		case float != math.Trunc(float):
			return nil, "int_from_float", "Input should be a valid integer, got a number with a fractional part"
		case math.Abs(float) >= 1<<63:
			return nil, "int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size"
		}
		return big.NewInt(int64(float)), "", ""
	}
}

// integerText is a string that pydantic takes for an integer.
var integerText = regexp.MustCompile(`^[+-]?[0-9]+(_[0-9]+)*(\.0+)?$`)

// small is a value as an int. No number to be sorted is below 1 or large, so
// that one stand-in does for all values that do not fit.
func small(value *big.Int) int {
	if value == nil || !value.IsInt64() {
		return -1
	}
	return int(value.Int64())
}

func fault(kind, message string, input json.RawMessage, loc ...any) openenv.Fault {
	return openenv.Fault{Type: kind, Loc: append([]any{}, loc...), Msg: message, Input: input}
}

// first is the byte by which one tells what a JSON value is.
func first(value json.RawMessage) byte {
	if value = bytes.TrimLeft(value, " \t\r\n"); len(value) > 0 {
		return value[0]
	}
	return 0
}
