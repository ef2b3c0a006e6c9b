package openenv_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"

	"candor/harness/openenv"

	"github.com/coder/websocket"
)

// guess is an environment: a number below 100 is to be found in seven steps.
type guess struct {
	number int64
	steps  int
}

func (g *guess) Reset(_ context.Context, options openenv.ResetOptions) (openenv.Result, error) {
	*g = guess{number: 42}
	if options.Seed != nil {
		g.number = options.Seed.Int64() % 100
	}
	return openenv.Result{Observation: json.RawMessage(`{"hint":"a number below 100"}`)}, nil
}

func (g *guess) Step(_ context.Context, action json.RawMessage) (openenv.Result, error) {
	var a struct{ Guess int64 }
	if err := json.Unmarshal(action, &a); err != nil {
		return openenv.Result{}, err
	}
	g.steps++
	hint, reward := "higher", openenv.Float(0)
	switch {
	case a.Guess == g.number:
		hint, reward = "found", 1
	case a.Guess > g.number:
		hint = "lower"
	}
	observation, err := openenv.Marshal(map[string]string{"hint": hint})
	return openenv.Result{
		Observation: observation,
		Reward:      json.RawMessage(reward.String()),
		Done:        reward == 1 || g.steps == 7,
	}, err
}

func (g *guess) State(context.Context) (json.RawMessage, error) {
	return openenv.Marshal(map[string]int{"step_count": g.steps})
}

func (g *guess) Close() error { return nil }

// Any Go environment can be served: four methods, a schema of its actions, and
// a way to begin a session. A trainer's client then plays it over the network.
func ExampleServer() {
	server, err := openenv.NewServer(openenv.Spec{
		Name:        "guess",
		Description: "Find a number.",
		Schemas: openenv.Schemas{Action: json.RawMessage(`{"title":"GuessAction","type":"object","required":["guess"],
			"properties":{"guess":{"type":"integer","minimum":0,"maximum":99}},"additionalProperties":false}`)},
		New: func(context.Context) (openenv.Environment, error) { return &guess{}, nil },
	}, openenv.Options{LocalOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()

	client, _, err := websocket.Dial(ctx, "ws://"+listener.Addr().String()+"/ws", nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, sent := range []string{
		`{"type":"reset","data":{"seed":7}}`,
		`{"type":"step","data":{"guess":50}}`,
		`{"type":"step","data":{"guess":"7"}}`, // a number in a string is one
		`{"type":"state"}`,
	} {
		if err := client.Write(ctx, websocket.MessageText, []byte(sent)); err != nil {
			log.Fatal(err)
		}
		_, reply, err := client.Read(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(reply))
	}
	if err := client.Close(websocket.StatusNormalClosure, ""); err != nil {
		log.Fatal(err)
	}
	stop()
	fmt.Println("ended well:", <-ended == nil)
	// Output:
	// {"type":"observation","data":{"observation":{"hint":"a number below 100"},"reward":null,"done":false}}
	// {"type":"observation","data":{"observation":{"hint":"lower"},"reward":0.0,"done":false}}
	// {"type":"observation","data":{"observation":{"hint":"found"},"reward":1.0,"done":true}}
	// {"type":"state","data":{"step_count":2}}
	// ended well: true
}
