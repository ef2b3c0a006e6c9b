package openenv

import (
	"bytes"
	"encoding/json"
)

// A Fault is one thing wrong with what was sent, told as the Python servers
// do, which is as pydantic does.
type Fault struct {
	Type  string          // pydantic's name for the kind of fault: "int_parsing"
	Loc   []any           // the way to the place: keys, and indices of lists
	Msg   string          // for people
	Input json.RawMessage // what stands there, as it was sent; of more than 64 kB only the length is told
	Ctx   json.RawMessage // a JSON object with more about the fault, or nil
}

// faultURL is where pydantic explains a type of fault: the version that the
// released servers of today run with.
const faultURL = "https://errors.pydantic.dev/2.14/v/"

// MarshalJSON writes the fault with its keys in pydantic's order.
func (f Fault) MarshalJSON() ([]byte, error) {
	input := toldInput(f.Input)
	if !json.Valid(input) { // what stands there is no JSON: then it is told as a text
		var err error
		if input, err = Marshal(string(input)); err != nil {
			return nil, err
		}
	}
	return Marshal(struct {
		Type  string          `json:"type"`
		Loc   []any           `json:"loc"`
		Msg   string          `json:"msg"`
		Input json.RawMessage `json:"input"`
		Ctx   json.RawMessage `json:"ctx,omitempty"`
		URL   string          `json:"url"`
	}{f.Type, f.Loc, f.Msg, input, f.Ctx, faultURL + f.Type})
}

// Invalid is the error of an action that an environment does not understand:
// [CodeValidation] with its faults, of many the first hundred.
func Invalid(faults ...Fault) *Error {
	e := &Error{Code: CodeValidation, Message: "Invalid message"}
	// It cannot fail but for a Ctx that is no JSON, and then the message goes
	// without its data.
	e.Data, _ = Marshal(struct {
		Message string  `json:"message"`
		Code    string  `json:"code"`
		Errors  []Fault `json:"errors"`
	}{e.Message, e.Code, faults[:min(len(faults), maxProblems)]})
	return e
}

// Marshal is json.Marshal without its escapes for HTML: &, < and > are text on
// the wire as they are everywhere else.
func Marshal(value any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
