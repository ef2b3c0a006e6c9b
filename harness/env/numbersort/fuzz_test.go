package numbersort

import (
	"encoding/json"
	"errors"
	"testing"

	"candor/harness/openenv"
)

// Whatever an agent sends is refused as invalid or paid within the bounds; the
// package's form pays everything, and neither panics.
func FuzzStep(f *testing.F) {
	for _, seed := range []string{
		`{"values":[15,19,18,1,11,17]}`, `{"values":["1_0",2.0,true,null,[],{}]}`, `{"values":"[1]"}`, `{"values":{"1":2,"1":3}}`,
		`{"action":"hello"}`, `{"values":[1e400,-0.0,1e19]}`, `{"metadata":3}`, `[]`, `{`, "", "\xff", `{"values":"\"٣\""}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, action string) {
		served, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		packaged, err := NewLibrary(Config{})
		if err != nil {
			t.Fatal(err)
		}
		for name, env := range map[string]openenv.Environment{"served": served, "package": packaged} {
			if _, err := env.Reset(t.Context(), openenv.Seeded(0)); err != nil {
				t.Fatal(err)
			}
			result, err := env.Step(t.Context(), json.RawMessage(action))
			var told *openenv.Error
			if name == "served" && errors.As(err, &told) && told.Code == openenv.CodeValidation && json.Valid(told.Data) {
				continue
			}
			if reward, ok := result.Value(); err != nil || !ok || reward > Most || reward != 0 && reward < Least || name == "served" && reward == 0 {
				t.Errorf("%s: %q is paid %s, %v", name, action, result.Reward, err)
			}
		}
	})
}
