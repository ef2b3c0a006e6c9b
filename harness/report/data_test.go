package report_test

import (
	"bytes"
	"testing"

	"candor/harness/audit"
	"candor/harness/report"
	"candor/scoring"
)

// The printed audit is compared with what a person has looked at: a set with
// everything in it, and a run.
func TestDataGolden(t *testing.T) {
	half := audit.Split{Rows: 6, Images: 3, Labels: audit.Labels{Supported: 3, Refuted: 3}}
	whole := &audit.Report{
		Name: "mine (2 files)", Revision: "sha256:ab", Rows: 12, Images: 3, Labels: audit.Labels{Supported: 6, Refuted: 6}, DistinctClaims: 9,
		Splits:    map[string]audit.Split{"random": half, "popular": half, "empty": {}},
		Overlap:   map[string]audit.Overlap{"popular∩random": {Positives: 2, PositivesNormalised: 3}, "empty∩popular": {}, "empty∩random": {}},
		Partition: audit.Partition{Eval: audit.Side{Rows: 4, Images: 1}, Train: audit.Side{Rows: 8, Images: 2}},
		Blind:     map[string]*float64{"random": new(.5), "popular": new(.875), "empty": nil},
		LabelSets: map[string]audit.LabelSet{"repope": {Splits: map[string]audit.Relabelled{
			"random": {Kept: 5, Ambiguous: 1, Labels: audit.Labels{Supported: 2, Refuted: 3}, SupportedToRefuted: 1, Ceiling: new(.8)},
		}}},
		Files: []audit.File{{Path: "a/random.json", SHA256: "ab", Release: "RUCAIBox/POPE output/coco/coco_pope_random.json at edebdda, 3df3ba1"}, {Path: "a/popular.json", SHA256: "cd"}},
		Pictures: &audit.Pictures{
			Checked: 3, Missing: 1, Formats: map[string]int{"jpeg": 1, "png": 1}, Colours: map[string]int{"rgb": 2}, Misnamed: 1, Reduced: 1,
			Smallest: [2]int{20, 300}, Largest: [2]int{6000, 4000}, Odd: []audit.OddPicture{{Image: "x", What: "missing"}, {Image: "y", What: "a png named .jpg"}},
		},
		Warnings: []scoring.Warning{{Code: "missing_images", Message: "1 of 3 images: not found"}},
	}
	ran := &audit.Report{
		Name: "runs/a", Rows: 6, Images: 3, Labels: half.Labels, DistinctClaims: 6, Splits: map[string]audit.Split{"random": half},
		Partition: audit.Partition{Train: audit.Side{Rows: 6, Images: 3}}, Blind: map[string]*float64{"random": nil},
		Leakage: &audit.Leakage{Runs: []audit.RunSide{{Dir: "runs/a", Partition: "eval", Tasks: 6, Images: 3}}, Misplaced: 3},
	}
	for name, r := range map[string]*audit.Report{"data": whole, "data_run": ran} {
		var b bytes.Buffer
		if err := report.Data(&b, r); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
		readable(t, b.String())
	}
}
