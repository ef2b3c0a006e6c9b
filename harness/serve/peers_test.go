package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"candor/harness/env/numbersort"
	"candor/harness/openenv"
	"candor/harness/openenv/openenvtest"
	"candor/harness/serve"
)

// player is what scripts/record/openenv_player.py prints of a session.
type player struct {
	Seed     int64
	Episodes [][3]json.RawMessage // reset, step, state
	Errors   []string
}

func runPeer(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", name, err, out, stderr.String())
	}
	return out
}

// OpenEnv's own clients, of three versions, play as the environment itself
// would be played, in one session and, of the newest, in 128.
func TestPeersPlay(t *testing.T) {
	for _, peer := range openenvtest.Peers(t, openenvtest.V02, openenvtest.V03, openenvtest.Newest) {
		t.Run(peer.Version, func(t *testing.T) {
			service := open(t, serve.Config{Addr: "127.0.0.1:0"})
			sessions := 3
			if peer.Version == openenvtest.Newest {
				sessions = 128
			}
			script := filepath.Join("..", "..", "scripts", "record", "openenv_player.py")
			var played []player
			if err := json.Unmarshal(runPeer(t, peer.Python, script, service.URL(), fmt.Sprint(sessions)), &played); err != nil {
				t.Fatal(err)
			}
			if len(played) != sessions {
				t.Fatalf("%d sessions", len(played))
			}
			for _, one := range played {
				compare(t, one)
			}
		})
	}
}

// compare plays the same here.
func compare(t *testing.T, one player) {
	t.Helper()
	env, err := numbersort.New(numbersort.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if len(one.Episodes) != 3 {
		t.Fatalf("seed %d: %d episodes", one.Seed, len(one.Episodes))
	}
	for i, episode := range one.Episodes {
		first, err := env.Reset(t.Context(), openenv.ResetOptions{Seed: big.NewInt(one.Seed + int64(i)), Extra: map[string]json.RawMessage{"task": json.RawMessage(`"easy"`)}})
		if err != nil {
			t.Fatal(err)
		}
		var seen struct{ Observation json.RawMessage }
		if err := json.Unmarshal(episode[0], &seen); err != nil {
			t.Fatal(err)
		}
		if !equal(t, seen.Observation, first.Observation) {
			t.Errorf("seed %d: the client sees %s, not %s", one.Seed+int64(i), seen.Observation, first.Observation)
		}
		var step struct {
			Reward float64
			Done   bool
		}
		if err := json.Unmarshal(episode[1], &step); err != nil || step.Reward != numbersort.Most || !step.Done {
			t.Errorf("seed %d: sorted numbers earn %s, %v", one.Seed+int64(i), episode[1], err)
		}
		if !strings.Contains(string(episode[2]), `"step_count": 1`) {
			t.Errorf("seed %d: the state is %s", one.Seed+int64(i), episode[2])
		}
	}
	for _, message := range one.Errors {
		if !strings.Contains(message, "(code: VALIDATION_ERROR)") {
			t.Errorf("a bad action is told as %q", message)
		}
	}
	if len(one.Errors) != 2 {
		t.Errorf("%d errors", len(one.Errors))
	}
}

func equal(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	left, _ := json.Marshal(x)
	right, _ := json.Marshal(y)
	return bytes.Equal(left, right)
}

// The newest client sends a token, and is refused without.
func TestPeersSendTheToken(t *testing.T) {
	peer := openenvtest.Peers(t, openenvtest.Newest)[0]
	service := open(t, serve.Config{Addr: "127.0.0.1:0", Token: "open-sesame"})
	script := filepath.Join("..", "..", "scripts", "record", "openenv_player.py")
	runPeer(t, peer.Python, script, service.URL(), "1", "open-sesame")
	if out, err := exec.CommandContext(t.Context(), peer.Python, script, service.URL(), "1", "guess").CombinedOutput(); err == nil || !strings.Contains(string(out), "401") {
		t.Errorf("a wrong token: %v %s", err, out)
	}
}

// openenv validate finds nothing wrong, whatever is served.
func TestPeersValidate(t *testing.T) {
	peer := openenvtest.Peers(t, openenvtest.Newest)[0]
	for _, name := range serve.Names() {
		service := openAs(t, name, serve.Config{Addr: "127.0.0.1:0"})
		var report struct {
			Passed   bool
			Criteria []struct {
				ID     string
				Passed bool
			}
		}
		if err := json.Unmarshal(runPeer(t, filepath.Join(filepath.Dir(peer.Python), "openenv"), "validate", "--json", "--url", service.URL()), &report); err != nil {
			t.Fatal(err)
		}
		if !report.Passed || len(report.Criteria) < 6 {
			t.Errorf("%s: %+v", name, report)
		}
	}
}

// The manifest in scripts is one that openenv validate reads.
func TestPeersReadTheManifest(t *testing.T) {
	peer := openenvtest.Peers(t, openenvtest.Newest)[0]
	var report struct {
		Verdict string
		Results []struct {
			CheckID string `json:"check_id"`
			Status  string
		}
	}
	out := runPeer(t, filepath.Join(filepath.Dir(peer.Python), "openenv"), "validate", "--json", "--level", "static", "--skip-build", filepath.Join("..", "..", "scripts"))
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	if report.Verdict != "pass" || len(report.Results) == 0 {
		t.Errorf("%+v", report)
	}
}
