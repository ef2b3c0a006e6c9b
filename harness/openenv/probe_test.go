package openenv_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"candor/harness/openenv"
)

// probe is the environment of scripts/record/serving.py: it echoes what it was
// asked, or does as the action's name says.
type probe struct {
	episode *string
	steps   int
	stall   chan struct{} // what "stall" waits for
}

func (p *probe) Reset(_ context.Context, options openenv.ResetOptions) (openenv.Result, error) {
	p.steps, p.episode = 0, nil
	if options.EpisodeID != "" {
		p.episode = &options.EpisodeID
	}
	seed, task := "null", "null"
	if options.Seed != nil {
		seed = options.Seed.String()
	}
	if options.Extra["task"] != nil {
		task = string(options.Extra["task"])
	}
	return openenv.Result{Observation: told("["+seed+", "+task+"]", nil)}, nil
}

func told(asked string, given json.RawMessage) json.RawMessage {
	if given == nil {
		given = json.RawMessage("{}")
	}
	observation, err := openenv.Marshal(struct {
		Asked string          `json:"asked"`
		Given json.RawMessage `json:"given"`
	}{asked, given})
	if err != nil {
		panic(err)
	}
	return observation
}

func (p *probe) Step(ctx context.Context, action json.RawMessage) (openenv.Result, error) {
	p.steps++
	var a struct {
		Name  string
		Ratio *json.RawMessage
	}
	if err := json.Unmarshal(action, &a); err != nil {
		return openenv.Result{}, err
	}
	switch a.Name {
	case "boom":
		return openenv.Result{}, errors.New("boom!")
	case "panic":
		panic("the floor is gone")
	case "nan":
		return openenv.Result{Observation: told("é\x01\u2028", nil), Reward: json.RawMessage("NaN")}, nil
	case "meta":
		return openenv.Result{Observation: told("", nil), Reward: json.RawMessage("1"), Metadata: json.RawMessage(`{"a": 1}`)}, nil
	case "true":
		return openenv.Result{Observation: told("", nil), Reward: json.RawMessage("true"), Done: true}, nil
	case "stall":
		select {
		case <-p.stall:
		case <-ctx.Done():
			return openenv.Result{}, ctx.Err()
		}
	case "bad":
		return openenv.Result{Observation: json.RawMessage(`{"x":NaN}`)}, nil
	}
	reward := json.RawMessage("0.5")
	if a.Ratio != nil {
		reward = *a.Ratio
	}
	return openenv.Result{Observation: told("", action), Reward: reward, Done: true}, nil
}

func (p *probe) State(context.Context) (json.RawMessage, error) {
	return openenv.Marshal(struct {
		Episode *string `json:"episode_id"`
		Steps   int     `json:"step_count"`
	}{p.episode, p.steps})
}

func (p *probe) Close() error { return nil }

// probeSpec is the probe with the schemas that pydantic makes of its types.
func probeSpec(stall chan struct{}) openenv.Spec {
	return openenv.Spec{
		Name:    "probe",
		Version: "1.0.0",
		Schemas: openenv.Schemas{Action: json.RawMessage(`{"additionalProperties":false,"properties":{
			"metadata":{"additionalProperties":true,"title":"Metadata","type":"object"},
			"values":{"items":{"type":"integer"},"title":"Values","type":"array"},
			"name":{"maxLength":5,"minLength":1,"title":"Name","type":"string"},
			"n":{"default":0,"maximum":10,"minimum":0,"title":"N","type":"integer"},
			"ratio":{"default":0.5,"title":"Ratio","type":"number"},
			"flag":{"default":false,"title":"Flag","type":"boolean"},
			"kind":{"default":"a","enum":["a","b"],"title":"Kind","type":"string"},
			"opt":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null,"title":"Opt"}},
			"required":["name"],"title":"ProbeAction","type":"object"}`)},
		New: func(context.Context) (openenv.Environment, error) { return &probe{stall: stall}, nil },
	}
}

// serve serves a kind of environment for a test, and returns host and port.
func serve(t testing.TB, spec openenv.Spec, options openenv.Options) string {
	t.Helper()
	address, stop := start(t, spec, options)
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the server ended in %v", err)
		}
	})
	return address
}
