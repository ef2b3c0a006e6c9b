package report_test

import (
	"bytes"
	"testing"

	"candor/harness/report"
	"candor/infer"
	"candor/infer/preflight"
)

// Each finding comes with what it means and what to do, the serious ones
// marked.
func TestDoctorGolden(t *testing.T) {
	r := preflight.Report{
		Identity: infer.Identity{
			ServerVersion: "0.24.0", Model: "candor-tiny-qwen35", Architecture: "qwen35", TrainedContext: 262144,
			Capabilities: []string{"completion", "vision"}, Digest: "05b3abf2579a", RandomWeights: true,
		},
		Parallel: 1,
		Findings: []preflight.Finding{
			{Check: "grammar", Question: "is the answer schema applied?", Status: preflight.Yes, Severity: preflight.Fine, Detail: "an answer that only the schema allows came back"},
			{Check: "penalties", Question: "are repetition penalties honoured?", Status: preflight.No, Severity: preflight.Serious,
				Detail: "no penalty changes the text", Meaning: "a figure at presence_penalty 1.5 is one at 0", Advice: "say so beside the figure"},
			{Check: "prefix", Question: "is the image's prompt prefix reused?", Status: preflight.Unknown, Severity: preflight.Note, Detail: "the server tells no times"},
		},
	}
	var b bytes.Buffer
	if err := report.Doctor(&b, "http://127.0.0.1:11434", r); err != nil {
		t.Fatal(err)
	}
	golden(t, "doctor", b.String())
	readable(t, b.String())
}
