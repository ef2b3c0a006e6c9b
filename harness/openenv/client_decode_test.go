package openenv

import (
	"encoding/json"
	"errors"
	"testing"
)

// Whatever a server sends is either of the protocol, and then a part of what
// was sent, or ErrProtocol.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"type":"observation","data":{"observation":{"a":1.0},"reward":-0.0,"done":true,"metadata":{}}}`,
		`{"type":"error","data":{"message":"m","code":"c","errors":[]}}`,
		`{"type":"state","data":{"episode_id":null}}`,
		`{"type":"observation","data":{"reward":NaN}}`,
		`{"type":"observation","data":{"reward":1e999,"reward":null,"observation":null}}`,
		`{"type":1}`, `[]`, `{}{}`, `{"type":"\ud800"}`, "{\"\xff\":1}", `{"data":{"done":null},"type":""}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := decodeMessage(text)
		if err != nil {
			if !errors.Is(err, ErrProtocol) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if !json.Valid(text) {
			t.Errorf("%q was read", text)
		}
		result, err := decodeResult(m.data)
		if err != nil {
			if !errors.Is(err, ErrProtocol) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		for _, value := range []json.RawMessage{result.Observation, result.Metadata} {
			if value != nil && (!json.Valid(value) || value[0] != '{') {
				t.Errorf("%q has an object %q", text, value)
			}
		}
		var reward any
		if result.Reward != nil && json.Unmarshal(result.Reward, &reward) != nil && json.Valid(result.Reward) {
			// A number that is too large for a float64 is still a number.
			if _, paid := result.Value(); paid {
				t.Errorf("%q pays %q", text, result.Reward)
			}
		}
		switch reward.(type) {
		case nil, float64, bool:
		default:
			t.Errorf("%q pays %q", text, result.Reward)
		}
		if told, err := decodeTold(m.data); err == nil && told.Error() == "" {
			t.Errorf("%q is an error without a text", text)
		}
	})
}
