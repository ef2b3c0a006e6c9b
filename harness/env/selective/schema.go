package selective

import (
	_ "embed"
	"encoding/json"

	"candor/harness/openenv"
)

var (
	//go:embed schema/action.json
	actionSchema json.RawMessage
	//go:embed schema/observation.json
	observationSchema json.RawMessage
	//go:embed schema/state.json
	stateSchema json.RawMessage
)

// schemas are those of the environment. The action has one required field, a
// text, so that a trainer can hand over a reply as it is.
func schemas() openenv.Schemas {
	return openenv.Schemas{Action: actionSchema, Observation: observationSchema, State: stateSchema}
}
