package openenv_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"candor/harness/openenv"

	"github.com/coder/websocket"
)

// An integer that Python cannot read ends a session and refuses a body, before
// anybody converts it: as the servers of openenv-core under Python 3.11 answered.
func TestServerRefusesLongIntegers(t *testing.T) {
	address := serve(t, probeSpec(nil), openenv.Options{})
	long := strings.Repeat("7", 1<<20)
	for _, message := range []string{`{"type":"reset","data":{"seed":-` + long + `}}`, `{"type":"step","data":{"values":[` + long + `]}}`} {
		c, _, err := websocket.Dial(t.Context(), "ws://"+address+"/ws", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		if err := c.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
		const want = `{"type":"error","data":{"message":"Exceeds the limit (4300 digits) for integer string conversion: value has 1048576 digits; ` +
			`use sys.set_int_max_str_digits() to increase the limit","code":"SESSION_ERROR"}}`
		if _, reply, err := c.Read(t.Context()); err != nil || string(reply) != want {
			t.Errorf("%.200s, %v", reply, err)
		}
		if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
			t.Errorf("then the session ends in %v", err)
		}
	}
	response, err := http.Post("http://"+address+"/reset", "application/json", strings.NewReader(`{"seed":`+long+`}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusBadRequest || string(body) != `{"detail":"There was an error parsing the body"}` {
		t.Errorf("%s: %s, %v", response.Status, body, err)
	}
}
