package pyjson

import "strconv"

// Round is Python's round(x, digits) for digits ≥ 0: the decimal nearest to the
// number that x really is in binary, and of two equally near the one that ends
// evenly.
func Round(x float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(Fixed(x, digits), 64)
	if err != nil {
		return x
	}
	return rounded
}

// Fixed is Python's f"{x:.Nf}" for N digits.
func Fixed(x float64, digits int) string {
	switch text := strconv.FormatFloat(x, 'f', digits, 64); text {
	case "NaN":
		return "nan"
	case "+Inf":
		return "inf"
	case "-Inf":
		return "-inf"
	default:
		return text
	}
}
