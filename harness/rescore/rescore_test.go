package rescore_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/rescore"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// ran is a run under a rule and a payoff, with these rows.
func ran(rule string, abstain *float64, rows ...scoring.Row) *stored.Answers {
	m := run.Manifest{Tasks: len(rows), Config: run.DefaultConfig()}
	m.Config.Rule, m.Config.Abstain = rule, abstain
	return &stored.Answers{Name: "runs/x", Rows: rows, Run: &run.Stored{Manifest: m, Traces: make([]run.Trace, len(rows))}}
}

func row(id, image string, confidence float64, verdict, label string) scoring.Row {
	return scoring.Row{
		ID: "random/" + id, Image: image, Split: "random", Outcome: scoring.Answered, Confidence: confidence,
		Correct: verdict == label, Supported: verdict == "SUPPORTED", Label: label,
	}
}

func answers() []scoring.Row {
	return []scoring.Row{
		row("1", "a", .9, "SUPPORTED", "SUPPORTED"), row("2", "a", .8, "SUPPORTED", "REFUTED"),
		row("3", "b", .7, "REFUTED", "REFUTED"), {ID: "random/4", Image: "b", Split: "random", Outcome: scoring.Abstained, Label: "REFUTED"},
	}
}

// Each row is what was asked for and under which payment the answers are then
// scored: the run's own first, another rule's default, a payoff that is given.
func TestPayments(t *testing.T) {
	for _, row := range []struct {
		name       string
		own        string
		ownPayoff  *float64
		rule       string
		payoff     *float64
		want       string
		wantPayoff float64
	}{
		{"nothing asked", "brier", new(.9), "", nil, "brier", .9},
		{"its own rule named", "brier", new(.9), "brier", nil, "brier", .9},
		{"its own payoff named", "brier", new(.9), "", new(.9), "brier", .9},
		{"another rule", "brier", new(.9), "log", nil, "log", .9359943},
		{"another rule and payoff", "brier", new(.9), "log", new(.95), "log", .95},
		{"another payoff", "log", nil, "", new(.97), "log", .97},
		{"its own default", "log", nil, "", nil, "log", .9359943},
	} {
		got, err := rescore.Rescore(t.Context(), ran(row.own, row.ownPayoff, answers()...), rescore.Request{Rule: row.rule, Abstain: row.payoff, Options: scoring.Options{FloorDraws: 1}})
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if d := got.AbstainReward - row.wantPayoff; got.Rule != row.want || d > 1e-6 || d < -1e-6 || got.Honesty.Rule != row.want || got.Honesty.AbstainReward != got.AbstainReward {
			t.Errorf("%s: %s, %v", row.name, got.Rule, got.AbstainReward)
		}
		if own := row.want == row.own && (row.payoff == nil || row.ownPayoff != nil && *row.payoff == *row.ownPayoff); got.Hypothetical == own {
			t.Errorf("%s: hypothetical %v", row.name, got.Hypothetical)
		}
		if !strings.HasPrefix(got.AsIf, "as if: answers given under "+row.own+", ") {
			t.Errorf("%s: %s", row.name, got.AsIf)
		}
	}
	_, err := rescore.Rescore(t.Context(), ran("brier", nil, answers()...), rescore.Request{Abstain: new(1.0)})
	if !errors.As(err, new(*run.UsageError)) || !errors.As(err, new(*scoring.PayoffError)) {
		t.Errorf("a payoff of 1: %v", err)
	}
}

// Labels join on split and question_id; a label that is not there leaves the
// task out, and one of another picture is refused.
func TestLabels(t *testing.T) {
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "coco_repope_random.json")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const line = `{"question_id":%ID,"image":"%IMG.jpg","text":"Is there a dog in the image?","label":"%L"}` + "\n"
	label := func(id, image, yesNo string) string {
		return strings.NewReplacer("%ID", id, "%IMG", image, "%L", yesNo).Replace(line)
	}
	ask := func(file string) (*rescore.Result, error) {
		return rescore.Rescore(t.Context(), ran("brier", nil, answers()...), rescore.Request{Labels: []string{"re=" + file}, Options: scoring.Options{FloorDraws: 1}})
	}
	got, err := ask(write(label("1", "a", "no") + label("2", "a", "no") + label("4", "b", "yes") + label("7", "c", "yes")))
	if err != nil {
		t.Fatal(err)
	}
	re := got.ByLabels["re"]
	if re.N != 3 || re.Answered != 2 || *re.Accuracy != 0 || *re.AbstainRate != 1.0/3 || *got.Accuracy != 2.0/3 {
		t.Errorf("%+v", re)
	}
	if w := re.Warnings[0]; w.Code != "label_set" || !strings.Contains(w.Message, "3 of 4 tasks have one, 2 of them another than the run's; 1 have none, and count as ambiguous") {
		t.Errorf("%+v", w)
	}
	if _, err := ask(write(label("1", "z", "no"))); err == nil || !strings.Contains(err.Error(), "line 1 is about image z, but claim random/1 about a") {
		t.Errorf("another picture: %v", err)
	}
}

// Each row is answers and a label file of which nothing joins; the error tells
// the splits of both and what mends it.
func TestNoLabelJoins(t *testing.T) {
	bare := answers()
	for i := range bare {
		bare[i].ID, bare[i].Split = strings.TrimPrefix(bare[i].ID, "random/"), ""
	}
	for _, row := range []struct {
		name string
		rows []scoring.Row
		file string
		text string
		want string
	}{
		{"the name tells another split", answers(), "mended.json", `"question_id":1`, `the run has split random, the file split mended: give the file's rows a "split" key, or name the file after its split`},
		{"the key does", answers(), "random.json", `"question_id":1,"split":"popular"`, `the run has split random, the file split popular: give`},
		{"the answers have none", bare, "random.json", `"question_id":1`, `the run has split none, the file split random: give the answers a "split" key`},
		{"other questions", answers(), "random.json", `"question_id":70`, `the file split random: no question_id of a split in common is the same`},
	} {
		file := filepath.Join(t.TempDir(), row.file)
		text := `{` + row.text + `,"image":"a.jpg","text":"Is there a dog in the image?","label":"no"}` + "\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := rescore.Rescore(t.Context(), ran("brier", nil, row.rows...), rescore.Request{Labels: []string{"re=" + file}, Options: scoring.Options{FloorDraws: 1}})
		if err == nil || !strings.Contains(err.Error(), "none of the 4 tasks has a label there") || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; want %q", row.name, err, row.want)
		}
	}
}

// The result has a summary's keys, and beside them what it is made under.
func TestResultKeys(t *testing.T) {
	got, err := rescore.Rescore(t.Context(), ran("brier", nil, answers()...), rescore.Request{Options: scoring.Options{FloorDraws: 1}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"run", "as_if", "honesty", "payoff_curves", "reward", "ece", "by_labels", "levels"} {
		if _, ok := keys[key]; !ok {
			t.Errorf("no %s in %s", key, b)
		}
	}
	if string(keys["payoff_curves"]) != "[]" {
		t.Errorf("payoff curves nobody asked for: %s", keys["payoff_curves"])
	}
}
