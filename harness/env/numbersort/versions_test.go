package numbersort

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"candor/harness/openenv"

	"github.com/coder/websocket"
)

// What three releases of OpenEnv are recorded to answer as they serve
// LearnLens's environment is what our server answers with ours, text for text
// but for what differs between any two of them: random IDs, links into the
// documentation of pydantic's version, and metadata that holds nothing, which
// releases from 0.4 on send.
func TestServedAsByEveryRelease(t *testing.T) {
	server, err := openenv.NewServer(Spec(Config{}), openenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	far := httptest.NewServer(server)
	defer far.Close()
	for _, release := range []string{"openenv-0.2", "openenv-0.3", "openenv"} {
		t.Run(release, func(t *testing.T) {
			file, err := os.Open("../../openenv/testdata/exchanges/" + release + ".jsonl")
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			answers := 0
			for lines := bufio.NewScanner(file); lines.Scan(); {
				var one struct {
					Environment, Name string
					Said              []struct{ C, S *string }
				}
				if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
					t.Fatal(err)
				}
				if one.Environment != "number-sort" {
					continue
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				client, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(far.URL, "http")+"/ws", nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, said := range one.Said {
					switch {
					case said.C != nil:
						if err := client.Write(ctx, websocket.MessageText, []byte(*said.C)); err != nil {
							t.Fatal(err)
						}
					case said.S != nil:
						answers++
						_, got, err := client.Read(ctx)
						if err != nil {
							t.Fatalf("%s: %v", one.Name, err)
						}
						if got, want := withoutChance(string(got), one.Name), withoutChance(*said.S, one.Name); got != want {
							t.Errorf("%s: %s\nrecorded: %s", one.Name, got, want)
						}
					}
				}
				client.CloseNow()
			}
			if answers < 38 {
				t.Errorf("only %d answers are recorded", answers)
			}
		})
	}
}

var (
	byChance = regexp.MustCompile(`"episode_id":"[0-9a-f]{8}"`)
	byDate   = regexp.MustCompile(`pydantic\.dev/[0-9.]+|"metadata":\{\},?`)
	drawn    = regexp.MustCompile(`\[[0-9]+,[0-9, ]+\]`)
)

// withoutChance leaves out what differs between any two; without a seed the
// numbers do.
func withoutChance(answer, name string) string {
	answer = byDate.ReplaceAllString(byChance.ReplaceAllString(answer, `"episode_id":"?"`), "")
	if name == "a seed that is none" {
		answer = drawn.ReplaceAllString(answer, "[]")
	}
	return answer
}
