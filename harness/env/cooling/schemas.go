package cooling

import (
	"encoding/json"

	"candor/harness/openenv"
)

func schemas() openenv.Schemas {
	return openenv.Schemas{
		Action: json.RawMessage(`{"title":"CoolingAction","type":"object",` +
			`"properties":{"action":{"type":"string","description":"cool NAME, recalibrate NAME or wait"},` +
			`"metadata":{"type":"object"}},"required":["action"]}`),
		Observation: json.RawMessage(`{"title":"CoolingObservation","type":"object","properties":{` +
			`"task":{"type":"string"},"step":{"type":"integer"},"steps":{"type":"integer"},` +
			`"machines":{"type":"array","items":{"type":"object","properties":{` +
			`"name":{"type":"string"},"reading":{"type":"integer"},"limit":{"type":"integer"},"heating":{"type":"integer"}},` +
			`"required":["name","reading","limit","heating"]}},` +
			`"last_reward":{"type":"number"},"instruction":{"type":"string"}},` +
			`"required":["task","step","steps","machines","last_reward","instruction"]}`),
		State: json.RawMessage(`{"title":"CoolingState","type":"object","properties":{` +
			`"episode_id":{"type":"string"},"step_count":{"type":"integer"},` +
			`"temperatures":{"type":"array","items":{"type":"integer"}},"done":{"type":"boolean"}},` +
			`"required":["episode_id","step_count","temperatures","done"]}`),
	}
}
