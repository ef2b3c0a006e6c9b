package selective_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/env/selective"
	"candor/harness/openenv"
	"candor/harness/run"
	"candor/harness/verify"
	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/micro"
	"candor/infer/ollama/ollamatest"
)

// engineTasks are asked of candor-micro, once as a run and twice as an
// environment.
const engineTasks = 40

// TestEngine: candor-micro on a real engine plays the environment and earns,
// task by task, what candor eval pays it for the same tasks; beside other
// images it answers otherwise, and no better than without any.
func TestEngine(t *testing.T) {
	server := ollamatest.Start(t)
	if _, err := micro.Install(t.Context(), server.Client()); err != nil {
		t.Fatal(err)
	}
	client, err := ollama.New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	evaluated, options := evaluate(t, server.URL, client)
	player := player{client, options}

	tasks := open(t, func(c *selective.Config) { c.Dataset, c.Images = "demo", "" })
	env, swapped := tasks.New(), tasks.New()
	right, rightSwapped, others := 0, 0, 0
	for seed := range int64(engineTasks) {
		shown, other := reset(t, env, openenv.Seeded(seed)), reset(t, swapped, openenv.Seeded(seed+engineTasks))
		said := player.say(t, shown)
		result := step(t, env, answer(said))
		m := metadata(t, result)
		trace, ok := evaluated[m.Split+"/"+m.QuestionID]
		if !ok {
			t.Fatalf("seed %d asks %s/%s, which the run did not", seed, m.Split, m.QuestionID)
		}
		delete(evaluated, trace.TaskID)
		if sum := sha256.Sum256(pixels(t, shown)); hex.EncodeToString(sum[:]) != trace.Image.SentSHA256 {
			t.Errorf("seed %d: the image is not the run's", seed)
		}
		if reward, _ := result.Value(); reward != trace.Reward || said != trace.Text || m.Correct != trace.Correct || m.BrierSum != trace.BrierSum {
			t.Errorf("seed %d: %s is paid %s; the run's %s was paid %v", seed, said, result.Reward, trace.Text, trace.Reward)
		}
		right += m.Correct

		// The same claim beside the image of another episode.
		reset(t, env, openenv.Seeded(seed))
		shown.Image = other.Image
		saidOther := player.say(t, shown)
		if saidOther != said {
			others++
		}
		rightSwapped += metadata(t, step(t, env, answer(saidOther))).Correct
	}
	if len(evaluated) > 0 {
		t.Errorf("%d tasks of the run were not asked", len(evaluated))
	}
	t.Logf("right: %d of %d, %d beside other images; %d answers are others", right, engineTasks, rightSwapped, others)
	if others < engineTasks/2 || right-rightSwapped < engineTasks/8 {
		t.Error("the images do not matter: no player sees them")
	}
}

// evaluate is candor eval of the first tasks of the train partition: traces by
// task, and the options that the model was asked with.
func evaluate(t *testing.T, url string, client *ollama.Client) (map[string]run.Trace, infer.Options) {
	t.Helper()
	cfg := run.DefaultConfig()
	cfg.Model, cfg.Hosts, cfg.Partition, cfg.NumTasks = micro.Name, []string{url}, "train", engineTasks
	cfg.Temperature, cfg.NumThread, cfg.Parallel, cfg.Preflight, cfg.Bootstrap = new(0.0), 1, "1", false, 0
	dir := filepath.Join(t.TempDir(), "run")
	result, err := run.Execute(t.Context(), cfg, dir, false, run.Dependencies{
		Connect: func(string) (infer.Backend, error) { return client, nil }, Version: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	traces, err := run.ReadTraces(dir)
	if err != nil || len(traces) != engineTasks {
		t.Fatalf("%d traces, %v", len(traces), err)
	}
	byTask := map[string]run.Trace{}
	for _, trace := range traces {
		byTask[trace.TaskID] = trace
	}
	return byTask, result.Manifest.Options
}

// player is a model that is asked with nothing but what an observation holds.
type player struct {
	model   *ollama.Client
	options infer.Options
}

func (p player) say(t *testing.T, shown seen) string {
	t.Helper()
	response, err := p.model.Ask(t.Context(), infer.Request{
		Model: micro.Name, System: shown.Instructions, Prompt: shown.Prompt, Image: pixels(t, shown),
		Schema: verify.Schema(), Options: p.options,
	})
	if err != nil {
		t.Fatal(err)
	}
	return response.Text
}

// pixels are the bytes of the image in an observation.
func pixels(t *testing.T, shown seen) []byte {
	t.Helper()
	_, encoded, _ := strings.Cut(*shown.Image, ";base64,")
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
