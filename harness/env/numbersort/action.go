package numbersort

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"sync"

	"candor/harness/openenv"
)

// converted reads an answer as the served form does: as pydantic reads values
// and original, lists of integers, task, a string, and metadata, an object, none
// of which need be there. Other keys are allowed.
var converted = sync.OnceValue(func() func(json.RawMessage) (json.RawMessage, error) {
	convert, err := openenv.Conversion(Schemas().Action)
	if err != nil {
		panic(err) // the schema is a constant
	}
	return convert
})

// readAction is the values of an answer as received.
func readAction(action json.RawMessage) ([]int, error) {
	action, err := converted()(action)
	if err != nil {
		return nil, err
	}
	return valuesOf(action), nil
}

// valuesOf is the values of an answer that was converted.
func valuesOf(action json.RawMessage) []int {
	var fields map[string]json.RawMessage
	var items []json.RawMessage
	if json.Unmarshal(action, &fields) != nil || fields["values"] == nil || json.Unmarshal(fields["values"], &items) != nil {
		return nil
	}
	values := make([]int, len(items))
	for i, item := range items {
		var err error
		if values[i], err = strconv.Atoi(string(item)); err != nil {
			values[i] = outside
		}
	}
	return values
}

// outside stands for all values that do not fit. No number to be sorted is
// below 1 or large.
const outside = -1

// small is a value as an int.
func small(value *big.Int) int {
	if !value.IsInt64() {
		return outside
	}
	return int(value.Int64())
}

// first is the byte by which one tells what a JSON value is.
func first(value json.RawMessage) byte {
	if value = bytes.TrimLeft(value, " \t\r\n"); len(value) > 0 {
		return value[0]
	}
	return 0
}
