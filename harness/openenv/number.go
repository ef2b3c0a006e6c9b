package openenv

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Float is written as Python writes one: 0.0, 1e-07, 0.30000000000000004.
// Agents read numbers as text, so an environment that was a Python program
// must go on spelling them as it did.
type Float float64

// MarshalJSON spells the number. What is not finite is an error.
func (f Float) MarshalJSON() ([]byte, error) {
	value := float64(f)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil, fmt.Errorf("%v is no JSON number", value)
	}
	return []byte(f.String()), nil
}

// String spells the number as Python's repr does: the shortest digits that
// read back as the same number, with an exponent below 1e-4 and from 1e16 on.
func (f Float) String() string {
	value := float64(f)
	size := math.Abs(value)
	if size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(value, 'e', -1, 64)
	}
	text := strconv.FormatFloat(value, 'f', -1, 64)
	if !strings.ContainsAny(text, ".IN") {
		text += ".0"
	}
	return text
}
