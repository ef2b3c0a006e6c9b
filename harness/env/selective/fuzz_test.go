package selective_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"candor/harness/openenv"
)

// Whatever a player sends is an answer: it is paid from 0 to 1, and is exactly
// one of answered, abstained and malformed.
func FuzzStep(f *testing.F) {
	for _, seed := range []string{
		`{"answer":"{\"verdict\":\"SUPPORTED\",\"confidence\":0.9}"}`, `{"verdict":"ABSTAIN"}`, `{"answer":{"verdict":1}}`,
		`{"action":"<think>"}`, `{"answer":"x","thinking":7,"done_reason":[]}`, `[]`, `{`, "", "\xff", `{"answer":"\ud800"}`,
	} {
		f.Add(seed)
	}
	tasks, err := usual()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, action string) {
		env := tasks.New()
		reset(t, env, openenv.ResetOptions{Seed: big.NewInt(int64(len(action))), Extra: map[string]json.RawMessage{"image": json.RawMessage(`"none"`)}})
		result := step(t, env, action)
		m := metadata(t, result)
		reward, ok := result.Value()
		if !ok || reward < 0 || reward > 1 || !result.Done || m.Answered+m.Abstained+m.Malformed != 1 || (m.Malformed == 1) != (m.Reason != "") {
			t.Errorf("%q is paid %s, done %v: %s", action, result.Reward, result.Done, result.Metadata)
		}
	})
}
