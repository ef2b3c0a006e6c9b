package openenv_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"candor/harness/openenv"

	"go.uber.org/goleak"
)

// An exchange is one connection of a recording that scripts/record.sh
// exchanges makes: what a client and a released server said to each other.
type exchange struct {
	Version, Environment, Name string
	Said                       []struct {
		C, S, B *string // the client's text, the server's, and the client's bytes
		Closed  int

		// With OpenEnv 0.1 instead:
		Method, Path string
		Body         *string
		Status       int
		Answer       string
	}
}

// recordedExchanges reads a recording: the one that is kept here or, where
// CANDOR_OPENENV_EXCHANGES names a folder, a newer one.
func recordedExchanges(t *testing.T, name string) []exchange {
	t.Helper()
	folder := cmp.Or(os.Getenv("CANDOR_OPENENV_EXCHANGES"), filepath.Join("testdata", "exchanges"))
	text, err := os.ReadFile(filepath.Join(folder, name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []exchange
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var one exchange
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// The client says what OpenEnv's own is recorded to say, and understands what
// the servers of released versions are recorded to answer. Where the recorded
// client says what ours never would, ours makes some request instead, and is
// answered as that was.
func TestClientTalksAsRecorded(t *testing.T) {
	for _, name := range []string{"openenv-0.2", "openenv-0.3", "openenv"} {
		t.Run(name, func(t *testing.T) {
			replies, codes := 0, map[string]int{}
			for _, one := range recordedExchanges(t, name) {
				t.Run(one.Environment+"/"+one.Name, func(t *testing.T) {
					defer goleak.VerifyNone(t)
					replies += replayExchange(t, one, codes)
				})
			}
			if replies < 150 {
				t.Errorf("only %d replies are recorded", replies)
			}
			for _, code := range []string{
				openenv.CodeInvalidJSON, openenv.CodeUnknownType, openenv.CodeValidation, openenv.CodeExecution,
				openenv.CodeCapacityReached, openenv.CodeFactory, openenv.CodeSession,
			} {
				if codes[code] == 0 {
					t.Errorf("no %s is recorded", code)
				}
			}
		})
	}
}

// replayExchange plays one exchange with a server that knows the recorded half
// of it, and counts the replies, and the errors by code.
func replayExchange(t *testing.T, one exchange, codes map[string]int) (replies int) {
	var heard []string
	server := newFarServer(t, func(f *far, _ int) {
		for _, turn := range one.Said {
			switch {
			case turn.S != nil:
				// What comes unasked comes at once.
				f.text(*turn.S)
			case turn.Closed > 0:
				f.closing(uint16(turn.Closed), "")
				f.hear()
			default:
				text := f.hear()
				heard = append(heard, text)
				if text == `{"type":"close"}` {
					f.closing(1000, "")
					return
				}
			}
		}
	})
	defer server.Close()
	session := dialSession(t, server.URL, openenv.DialOptions{})
	var says []string // what the client should have said, "" where ours cannot
	for i, turn := range one.Said {
		if turn.Closed > 0 || turn.S != nil && i > 0 {
			continue
		}
		if turn.S != nil { // unasked, and then there is nothing else
			_, err := session.Reset(t.Context(), openenv.ResetOptions{})
			replies += judgeReply(t, *turn.S, openenv.Result{}, nil, err, codes)
			break
		}
		kind, data, sayable := parseRequest(turn.C)
		if kind == "close" && sayable {
			says = append(says, `{"type":"close"}`)
			break
		}
		reply := *one.Said[i+1].S
		var result openenv.Result
		var state json.RawMessage
		var err error
		answersState := strings.HasPrefix(reply, `{"type":"state"`)
		switch {
		case kind == "state" && sayable, !sayable && answersState:
			state, err = session.State(t.Context())
		case kind == "reset" && sayable:
			result, err = session.Reset(t.Context(), resetOptionsOf(t, data))
		case kind == "step" && sayable:
			result, err = session.Step(t.Context(), data)
		case strings.HasPrefix(reply, `{"type":"mcp"`):
			_, err = session.Step(t.Context(), []byte(`{}`))
			if !errors.Is(err, openenv.ErrProtocol) {
				t.Errorf("a reply for tools: %v", err)
			}
			session.Close()
			return replies
		default:
			result, err = session.Step(t.Context(), []byte(`{}`))
		}
		if sayable {
			says = append(says, *turn.C)
		} else {
			says = append(says, "")
		}
		replies += judgeReply(t, reply, result, state, err, codes)
	}
	session.Close()
	server.scripts.Wait()
	for i, want := range says {
		if want != "" && (i >= len(heard) || !sameJSONText(heard[i], want)) {
			t.Errorf("in place of %s the client said %q", want, heard[min(i, len(heard)):min(i+1, len(heard))])
		}
	}
	return replies
}

// judgeReply compares what the client made of a reply with the reply.
func judgeReply(t *testing.T, reply string, result openenv.Result, state json.RawMessage, err error, codes map[string]int) int {
	t.Helper()
	var want struct {
		Type string
		Data json.RawMessage
	}
	var data struct {
		Observation, Reward, Metadata json.RawMessage
		Done                          bool
		Message, Code                 string
	}
	if e := json.Unmarshal([]byte(reply), &want); e != nil {
		t.Fatal(e)
	}
	if e := json.Unmarshal(want.Data, &data); e != nil && want.Type != "state" {
		t.Fatal(e)
	}
	switch want.Type {
	case "error":
		codes[data.Code]++
		var told *openenv.Error
		if !errors.As(err, &told) || told.Code != data.Code || told.Message != data.Message || !bytes.Equal(told.Data, want.Data) {
			t.Errorf("%s was understood as %v", reply, err)
		}
	case "state":
		if err != nil || !bytes.Equal(state, want.Data) {
			t.Errorf("%s was understood as %s %v", reply, state, err)
		}
	default:
		if err != nil || !bytes.Equal(result.Observation, data.Observation) || !bytes.Equal(result.Reward, data.Reward) ||
			result.Done != data.Done || !bytes.Equal(result.Metadata, data.Metadata) {
			t.Errorf("%s was understood as %s %s %v %s %v", reply, result.Observation, result.Reward, result.Done, result.Metadata, err)
		}
	}
	return 1
}

// parseRequest takes a client's message apart, and tells whether ours could
// have said it.
func parseRequest(text *string) (kind string, data json.RawMessage, sayable bool) {
	var message map[string]json.RawMessage
	if text == nil || json.Unmarshal([]byte(*text), &message) != nil {
		return "", nil, false
	}
	json.Unmarshal(message["type"], &kind)
	data = message["data"]
	object := bytes.HasPrefix(data, []byte("{"))
	switch kind {
	case "reset", "step":
		return kind, data, object && len(message) == 2 && seedable(data)
	case "state", "close":
		return kind, nil, len(message) == 1
	}
	return kind, nil, false
}

// seedable tells whether a reset's seed, if it is one, is an integer: ours
// sends no other.
func seedable(data json.RawMessage) bool {
	var asked struct{ Seed any }
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if decoder.Decode(&asked) != nil {
		return false
	}
	switch seed := asked.Seed.(type) {
	case json.Number:
		return !strings.ContainsAny(string(seed), ".eE")
	case nil:
		return !bytes.Contains(data, []byte(`"seed"`))
	default:
		return false
	}
}

func resetOptionsOf(t *testing.T, data json.RawMessage) openenv.ResetOptions {
	var options openenv.ResetOptions
	if err := json.Unmarshal(data, &options.Extra); err != nil {
		t.Fatal(err)
	}
	if seed, ok := options.Extra["seed"]; ok {
		options.Seed, _ = new(big.Int).SetString(string(seed), 10)
		delete(options.Extra, "seed")
	}
	if id, ok := options.Extra["episode_id"]; ok {
		json.Unmarshal(id, &options.EpisodeID)
		delete(options.Extra, "episode_id")
	}
	return options
}

func sameJSONText(a, b string) bool {
	var values [2]any
	for i, text := range []string{a, b} {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// With OpenEnv 0.1 the client makes the requests that its own client makes,
// and understands the answers.
func TestOldestFormAsRecorded(t *testing.T) {
	answers := 0
	for _, one := range recordedExchanges(t, "openenv-0.1") {
		t.Run(one.Environment+"/"+one.Name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			next := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				turn := one.Said[next]
				switch {
				case r.URL.Path == "/ws":
					w.WriteHeader(http.StatusForbidden)
				case r.URL.Path == "/schema":
					w.WriteHeader(http.StatusNotFound)
				case r.URL.Path == "/health":
					io.WriteString(w, `{"status":"healthy"}`)
				default:
					body, _ := io.ReadAll(r.Body)
					if r.Method != turn.Method || r.URL.Path != turn.Path || turn.Body != nil && !sameJSONText(string(body), *turn.Body) {
						t.Errorf("in place of %s %s %v the client said %s %s %s", turn.Method, turn.Path, turn.Body, r.Method, r.URL.Path, body)
					}
					w.WriteHeader(turn.Status)
					io.WriteString(w, turn.Answer)
				}
			}))
			defer server.Close()
			session := dialSession(t, server.URL, openenv.DialOptions{ReplyTimeout: 15e9})
			defer session.Close()
			for i, turn := range one.Said {
				next = i
				var result openenv.Result
				var state json.RawMessage
				var err error
				switch turn.Path {
				case "/health":
					continue
				case "/reset":
					result, err = session.Reset(t.Context(), openenv.ResetOptions{})
				case "/step":
					var body struct{ Action json.RawMessage }
					if err := json.Unmarshal([]byte(*turn.Body), &body); err != nil {
						t.Fatal(err)
					}
					result, err = session.Step(t.Context(), body.Action)
				case "/state":
					state, err = session.State(t.Context())
				}
				answers++
				switch {
				case turn.Status != http.StatusOK:
					var told *openenv.Error
					if !errors.As(err, &told) || !strings.Contains(told.Message, fmt.Sprint(turn.Status)) {
						t.Errorf("%d %s was understood as %v", turn.Status, turn.Answer, err)
					}
				case turn.Path == "/state":
					judgeReply(t, `{"type":"state","data":`+turn.Answer+`}`, result, state, err, nil)
				default:
					judgeReply(t, `{"type":"observation","data":`+turn.Answer+`}`, result, state, err, nil)
				}
			}
		})
	}
	if answers < 15 {
		t.Errorf("only %d answers are recorded", answers)
	}
}
