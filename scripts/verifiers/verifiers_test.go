// Package verifiers_test lets the real verifiers play Candor's environment: by
// the taskset of this folder, which shows the model the image, and by verifiers'
// own, which does not.
package verifiers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"candor/harness/claim"
	"candor/harness/env/selective"
	"candor/harness/openenv"
	"candor/harness/verify"
	"candor/infer/ollama/micro"
	"candor/infer/ollama/ollamatest"
)

// episodes are asked of candor-micro, each beside its own image and beside
// another's.
const episodes = 12

// The taskset of this folder plays Candor's server with candor-micro on a real
// engine: the model gets an image part, what it says reaches the parser as it
// was said, and what the server pays is what verifiers records. Beside other
// images it answers otherwise, so it did see them. CANDOR_PEERS_VERIFIERS names a
// Python interpreter that has verifiers, as "scripts/record.sh verifiers" prints it.
func TestPeersImagesMatter(t *testing.T) {
	p := newPlayer(t)
	right, swapped := p.play(t, "candor_selective", episodes, 1, false), p.play(t, "candor_selective", episodes, 1, true)
	others, correct, correctSwapped := 0, 0.0, 0.0
	for seed, a := range right {
		b := swapped[seed]
		if a.said != b.said {
			others++
		}
		correct, correctSwapped = correct+a.Metrics["correct"], correctSwapped+b.Metrics["correct"]
		if a.images != 1 || b.images != 1 {
			t.Errorf("seed %d: %d and %d image parts reached the model", seed, a.images, b.images)
		}
		if a.Metrics["answered"]+a.Metrics["abstained"]+a.Metrics["malformed"] != 1 {
			t.Errorf("seed %d: metrics %v", seed, a.Metrics)
		}
	}
	t.Logf("%v of %d right, %v beside other images; %d answers are others", correct, episodes, correctSwapped, others)
	if others < episodes/4 {
		t.Error("the images do not matter: the model does not see them")
	}
}

// Of several claims the image comes first and once, and the reward is their mean.
func TestPeersSeveralClaims(t *testing.T) {
	for seed, e := range newPlayer(t).play(t, "candor_selective", 3, 3, false) {
		if e.images != 1 || len(e.Nodes) != 7 { // the system's, and three exchanges
			t.Errorf("seed %d: %d image parts in %d messages", seed, e.images, len(e.Nodes))
		}
	}
}

// verifiers' own taskset plays it unchanged, and sends text only: asked for no
// image it is a short one.
func TestPeersBuiltIn(t *testing.T) {
	for seed, e := range newPlayer(t).play(t, "openenv", 4, 1, false) {
		if e.images != 0 || !strings.Contains(e.asked, `"title": "VerdictAction"`) || strings.Contains(e.asked, "base64") {
			t.Errorf("seed %d: %d image parts; the model is asked %s", seed, e.images, e.asked)
		}
	}
}

// What a user installs is what the tests do.
func TestRequirements(t *testing.T) {
	tested, err := os.ReadFile(filepath.Join("..", "record", "verifiers.txt"))
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := os.ReadFile("requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(wanted)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		if !strings.Contains("\n"+string(tested), "\n"+line) {
			t.Errorf("the tests have no %s", line)
		}
	}
	if n != 3 {
		t.Errorf("%d requirements", n)
	}
}

// player is the real verifiers with a real model.
type player struct {
	python string
	engine *ollamatest.Server
}

func newPlayer(t *testing.T) player {
	t.Helper()
	python := os.Getenv("CANDOR_PEERS_VERIFIERS")
	if python == "" {
		t.Skip("needs CANDOR_PEERS_VERIFIERS, a Python interpreter with verifiers")
	}
	engine := ollamatest.Start(t)
	if _, err := micro.Install(t.Context(), engine.Client()); err != nil {
		t.Fatal(err)
	}
	return player{python, engine}
}

// played is an episode as verifiers recorded it.
type played struct {
	Nodes []struct {
		Message struct {
			Role    string
			Content json.RawMessage
		}
	}
	Rewards map[string]struct{ Score float64 }
	Metrics map[string]float64

	images      int    // parts that are images, in all messages
	asked, said string // in the last exchange
}

// play lets verifiers play episodes, with the images of others if swapped, and
// returns what it recorded, by seed, when that is what the server saw.
func (p player) play(t *testing.T, taskset string, n, claims int, swapped bool) map[int64]played {
	t.Helper()
	server := serve(t, claims, swapped)
	var resets []map[string]any
	for seed := range n {
		resets = append(resets, map[string]any{"seed": seed, "image": "none"})
	}
	settings := map[string]any{"id": taskset, "base_url": server.url}
	if taskset == "openenv" {
		settings["resets"] = resets
	} else {
		settings["episodes"] = n
	}
	dir := t.TempDir()
	p.run(t, dir, map[string]any{
		"env": map[string]any{
			"taskset": settings,
			"player":  map[string]any{"harness": map[string]any{"id": "null"}, "runtime": map[string]any{"type": "subprocess"}},
		},
		"model":  micro.Name,
		"client": map[string]any{"type": "eval", "base_url": p.engine.URL + "/v1", "api_key_var": "CANDOR_NO_KEY"},
		"sampling": map[string]any{
			"temperature": 0, "max_tokens": 256, "reasoning_effort": "none",
			"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "verdict", "schema": verify.Schema()}},
		},
		"run": map[string]any{"dir": "run"}, "max_concurrent": 4, "push": false, "rich": nil, "output_dir": dir,
	})
	out := recorded(t, filepath.Join(dir, "run", "traces.jsonl"))
	if len(out) != n {
		t.Fatalf("%d of %d episodes were played", len(out), n)
	}
	for seed, e := range out {
		server.check(t, seed, e, claims)
	}
	return out
}

// run runs the real command line.
func (p player) run(t *testing.T, dir string, config map[string]any) {
	t.Helper()
	b, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "config.json")
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Dir(p.python)
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "vf-eval"), "@", file)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONPATH="+here, "PYTHONDONTWRITEBYTECODE=1", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("vf-eval: %v\n%s", err, out)
	}
}

// recorded reads verifiers' record of the episodes, by seed.
func recorded(t *testing.T, name string) map[int64]played {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int64]played{}
	for line := range bytes.Lines(b) {
		var episode struct {
			OK     bool
			Errors json.RawMessage
			Task   struct {
				Data struct {
					Seed  int64
					Reset struct{ Seed int64 }
				}
			}
			Traces []played
		}
		if err := json.Unmarshal(line, &episode); err != nil {
			t.Fatal(err)
		}
		if !episode.OK || len(episode.Traces) != 1 {
			t.Fatalf("verifiers failed: %s", line[:min(len(line), 4000)])
		}
		e := episode.Traces[0]
		for _, n := range e.Nodes {
			e.images += bytes.Count(n.Message.Content, []byte(`"image_url":{"url":"data:image/`))
			text := string(n.Message.Content)
			_ = json.Unmarshal(n.Message.Content, &text) // else it is a list of parts
			if n.Message.Role == "assistant" {
				e.said = text
			} else {
				e.asked = text
			}
		}
		out[episode.Task.Data.Seed+episode.Task.Data.Reset.Seed] = e
	}
	return out
}

// watched is a server of the environment that remembers what it was answered
// and paid, by seed.
type watched struct {
	url string

	mu      sync.Mutex
	actions map[int64][]string
	paid    map[int64]float64
}

// serve starts a server of the demo set. If swapped, each episode has the image
// of another.
func serve(t *testing.T, claims int, swapped bool) *watched {
	t.Helper()
	cfg := selective.DefaultConfig()
	cfg.ClaimsPerEpisode = claims
	tasks, err := selective.Open(t.Context(), cfg, claim.Loader{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tasks.Close() })
	w := &watched{actions: map[int64][]string{}, paid: map[int64]float64{}}
	spec := tasks.Spec()
	spec.New = func(context.Context) (openenv.Environment, error) {
		s := &session{Environment: tasks.New(), watched: w}
		if swapped {
			s.other = tasks.New()
		}
		return s, nil
	}
	server, err := openenv.NewServer(spec, openenv.Options{LocalOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	w.url = web.URL
	return w
}

// session is one with the environment, watched.
type session struct {
	openenv.Environment
	watched *watched
	seed    int64
	other   openenv.Environment // gives the image, unless nil
}

func (s *session) Reset(ctx context.Context, options openenv.ResetOptions) (openenv.Result, error) {
	s.seed = options.Seed.Int64()
	shown, err := s.Environment.Reset(ctx, options)
	if err != nil || s.other == nil {
		return shown, err
	}
	options.Seed = openenv.Seeded(s.seed + episodes).Seed
	instead, err := s.other.Reset(ctx, options)
	if err != nil {
		return shown, err
	}
	var was, is struct{ Image string }
	if err := json.Unmarshal(shown.Observation, &was); err != nil {
		return shown, err
	}
	if err := json.Unmarshal(instead.Observation, &is); err != nil {
		return shown, err
	}
	shown.Observation = bytes.Replace(shown.Observation, []byte(was.Image), []byte(is.Image), 1)
	return shown, nil
}

func (s *session) Step(ctx context.Context, action json.RawMessage) (openenv.Result, error) {
	result, err := s.Environment.Step(ctx, action)
	if err != nil {
		return result, err
	}
	reward, _ := result.Value()
	s.watched.mu.Lock()
	defer s.watched.mu.Unlock()
	s.watched.actions[s.seed] = append(s.watched.actions[s.seed], string(action))
	s.watched.paid[s.seed] += reward
	return result, nil
}

// check: the server was answered what the model said, and verifiers recorded
// what it paid.
func (w *watched) check(t *testing.T, seed int64, e played, claims int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	actions := w.actions[seed]
	if len(actions) != claims {
		t.Fatalf("seed %d: %d answers to %d claims", seed, len(actions), claims)
	}
	var action struct{ Answer *string }
	if err := json.Unmarshal([]byte(actions[claims-1]), &action); err != nil {
		t.Fatal(err)
	}
	if action.Answer == nil { // verifiers' own taskset takes an object for the action
		action.Answer = &actions[claims-1]
	}
	if e.said == "" || !sameJSON(*action.Answer, e.said) {
		t.Errorf("seed %d: the model said %s; the server got %s", seed, e.said, *action.Answer)
	}
	var total float64
	for _, r := range e.Rewards {
		total += r.Score * float64(claims)
	}
	if diff := total - w.paid[seed]; len(e.Rewards) != 1 || diff > 1e-9 || diff < -1e-9 {
		t.Errorf("seed %d: verifiers recorded %v; the server paid %v", seed, e.Rewards, w.paid[seed])
	}
}

// sameJSON compares texts, and as JSON those that are.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}
