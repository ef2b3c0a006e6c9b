package numbersort

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"candor/harness/openenv"

	"github.com/coder/websocket"
)

// TestServed says to Candor's server over a real connection what was said to
// LearnLens's, and holds its replies to the recorded ones byte for byte, but
// for random IDs and the version of pydantic.
func TestServed(t *testing.T) {
	var recording struct{ Sessions [][]exchange }
	recorded(t, "space.json", &recording)
	server, err := openenv.NewServer(Spec(Config{}), openenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	listening := httptest.NewServer(server)
	defer listening.Close()
	for _, session := range recording.Sessions {
		conn, _, err := websocket.Dial(t.Context(), strings.Replace(listening.URL, "http", "ws", 1)+"/ws", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, exchange := range session {
			message := map[string]any{"type": exchange.Ask.Type}
			if exchange.Ask.Data != nil {
				message["data"] = exchange.Ask.Data
			}
			text, err := json.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.Write(t.Context(), websocket.MessageText, text); err != nil {
				t.Fatal(err)
			}
			_, reply, err := conn.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, want := varying.ReplaceAllString(string(reply), "…"), varying.ReplaceAllString(exchange.Reply, "…")
			if got != want {
				t.Errorf("%s:\n    says %s\nrecorded %s", text, got, want)
			}
		}
		conn.CloseNow()
	}
}
