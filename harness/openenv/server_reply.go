package openenv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// messageOf is what the server sends of a type.
func messageOf(kind string, data json.RawMessage) json.RawMessage {
	return object("type", kind, "data", data)
}

// codeOf is the code by which an error is told.
func codeOf(err error) string {
	var told *Error
	var full *capacityError
	var broken *factoryError
	var panicked *panicError
	switch {
	case errors.As(err, &told) && told.Code != "":
		return told.Code
	case errors.As(err, &full):
		return CodeCapacityReached
	case errors.As(err, &broken):
		return CodeFactory
	case errors.As(err, &panicked):
		return CodeSession
	}
	return CodeExecution
}

// errorData is the data of an error message.
func errorData(err error) json.RawMessage {
	code := codeOf(err)
	var told *Error
	var full *capacityError
	var broken *factoryError
	switch {
	case errors.As(err, &told):
		if data, err := compact(told.Data); err == nil && kindOf(data) == kindObject {
			return data
		}
		return object("message", told.Message, "code", code)
	case errors.As(err, &full):
		return object("message", err.Error(), "code", code, "active_sessions", full.active, "max_sessions", full.limit)
	case errors.As(err, &broken):
		return object("message", broken.Error(), "code", code, "factory_name", broken.name)
	}
	return object("message", err.Error(), "code", code)
}

// observed is the data of an observation message, or HTTP's answer. Metadata
// stands in the observation and beside it, as servers from 0.4 on send it.
func observed(result Result, overHTTP bool) (json.RawMessage, error) {
	observation, err := compactObject(result.Observation)
	if err != nil {
		return nil, fmt.Errorf("the environment's observation: %w", err)
	}
	metadata, err := compactObject(result.Metadata)
	if err != nil {
		return nil, fmt.Errorf("the environment's metadata: %w", err)
	}
	within := withinObservation(observation)
	switch {
	case within == nil && len(metadata) > len("{}"):
		observation = join(append([]member{{"metadata", metadata}}, mustMembers(observation)...))
	case len(metadata) == len("{}") && kindOf(within) == kindObject && within != nil:
		metadata = within
	}
	reward, err := rewarded(result.Reward, overHTTP)
	if err != nil {
		return nil, err
	}
	data := []member{{"observation", observation}, {"reward", reward}, {"done", encode(result.Done)}}
	switch {
	case len(metadata) > len("{}"):
		data = append(data, member{"metadata", metadata})
	case overHTTP:
		data = append(data, member{"metadata", json.RawMessage("null")})
	}
	return join(data), nil
}

// compactObject is the object without blanks; nothing is an empty one.
func compactObject(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return json.RawMessage("{}"), nil
	}
	out, err := compact(raw)
	if err == nil && kindOf(out) != kindObject {
		err = fmt.Errorf("%.40s is no JSON object", out)
	}
	return out, err
}

// withinObservation is the metadata that an observation holds, nil for none.
func withinObservation(observation json.RawMessage) json.RawMessage {
	if !bytes.Contains(observation, []byte(`"metadata":`)) {
		return nil
	}
	return lookup(mustMembers(observation), "metadata")
}

func mustMembers(object json.RawMessage) []member {
	list, _ := members(object) // checked before
	return list
}

// rewarded is the reward as it is sent. What is not finite is null. HTTP's
// rewards are floats whatever the environment gave.
func rewarded(reward json.RawMessage, overHTTP bool) (json.RawMessage, error) {
	null := json.RawMessage("null")
	if len(reward) == 0 {
		return null, nil
	}
	value, err := strconv.ParseFloat(string(reward), 64)
	if (err == nil || errors.Is(err, strconv.ErrRange)) && (math.IsInf(value, 0) || math.IsNaN(value)) {
		return null, nil
	}
	reward, err = compact(reward)
	if err != nil {
		return nil, fmt.Errorf("the environment's reward: %w", err)
	}
	switch kindOf(reward) {
	case kindNull:
		return null, nil
	case kindTrue, kindFalse, kindNumber:
		if overHTTP {
			value, _ := Result{Reward: reward}.Value()
			return json.RawMessage(Float(value).String()), nil
		}
		return reward, nil
	}
	return nil, fmt.Errorf("the environment's reward: %.40s is no number", reward)
}

// stated is an environment's state as it is sent.
func stated(state json.RawMessage, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	if state, err = compactObject(state); err != nil {
		return nil, fmt.Errorf("the environment's state: %w", err)
	}
	return state, nil
}
