package openenv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// actions turns actions as received into those that environments get.
type actions func(action json.RawMessage) (json.RawMessage, error)

// newActions is how a kind of environment wants its actions checked: in its
// own way, or against the schema, after conversion.
func newActions(spec Spec) (actions, error) {
	if spec.Action != nil {
		return func(action json.RawMessage) (json.RawMessage, error) {
			changed, err := spec.Action(action)
			return changed, refused(action, err)
		}, nil
	}
	layout, err := newSchema(spec.Schemas.Action)
	if err != nil {
		return nil, err
	}
	whole, err := compileSchema(spec.Schemas.Action)
	if err != nil {
		return nil, err
	}
	foreignMetadata := layout.property("metadata") == nil
	if foreignMetadata { // every action may have some, as a Python server's may
		layout.properties = append([]property{{"metadata", &schema{kind: "object"}}}, layout.properties...)
	}
	return func(action json.RawMessage) (json.RawMessage, error) {
		var p problems
		action = layout.check(&p, action, nil)
		if err := p.asError(); err != nil {
			return nil, err
		}
		checked := action
		if foreignMetadata && bytes.Contains(action, []byte("metadata")) {
			checked = without(action, "metadata")
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(checked))
		if err != nil {
			return nil, refused(action, err)
		}
		return action, refused(action, whole.Validate(value))
	}, nil
}

// Conversion makes of a schema what turns actions as received into those that
// an environment gets, as pydantic does for one of Python's: "3" becomes 3
// where an integer is wanted, and what does not fit is [CodeValidation] with its
// faults, of which and of whose inputs it tells no more than a bounded amount.
// It knows what pydantic's own schemas say; patterns and formats it lets pass.
func Conversion(schema json.RawMessage) (func(action json.RawMessage) (json.RawMessage, error), error) {
	layout, err := newSchema(schema)
	if err != nil {
		return nil, err
	}
	return func(action json.RawMessage) (json.RawMessage, error) {
		var p problems
		action = layout.check(&p, action, nil)
		return action, p.asError()
	}, nil
}

func (s *schema) property(name string) *schema {
	for _, p := range s.properties {
		if p.name == name {
			return p.schema
		}
	}
	return nil
}

// without leaves out a key of an object.
func without(object json.RawMessage, key string) json.RawMessage {
	list, err := members(object)
	if err != nil {
		return object
	}
	var rest []member
	for _, m := range list {
		if m.key != key {
			rest = append(rest, m)
		}
	}
	return join(rest)
}

// compileSchema makes a validator for what is beyond conversion: patterns,
// formats, conditions. It reads no file and no address.
func compileSchema(source json.RawMessage) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	const name = "action.json"
	if err := compiler.AddResource(name, document); err != nil {
		return nil, err
	}
	return compiler.Compile(name)
}

// refused turns what is wrong with an action into the error that is sent.
func refused(action json.RawMessage, err error) error {
	var told *Error
	if err == nil || errors.As(err, &told) {
		return err
	}
	var p problems
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		leaves(&p, action, invalid)
	} else {
		p.add(nil, action, "value_error", fmt.Sprintf("Value error, %v", err))
	}
	return p.asError()
}

// leaves lists the innermost mistakes.
func leaves(p *problems, action json.RawMessage, invalid *jsonschema.ValidationError) {
	for _, cause := range invalid.Causes {
		leaves(p, action, cause)
	}
	if len(invalid.Causes) > 0 {
		return
	}
	place := make([]any, len(invalid.InstanceLocation))
	for i, step := range invalid.InstanceLocation {
		place[i] = step
	}
	p.add(place, action, "value_error", "Value error, "+invalid.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
}
