package export_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/export"
	"candor/harness/run"
	"candor/harness/verify"
	"candor/infer"
	"candor/scoring"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// odd are texts that writers and readers of tables have stumbled over, and what
// each stands for.
var odd = []string{
	"=1+1",                            // a formula to a spreadsheet
	`{"verdict":"SUPPORTED", "a":""}`, // quotes and commas
	"two\nlines, \r\nthree\rfour",     // every kind of line end
	"日本語 🂡 é e\u0301 \u2028 \uFEFF",   // beyond ASCII, beyond 16 bits, decomposed, separators
	"NA", "null", "None", "nan", // what readers take for missing
	"", // of a model that said nothing
	"  blanks  ",
	`\N \" \`,                         // escapes elsewhere
	"TRUE", "00123", "1e5", "-0", "@", // what readers take for other types
	"#no comment", "nul\x00nul", "\x7f\x01\b", // control characters
}

// oddRun makes a run of which each trace holds one of the odd texts, and every
// kind of value that a trace can have.
func oddRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "odd")
	m := run.Manifest{Candor: "v1", State: run.Finished, Config: run.DefaultConfig(), Tasks: len(odd) + 1}
	m.Config.Model, m.Config.Confidence, m.Config.Seed = "qwen:=4b", []string{"verbal", "logprob", "consistency:5"}, 9007199254740993
	m.Config.Hosts, m.Endpoints = []string{"https://me:pass-word@host/base?key=pass-word"}, []string{"https://host/base"}
	prompt := verify.DefaultPrompt()
	m.Prompt = run.PromptInfo{Version: prompt.Version(), Hash: prompt.Hash()}
	m.Model = infer.Identity{ServerVersion: "0.24.0", Model: m.Config.Model, Digest: strings.Repeat("d", 64), WeightsDigest: "sha256:" + strings.Repeat("e", 64)}
	m.Options = infer.Options{Temperature: .7, TopP: .8, TopK: 20, NumPredict: 512}
	m.Dataset = run.DatasetInfo{Name: "demo", Revision: "r1", Split: "adversarial", Partition: "eval", Images: 3}
	var traces []run.Trace
	for i, text := range odd {
		traces = append(traces, oddTrace(i, text))
	}
	writeRun(t, dir, m, traces)
	return dir
}

func oddTrace(i int, text string) run.Trace {
	tr := run.Trace{
		TaskID: "adversarial/" + text + string(rune('a'+i)), ClaimKey: "k", Split: "adversarial", QuestionID: "00" + strings.Repeat("9", 20+i),
		ImageSource: "COCO_val2014_000000320612", Claim: "There is a \"dog\", " + text + ".", Label: "SUPPORTED", Text: text, Endpoint: "http://user:pass-word@127.0.0.1:11434",
		PromptTokens: 9007199254740993, OutputTokens: i, Attempts: 1, Confidences: map[string]float64{},
		Durations: run.TraceDurations{Wait: float64(i), Total: 0.30000000000000004, Other: 1e-12},
		Image:     run.TraceImage{SourceSHA256: strings.Repeat("1", 64), SentSHA256: strings.Repeat("0", 64), Width: 640, Height: 480, Tokens: 300},
		Sources:   &run.Evidence{Consistency: &run.AgreementEvidence{Draws: []string{"", "ABSTAIN", "", "", ""}}, Logprob: &run.TokenEvidence{}},
	}
	tr.Sources.Logprob.Missing = verify.MissingPlace
	switch i % 3 {
	case 0:
		c := 1 / (3 + float64(i))
		tr.Outcome, tr.Answered, tr.Verdict, tr.Confidence = scoring.Answered, 1, new("REFUTED"), &c
		tr.ConfidenceSum, tr.BrierSum, tr.Reward = c, c*c, 1-c*c
		tr.Confidences = map[string]float64{"verbal": c, "consistency:5": .5}
		tr.Sources.Consistency = &run.AgreementEvidence{Draws: []string{"REFUTED", "SUPPORTED", "", "", "ABSTAIN"}, Answered: 2, Agreed: 1}
		if i%2 == 0 {
			tr.Confidences["logprob"], tr.Sources.Logprob = .25, &run.TokenEvidence{Masses: verify.Masses{Supported: .6, Refuted: .2, Abstain: .1, Bounded: true}, Confidence: new(.25)}
		}
	case 1:
		tr.Outcome, tr.Abstained, tr.Verdict, tr.Reward = scoring.Abstained, 1, new("ABSTAIN"), .8
		tr.NeededRepair, tr.Thinking = 1, "hm\n"
	case 2:
		tr.Outcome, tr.Malformed, tr.Reason = scoring.Malformed, 1, "no_object"
		tr.Cached, tr.SameAs, tr.Sources = true, "adversarial/=1+1a", nil
	}
	return tr
}

// writeRun makes the run's files as candor eval leaves them.
func writeRun(t *testing.T, dir string, m run.Manifest, traces []run.Trace) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var journal strings.Builder
	for _, tr := range traces {
		line, err := json.Marshal(tr)
		if err != nil {
			t.Fatal(err)
		}
		journal.Write(append(line, '\n'))
	}
	manifest, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{run.ManifestFile: string(manifest), run.TracesFile: journal.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, dir string) *export.Run {
	t.Helper()
	r, err := export.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// write exports the run in dir and returns where to.
func write(t *testing.T, f export.Format, dir string) string {
	t.Helper()
	place, err := f.Export(t.Context(), read(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// golden compares a file with the one kept under testdata.
func golden(t *testing.T, got, name string) {
	t.Helper()
	b, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(kept, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != string(want) {
		t.Errorf("%s differs from %s; -update rewrites it", got, kept)
	}
}
