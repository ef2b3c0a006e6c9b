package openenv

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxDigits is how many digits an integer may have: Python refuses longer ones,
// as their conversion takes time that grows with the square of their length.
const maxDigits = 4300

const tooLarge = "Unable to parse input string as an integer, exceeded maximum size"

var (
	wholeText   = regexp.MustCompile(`^[+-]?[0-9]+(_[0-9]+)*(\.0+)?$`)
	decimalText = regexp.MustCompile(`^[+-]?([0-9]+(_[0-9]+)*\.?([0-9]+(_[0-9]+)*)?|\.[0-9]+(_[0-9]+)*)(_?[eE][+-]?[0-9]+(_[0-9]+)*)?$`)
)

// checkInteger takes an integer, a number without a fraction, true or false,
// and all these in a string.
func checkInteger(p *problems, value json.RawMessage, place []any) checkedNumber {
	checked := checkedNumber{input: value, text: value}
	switch kindOf(value) {
	case kindNumber:
		checked.text, checked.ok = integerFromNumber(p, value, place)
	case kindTrue:
		checked.text, checked.ok = json.RawMessage("1"), true
	case kindFalse:
		checked.text, checked.ok = json.RawMessage("0"), true
	case kindString:
		checked.text, checked.ok = integerFromString(p, value, place)
	default:
		p.add(place, value, "int_type", "Input should be a valid integer")
	}
	if checked.ok {
		checked.value, _ = strconv.ParseFloat(string(checked.text), 64) // infinite beyond floats, which bounds may have
	}
	return checked
}

func integerFromNumber(p *problems, value json.RawMessage, place []any) (json.RawMessage, bool) {
	number := strings.TrimSpace(string(value))
	if !strings.ContainsAny(number, ".eE") {
		return sizedInteger(p, value, integerText(number), place)
	}
	float, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || !finite(float):
		p.add(place, json.RawMessage("null"), "finite_number", "Input should be a finite number")
	case float != math.Trunc(float):
		p.add(place, value, "int_from_float", "Input should be a valid integer, got a number with a fractional part")
	case !fitsInt64(float):
		p.add(place, value, "int_parsing_size", tooLarge)
	default:
		return json.RawMessage(strconv.FormatInt(int64(float), 10)), true
	}
	return value, false
}

// fitsInt64 tells whether a whole float is small enough for pydantic to take
// it for an integer, which may be larger itself.
func fitsInt64(float float64) bool { return float > math.MinInt64 && float < math.MaxInt64 }

func integerFromString(p *problems, value json.RawMessage, place []any) (json.RawMessage, bool) {
	number := strings.TrimSpace(text(value))
	if !wholeText.MatchString(number) {
		p.add(place, value, "int_parsing", "Input should be a valid integer, unable to parse string as an integer")
		return value, false
	}
	parted := strings.Contains(number, "_")
	number, _, _ = strings.Cut(strings.ReplaceAll(number, "_", ""), ".")
	digits, negative := strings.CutPrefix(strings.TrimPrefix(number, "+"), "-")
	digits = strings.TrimLeft(digits, "0")
	switch {
	case digits == "":
		return json.RawMessage("0"), true
	case parted && len(digits) > maxDigits: // so pydantic has it
		p.add(place, value, "int_parsing", "Input should be a valid integer, unable to parse string as an integer")
		return value, false
	}
	if negative {
		digits = "-" + digits
	}
	return sizedInteger(p, value, digits, place)
}

func sizedInteger(p *problems, value json.RawMessage, number string, place []any) (json.RawMessage, bool) {
	if len(strings.TrimPrefix(number, "-")) > maxDigits {
		p.add(place, value, "int_parsing_size", tooLarge)
		return value, false
	}
	return json.RawMessage(number), true
}

// checkNumber takes a number, true or false, and a number in a string.
// Infinities and NaN are no JSON and refused, which pydantic does only if told.
func checkNumber(p *problems, value json.RawMessage, place []any) checkedNumber {
	checked := checkedNumber{input: value, text: value}
	var number string
	switch kindOf(value) {
	case kindNumber:
		number = integerText(strings.TrimSpace(string(value)))
	case kindTrue:
		number = "1.0"
	case kindFalse:
		number = "0.0"
	case kindString:
		number = strings.TrimSpace(text(value))
		if slices.Contains([]string{"nan", "inf", "infinity"}, strings.ToLower(strings.TrimLeft(number, "+-"))) {
			p.add(place, value, "finite_number", "Input should be a finite number")
			return checked
		}
		if !decimalText.MatchString(number) {
			p.add(place, value, "float_parsing", "Input should be a valid number, unable to parse string as a number")
			return checked
		}
	default:
		p.add(place, value, "float_type", "Input should be a valid number")
		return checked
	}
	float, err := strconv.ParseFloat(strings.ReplaceAll(number, "_", ""), 64)
	if err != nil || !finite(float) {
		p.add(place, json.RawMessage("null"), "finite_number", "Input should be a finite number")
		return checked
	}
	checked.value, checked.ok = float, true
	checked.text = json.RawMessage(Float(float).String())
	return checked
}

// checkBoolean takes true and false, 1 and 0 however spelled, and the words for
// them.
func checkBoolean(p *problems, value json.RawMessage, place []any) json.RawMessage {
	var word string
	switch kindOf(value) {
	case kindTrue, kindFalse:
		return value
	case kindString:
		word = strings.ToLower(text(value))
	case kindNumber:
		float, err := strconv.ParseFloat(strings.TrimSpace(string(value)), 64)
		if err != nil || float != math.Trunc(float) || !fitsInt64(float) {
			p.add(place, value, "bool_type", "Input should be a valid boolean")
			return value
		}
		word = strconv.FormatInt(int64(float), 10)
	default:
		p.add(place, value, "bool_type", "Input should be a valid boolean")
		return value
	}
	switch word {
	case "1", "on", "t", "true", "y", "yes":
		return json.RawMessage("true")
	case "0", "off", "f", "false", "n", "no":
		return json.RawMessage("false")
	}
	p.add(place, value, "bool_parsing", "Input should be a valid boolean, unable to interpret input")
	return value
}
