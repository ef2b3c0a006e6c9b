package openenv_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"candor/harness/openenv"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

// recording is what scripts/record/serving.py writes: what OpenEnv's own
// server answered.
type recording struct {
	Sockets  []conversation
	Full     []conversation
	FullRPC  request `json:"full_rpc"`
	Requests []request
}

type conversation struct {
	Path  string
	Turns []struct {
		Send   *string
		Binary *string
		Reply  *string
		Closed int
	}
}

type request struct {
	Method, Path string
	Body, Kind   *string
	Status       int
	Answer       string
	AnswerKind   string `json:"answer_kind"`
	Allow        string
}

func readRecording(t *testing.T) recording {
	t.Helper()
	b, err := os.ReadFile("testdata/serving.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Every message and every malformed one is answered as OpenEnv's own server
// answered it, closings included.
func TestServerTalksAsRecorded(t *testing.T) {
	recorded := readRecording(t)
	address := serve(t, probeSpec(nil), openenv.Options{})
	turns := 0
	for _, one := range recorded.Sockets {
		turns += len(one.Turns)
		converse(t, address, one)
	}
	if turns < 150 {
		t.Errorf("only %d turns are recorded", turns)
	}
}

// A server that is full says so and closes.
func TestServerFullAsRecorded(t *testing.T) {
	recorded := readRecording(t)
	address := serve(t, probeSpec(nil), openenv.Options{Limits: openenv.Limits{Sessions: 2}})
	for range 2 {
		one := dial(t, address, "/ws")
		defer one.CloseNow()
		say(t, one, `{"type":"state"}`)
	}
	for _, one := range recorded.Full {
		converse(t, address, one)
	}
	ask(t, address, recorded.FullRPC)
}

// HTTP requests are answered as recorded.
func TestServerAnswersAsRecorded(t *testing.T) {
	recorded := readRecording(t)
	address := serve(t, probeSpec(nil), openenv.Options{})
	for _, one := range recorded.Requests {
		ask(t, address, one)
	}
	if len(recorded.Requests) < 90 {
		t.Errorf("only %d requests are recorded", len(recorded.Requests))
	}
}

func converse(t *testing.T, address string, one conversation) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	client := dial(t, address, one.Path)
	defer client.CloseNow()
	for _, turn := range one.Turns {
		sent := ""
		switch {
		case turn.Send != nil:
			sent = *turn.Send
			if err := client.Write(ctx, websocket.MessageText, []byte(sent)); err != nil {
				t.Fatal(err)
			}
		case turn.Binary != nil:
			b, err := base64.StdEncoding.DecodeString(*turn.Binary)
			if err != nil {
				t.Fatal(err)
			}
			sent = "binary " + string(b)
			if err := client.Write(ctx, websocket.MessageBinary, b); err != nil {
				t.Fatal(err)
			}
		}
		kind, reply, err := client.Read(ctx)
		if turn.Closed != 0 {
			if got := websocket.CloseStatus(err); int(got) != turn.Closed {
				t.Errorf("%s %q: closed with %v (%v), recorded %d", one.Path, sent, got, err, turn.Closed)
			}
			return
		}
		if err != nil {
			t.Fatalf("%s %q: %v", one.Path, sent, err)
		}
		if kind != websocket.MessageText {
			t.Errorf("%s %q: not answered by text", one.Path, sent)
		}
		if diff := cmp.Diff(plain(t, *turn.Reply), plain(t, string(reply))); diff != "" {
			t.Errorf("%s %q:\n%s", one.Path, sent, diff)
		}
		if spaced := strings.Contains(*turn.Reply, `": `); spaced != strings.Contains(string(reply), `": `) {
			t.Errorf("%s %q is answered by %s, recorded %s", one.Path, sent, reply, *turn.Reply)
		}
	}
}

// plain is what an answer says, without what may differ: the empty metadata
// that a Python observation always has, and the module of a Python class.
func plain(t *testing.T, answer string) any {
	t.Helper()
	answer = strings.Replace(answer, `"observation":{"metadata":{},`, `"observation":{`, 1)
	answer = strings.Replace(answer, "openenv.core.env_server.mcp_types.", "", 1)
	decoder := json.NewDecoder(strings.NewReader(answer))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return answer
	}
	return value
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

func ask(t *testing.T, address string, one request) {
	t.Helper()
	var body io.Reader
	if one.Body != nil {
		body = bytes.NewReader([]byte(*one.Body))
	}
	r, err := http.NewRequest(one.Method, "http://"+address+one.Path, body)
	if err != nil {
		t.Fatal(err)
	}
	sent := ""
	if one.Body != nil {
		sent = *one.Body
	}
	if one.Kind != nil {
		r.Header.Set("Content-Type", *one.Kind)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode == http.StatusTemporaryRedirect { // the recorder followed it
		one.Path = answer.Header.Get("Location")
		answer.Body.Close()
		ask(t, address, one)
		return
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	what := one.Method + " " + one.Path + " " + sent
	if answer.StatusCode != one.Status || answer.Header.Get("Allow") != one.Allow || answer.Header.Get("Content-Type") != one.AnswerKind {
		t.Errorf("%s: %d %q %q, recorded %d %q %q", what, answer.StatusCode, answer.Header.Get("Allow"), answer.Header.Get("Content-Type"),
			one.Status, one.Allow, one.AnswerKind)
	}
	if one.Path == "/schema" || one.Path == "/metadata" { // of other words
		return
	}
	if diff := cmp.Diff(plain(t, one.Answer), plain(t, strings.TrimSpace(string(got)))); diff != "" {
		t.Errorf("%s:\n%s", what, diff)
	}
}

func dial(t testing.TB, address, path string) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client, _, err := websocket.Dial(ctx, "ws://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	client.SetReadLimit(100 << 20)
	return client
}

// say sends a message and returns the answer.
func say(t testing.TB, client *websocket.Conn, text string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := client.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
	_, reply, err := client.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}
