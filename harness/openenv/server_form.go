package openenv

import (
	"encoding/json"
	"math/big"
)

// forms are what messages and bodies look like.
type forms struct {
	reset, step, state                       *schema // messages on /ws; mcp is like step, close like state
	options                                  *schema // of a reset, on /ws, where not everything will do
	resetRequest, stepRequest                *schema // bodies
	rpc                                      *schema // JSON-RPC requests
	splitRequest, indexRequest, rangeRequest *schema // bodies of the task API
}

func newForms() (f forms, err error) {
	for _, one := range []struct {
		form   **schema
		source string
	}{
		{&f.reset, `{"properties":{"type":{},"data":{"type":"object"}},"additionalProperties":false,"type":"object"}`},
		{&f.step, `{"properties":{"type":{},"data":{"type":"object"}},"required":["data"],"additionalProperties":false,"type":"object"}`},
		{&f.state, `{"properties":{"type":{}},"additionalProperties":false,"type":"object"}`},
		{&f.options, `{"properties":{"seed":{"type":["integer","null"]},"episode_id":{"type":["string","null"]}},"type":"object"}`},
		{&f.resetRequest, `{"properties":{
			"seed":{"anyOf":[{"type":"integer","minimum":0},{"type":"null"}]},
			"episode_id":{"anyOf":[{"type":"string","maxLength":255},{"type":"null"}]}},"type":"object"}`},
		{&f.stepRequest, `{"properties":{"action":{"type":"object"},
			"timeout_s":{"anyOf":[{"type":"number","exclusiveMinimum":0.0},{"type":"null"}]},
			"request_id":{"anyOf":[{"type":"string","maxLength":255},{"type":"null"}]}},"required":["action"],"type":"object"}`},
		{&f.rpc, `{"properties":{"jsonrpc":{"const":"2.0"},"method":{"type":"string"},"params":{"type":"object"},
			"id":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}},
			"required":["jsonrpc","method"],"additionalProperties":false,"type":"object"}`},
		{&f.splitRequest, `{"properties":{"split":{"type":"string"}},"required":["split"],"additionalProperties":false,"type":"object"}`},
		{&f.indexRequest, `{"properties":{"split":{"type":"string"},"index":{"type":"integer"}},"required":["split","index"],"additionalProperties":false,"type":"object"}`},
		{&f.rangeRequest, `{"properties":{"split":{"type":"string"},"start":{"type":["integer","null"]},"stop":{"type":["integer","null"]}},
			"required":["split"],"additionalProperties":false,"type":"object"}`},
	} {
		if *one.form, err = newSchema(json.RawMessage(one.source)); err != nil {
			return f, err
		}
	}
	return f, nil
}

// resetOptions reads what a reset asks for, once its form is right.
func resetOptions(data json.RawMessage) ResetOptions {
	var options ResetOptions
	for _, m := range mustMembers(data) {
		switch m.key {
		case "seed":
			if seed, ok := new(big.Int).SetString(string(m.value), 10); ok {
				options.Seed = seed
			} else if kindOf(m.value) != kindNull {
				options.extra(m)
			}
		case "episode_id":
			if kindOf(m.value) == kindString {
				options.EpisodeID = text(m.value)
			} else if kindOf(m.value) != kindNull {
				options.extra(m)
			}
		default:
			options.extra(m)
		}
	}
	return options
}

func (o *ResetOptions) extra(m member) {
	if o.Extra == nil {
		o.Extra = map[string]json.RawMessage{}
	}
	o.Extra[m.key] = m.value
}
