package selective_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/claim"
	"candor/harness/env/selective"
	"candor/harness/openenv"
	"candor/imageproc"
)

// Sessions hold no image between steps, so that many of them take no more
// memory than few. Where one cannot be read again for the next claim, the step
// fails, and nothing was answered.
func TestStepWithoutItsImage(t *testing.T) {
	cfg := config()
	cfg.Images, cfg.ClaimsPerEpisode, cfg.Limits = t.TempDir(), 2, imageproc.Limits{}
	if err := os.CopyFS(cfg.Images, os.DirFS(filepath.Join(folder, "images"))); err != nil {
		t.Fatal(err)
	}
	tasks, err := selective.Open(t.Context(), cfg, claim.Loader{})
	if err != nil {
		t.Fatal(err)
	}
	defer tasks.Close()
	env := tasks.New()
	if _, err := env.Reset(t.Context(), openenv.Seeded(0)); err != nil {
		t.Fatal(err)
	}
	aside := filepath.Join(t.TempDir(), "aside")
	if err := os.Rename(cfg.Images, aside); err != nil {
		t.Fatal(err)
	}
	answer := json.RawMessage(`{"answer":"{\"verdict\":\"ABSTAIN\"}"}`)
	if _, err := env.Step(t.Context(), answer); err == nil || !strings.Contains(err.Error(), "needed by claim") {
		t.Errorf("without the image: %v", err)
	}
	if state, err := env.State(t.Context()); err != nil || !strings.Contains(string(state), `"step_count":0,`) {
		t.Errorf("then the state is %s, %v", state, err)
	}
	if err := os.Rename(aside, cfg.Images); err != nil {
		t.Fatal(err)
	}
	if result, err := env.Step(t.Context(), answer); err != nil || !strings.Contains(string(result.Observation), `"claim_number":2`) {
		t.Errorf("when it is back: %.100s, %v", result.Observation, err)
	}
}
