package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/claim"
)

// recipes are the commands of jq in the help, by the file that each writes.
func recipes(t *testing.T) map[string]string {
	t.Helper()
	text, err := helpFiles.ReadFile("help/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	command := ""
	for line := range strings.Lines(string(text)) {
		switch body, isCode := strings.CutPrefix(line, "    "); {
		case !isCode:
			command = ""
		case strings.HasPrefix(body, "jq ") || command != "":
			command += body
			if _, out, writes := strings.Cut(strings.TrimSpace(body), " > "); writes {
				found[out], command = command, ""
			} else if strings.HasSuffix(strings.TrimSpace(body), "RUN/traces.jsonl") {
				found["groups"], command = command, ""
			}
		}
	}
	return found
}

// Each recipe is run on a few rows in the published form, and makes these
// claims of them.
func TestRecipes(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("there is no jq")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"data/query/query_discriminative.json": `[
    {"id": 1005, "image": "AMBER_1.jpg", "query": "Is the sky sunny in this image?"},
    {"id": 8633, "image": "AMBER_1.jpg", "query": "Is there a cloud in this image?"},
    {"id": 13557, "image": "AMBER_1.jpg", "query": "Is there direct contact between the person and grass?"},
    {"id": 13558, "image": "AMBER_1.jpg", "query": "Is there direct contact between the person and tree?"}
]`,
		"data/annotations.json": `[
    {"id": 1005, "type": "discriminative-attribute-state", "truth": "yes"},
    {"id": 8633, "type": "discriminative-hallucination", "truth": "no"},
    {"id": 13557, "type": "discriminative-relation", "truth": "yes"},
    {"id": 13558, "type": "relation", "truth": "no"},
    {"id": 1, "type": "generative", "truth": ["sky"], "hallu": ["cloud"]}
]`,
		"data/splits/zeroshot/test.jsonl": `{"image": "000000017697.jpg", "image_link": "http://images.example/000000017697.jpg", "caption": "The car is behind the suitcase.", "label": 1, "relation": "behind", "subj": "car", "obj": "suitcase"}
{"image": "000000199940.jpg", "image_link": "http://images.example/000000199940.jpg", "caption": "The cat is under the backpack.", "label": 0, "relation": "under", "subj": "cat", "obj": "backpack"}
`,
		"HallusionBench.json": `[{"category": "VS", "subcategory": "chart", "visual_input": "0", "set_id": "0", "figure_id": "0", "question_id": "0", "question": "Is A the \"leader\"?", "gt_answer": "0", "filename": null},
{"category": "VS", "subcategory": "chart", "visual_input": "1", "set_id": "0", "figure_id": "1", "question_id": "0", "question": "Is A the \"leader\"?", "gt_answer": "1", "filename": "./VS/chart/0_1.png"},
{"category": "VS", "subcategory": "chart", "visual_input": "2", "set_id": "0", "figure_id": "2", "question_id": "0", "question": "Is A the \"leader\"?", "gt_answer": "0", "filename": "./VS/chart/0_2.png"}]`,
		"RUN/traces.jsonl": `{"question_id": "VS.chart.0.0#1", "correct": 1}
{"question_id": "VS.chart.0.0#2", "correct": 0}
{"question_id": "VS.chart.0.1#1", "correct": 1}
`,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commands := recipes(t)
	for file, want := range map[string][]string{
		"amber.jsonl": {
			`attribute-state/1005 AMBER_1 SUPPORTED The answer to the question "Is the sky sunny in this image?" is yes.`,
			`hallucination/8633 AMBER_1 REFUTED There is a cloud in this image.`,
			`relation/13557 AMBER_1 SUPPORTED The answer to the question "Is there direct contact between the person and grass?" is yes.`,
			`relation/13558 AMBER_1 REFUTED The answer to the question "Is there direct contact between the person and tree?" is yes.`,
		},
		"vsr.jsonl": {"vsr/1 000000017697 SUPPORTED The car is behind the suitcase.", "vsr/2 000000199940 REFUTED The cat is under the backpack."},
		"hallusion.jsonl": {
			`hallusion/VS.chart.0.0#1 VS/chart/0_1 SUPPORTED The answer to the question "Is A the "leader"?" is yes.`,
			`hallusion/VS.chart.0.0#2 VS/chart/0_2 REFUTED The answer to the question "Is A the "leader"?" is yes.`,
		},
	} {
		shell(t, dir, commands[file])
		set, err := claim.Load(filepath.Join(dir, file), "")
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var got []string
		for _, c := range set.Claims {
			got = append(got, c.ID+" "+c.ImageSource+" "+string(c.Label)+" "+c.Text)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if got := strings.Join(strings.Fields(shell(t, dir, commands["groups"])), ""); got != `{"groups":2,"right":1}` {
		t.Errorf("groups: %s", got)
	}
}

// shell runs a command as a reader of the help would.
func shell(t *testing.T, dir, command string) string {
	t.Helper()
	if command == "" {
		t.Fatal("the help has no such command")
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v: %s", command, err, out)
	}
	return string(out)
}
