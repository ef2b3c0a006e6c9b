package run_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/infer/ollama/faultserver"
)

const (
	traceKeys = `task_id, claim_key, split, question_id, image_source, claim, label, verdict, confidence, outcome, reason, needed_repair, answered, abstained, malformed, correct, confidence_sum, brier_sum, reward, confidences, text, thinking, prompt_tokens, output_tokens, cached, durations, image, endpoint, attempts, error`
	sumKeys   = `n, answered, abstained, malformed, errors, complete, accuracy, balanced_accuracy, blind_accuracy, coverage, abstain_rate, malformed_rate, needed_repair_rate, mean_confidence, brier, ece, ece_bins, ece_equal_width, ece_debiased, smooth_ece, ece_floor, aurc, e_aurc, augrc, auroc, corp, selective_accuracy, coverage_at_risk, distinct_confidences, top_confidence_share, levels, predicted_supported, labelled_supported, reward, rule, abstain_reward, threshold, ci, spread, sources, by_split, by_labels, warnings, model, throughput`
)

// keys of a JSON object, in their order.
func keys(t *testing.T, object []byte) []string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(object))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		t.Fatalf("%.60s is no object: %v", object, err)
	}
	var out []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
		out = append(out, key.(string))
	}
	return out
}

func wantKeys(t *testing.T, what string, object []byte, want string) {
	t.Helper()
	if got := keys(t, object); !slices.Equal(got, strings.Split(want, ", ")) {
		t.Errorf("%s has the keys\n%s, want\n%s", what, strings.Join(got, ", "), want)
	}
}

// The files of a run hold exactly the keys of the published format, in order,
// for every outcome.
func TestKeys(t *testing.T) {
	b := newBench(t, faultserver.AbstainEvery(3), faultserver.MalformedEvery(4))
	b.run()
	for line := range bytes.Lines(read(t, filepath.Join(b.dir, run.TracesFile))) {
		wantKeys(t, "a trace", line, traceKeys)
		var inner struct {
			Durations, Image json.RawMessage
			Error            *string
			Cached           *bool
		}
		if err := json.Unmarshal(line, &inner); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, "durations", inner.Durations, "wait, load, prompt, generate, other, total")
		wantKeys(t, "image", inner.Image, "source_sha256, sent_sha256, width, height, tokens")
		if inner.Error != nil || inner.Cached == nil || *inner.Cached {
			t.Errorf("error %v, cached %v", inner.Error, inner.Cached)
		}
	}
	sum := read(t, filepath.Join(b.dir, run.SummaryFile))
	wantKeys(t, "the summary", sum, sumKeys)
	var inner struct {
		Floor json.RawMessage `json:"ece_floor"`
		CORP  json.RawMessage
		Split map[string]json.RawMessage `json:"by_split"`
	}
	if err := json.Unmarshal(sum, &inner); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, "ece_floor", inner.Floor, "mean, p95, p_calibrated")
	wantKeys(t, "corp", inner.CORP, "mcb, dsc, unc")
	wantKeys(t, "a split", inner.Split["adversarial"], strings.TrimSuffix(sumKeys, ", model, throughput"))
	man := read(t, filepath.Join(b.dir, run.ManifestFile))
	for _, key := range []string{"state", "config", "config_hash", "dataset", "model", "options", "prompt", "preflight", "parallel"} {
		if !slices.Contains(keys(t, man), key) {
			t.Errorf("the manifest lacks %s", key)
		}
	}
}

// The manifest says what the answers were made under.
func TestManifest(t *testing.T) {
	b := newBench(t)
	b.cfg.Preflight = true
	b.run()
	m, err := run.LoadManifest(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.State != run.Finished || m.Tasks != pictures*perImage || m.Dataset.Images != pictures || m.Dataset.Revision == "" || m.Prompt.Hash == "" {
		t.Errorf("%+v", m)
	}
	if m.Model.ServerVersion != "0.24.0" || m.Model.Digest == "" || m.Model.WeightsDigest == "" || m.Model.Quantization != "Q4_K_M" || m.Model.Renderer != "qwen3.5" {
		t.Errorf("model %+v", m.Model)
	}
	if m.Options.Temperature != .7 || m.Options.NumCtx < 2048 || len(m.Preflight.Findings) != 8 {
		t.Errorf("options %+v, findings %d", m.Options, len(m.Preflight.Findings))
	}
	for _, key := range []string{"tasks", "model", "image_policy", "prompt", "format", "options", "seed", "replicate", "confidence", "rule", "abstain_reward", "model_digest", "server_version"} {
		if m.Hashed[key] == "" {
			t.Errorf("the hash does not cover %s", key)
		}
	}
}

func removeAll(dir string, names ...string) error {
	for _, n := range names {
		if err := os.Remove(filepath.Join(dir, n)); err != nil {
			return err
		}
	}
	return nil
}
