package recalibration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Encode writes a map of this package as a JSON object: its "name" and its
// parameters.
func Encode(m Map) ([]byte, error) {
	parameters, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("recalibration map %s: %w", m.Name(), err)
	}
	name, err := json.Marshal(m.Name())
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"name":`), name, []byte(","), parameters[1:]), nil
}

// Decode reads what [Encode] wrote and refuses anything that is no map:
// unknown names or keys, missing parameters, a temperature that is not
// positive, knots out of order, rates outside [0, 1].
func Decode(data []byte) (Map, error) {
	var head struct{ Name string }
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("recalibration map: %w", err)
	}
	k, err := kindNamed(head.Name)
	if err != nil {
		return nil, err
	}
	m, err := k.decode(data)
	if err != nil {
		return nil, fmt.Errorf("recalibration map %s: %w", head.Name, err)
	}
	return m, nil
}

// decode reads a map of kind M and checks that it can be applied.
func decode[M interface {
	Map
	fault() string
}](data []byte) (Map, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, err
	}
	delete(whole, "name")
	parameters, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	var m M
	strict := json.NewDecoder(bytes.NewReader(parameters))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&m); err != nil {
		return nil, err
	}
	want, err := keys(m)
	if err != nil {
		return nil, err
	}
	if len(whole) != want {
		return nil, fmt.Errorf("%d parameters: must be %d", len(whole), want)
	}
	if fault := m.fault(); fault != "" {
		return nil, errors.New(fault)
	}
	return m, nil
}

// keys counts the parameters of a map.
func keys(m Map) (int, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	var all map[string]json.RawMessage
	err = json.Unmarshal(data, &all)
	return len(all), err
}

func (m Temperature) fault() string {
	if !(m.T > 0) || math.IsInf(m.T, 0) {
		return "the temperature must be positive"
	}
	return ""
}

func (m Platt) fault() string { return "" }

func (m Beta) fault() string {
	if !m.rises() {
		return "a and b must not be negative"
	}
	return ""
}

func (m Isotonic) fault() string {
	switch {
	case len(m.X) == 0 || len(m.X) != len(m.Y):
		return "there must be as many x as y, one at least"
	case !rising(m.X):
		return "x must rise"
	case !slices.IsSorted(m.Y) || !rates(m.Y):
		return "y must lie in [0, 1] and not fall"
	}
	return ""
}

func (m Histogram) fault() string {
	switch {
	case len(m.Rates) != len(m.Edges)+1:
		return "there must be one rate more than edges"
	case !rising(m.Edges):
		return "edges must rise"
	case !rates(m.Rates):
		return "rates must lie in [0, 1]"
	}
	return ""
}

func rising(values []float64) bool {
	for i := 1; i < len(values); i++ {
		if !(values[i-1] < values[i]) {
			return false
		}
	}
	return true
}

func rates(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return !(v >= 0 && v <= 1) })
}
