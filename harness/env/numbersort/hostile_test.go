package numbersort

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"candor/harness/openenv"

	"github.com/coder/websocket"
)

// What nobody sends by mistake, in one session over the wire, as upstream's
// server answered it under openenv-core 0.3.0 and later.
func TestServedOddities(t *testing.T) {
	server, err := openenv.NewServer(Spec(Config{}), openenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	listening := httptest.NewServer(server)
	defer listening.Close()
	conn, _, err := websocket.Dial(t.Context(), strings.Replace(listening.URL, "http", "ws", 1)+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 20)
	sevens := strings.Repeat("7", 1<<20)
	const usual = `"numbers":[7,9,4,6,17,16]` // of seed 3
	for _, row := range []struct{ name, kind, data, want string }{
		{"the seed infinity", "reset", `{"seed":1e400}`, `"numbers":[12,20,8,16,6,11]`},
		{"its negative", "reset", `{"seed":-1e400,"task":"hard"}`, `"numbers":[1,6,12,60,79,77,63,`},
		{"and as Python's clients spell it", "reset", `{"seed":-Infinity,"task":"easy"}`, `"numbers":[20,19,8,12,16,9]`},
		{"the longest seed", "reset", `{"seed":-` + sevens[:4300] + `}`, `"numbers":[19,6,13,1,4,12]`},
		{"a longer one as text is another's bytes", "reset", `{"seed":"` + sevens[:4301] + `"}`, `"numbers":[16,20,3,5,19,17]`},
		{"a text of any length", "reset", `{"seed":"` + sevens + `"}`, `"task":"easy"`},
		{"a list is no seed", "reset", `{"seed":[1]}`, `EXECUTION_ERROR`},
		{"a task that is infinite changes nothing", "reset", `{"seed":3,"task":1e400}`, usual},
		{"nor does one that is not a number", "reset", `{"seed":3,"task":NaN}`, usual},
		{"an episode's ID that is a number", "reset", `{"seed":3,"episode_id":5}`, usual},
		{"a list", "reset", `{"seed":3,"episode_id":[]}`, usual},
		{"nothing", "reset", `{"seed":3,"episode_id":null}`, usual},
		{"a value too long, as text", "step", `{"values":["` + sevens[:4301] + `"]}`, `"errors":[{"type":"int_parsing_size","loc":["values",0]`},
		{"a far longer one", "step", `{"values":["` + sevens + `"]}`, `"input":"(1048578 bytes)"`},
		{"not a number", "step", `{"values":[NaN]}`, `"errors":[{"type":"finite_number","loc":["values",0],"msg":"Input should be a finite number","input":null`},
		{"very many faults", "step", `{"values":[` + strings.Repeat("[],", 100_000) + `[]]}`, `"loc":["values",99]`},
		{"after all that the episode is open", "step", `{"values":["17",16.0,9,7,6,4]}`, `"reward":0.999`},
	} {
		message := `{"type":"` + row.kind + `","data":` + row.data + `}`
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
		_, reply, err := conn.Read(t.Context())
		if err != nil || !strings.Contains(string(reply), row.want) || len(reply) > 20_000 {
			t.Errorf("%s: %.300s (%d bytes), %v", row.name, reply, len(reply), err)
		}
	}
}

// Without a server nothing takes long, either.
func TestLongIntegersAtOnce(t *testing.T) {
	sevens := strings.Repeat("7", 1<<22)
	began := time.Now()
	var told *openenv.Error
	env := opened(t, Config{})
	options := openenv.ResetOptions{Extra: map[string]json.RawMessage{"seed": json.RawMessage(sevens)}}
	if _, err := env.Reset(t.Context(), options); !errors.As(err, &told) || told.Code != openenv.CodeExecution {
		t.Errorf("a long seed: %v", err)
	}
	if _, err := env.Step(t.Context(), json.RawMessage(`{"values":[`+sevens+`]}`)); !errors.As(err, &told) || !strings.Contains(string(told.Data), "int_parsing_size") {
		t.Errorf("a long value: %v", err)
	}
	for _, action := range []string{`{"values":[` + sevens + `]}`, `{"values":["` + sevens + `"]}`} {
		if values := readValues(json.RawMessage(action)); values != nil {
			t.Errorf("the package's form reads %d values", len(values))
		}
	}
	if took := time.Since(began); took > 20*time.Second { // minutes, if they were converted
		t.Errorf("it took %v", took)
	}
}
