package audit_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/audit"
	"candor/harness/claim"
	"candor/harness/run"
)

// sides finds names of images, n in eval and n in train.
func sides(n int) (eval, train []string) {
	for i := 0; len(eval) < n || len(train) < n; i++ {
		if name := fmt.Sprint("p", i); claim.InEval(name) {
			eval = append(eval, name)
		} else {
			train = append(train, name)
		}
	}
	return eval[:n], train[:n]
}

// ran writes a run's directory: a task on each image, of bytes that hash says.
func ran(t *testing.T, partition, evalIDs string, hash func(image string) string, images ...string) string {
	t.Helper()
	m := run.Manifest{Tasks: len(images), Config: run.DefaultConfig(), State: run.Finished}
	m.Config.Partition, m.Config.EvalIDs = partition, evalIDs
	manifest, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var traces strings.Builder
	for _, image := range images {
		fmt.Fprintf(&traces, `{"task_id":"random/%s","split":"random","question_id":%q,"image_source":%q,"claim":"There is a dog in the image.","label":"REFUTED","verdict":"ABSTAIN","confidence":null,"outcome":"abstained","abstained":1,"confidences":{},"image":{"source_sha256":%q}}`+"\n",
			image, image, image, hash(image))
	}
	return files(t, map[string]string{run.ManifestFile: string(manifest), run.TracesFile: traces.String()})
}

func own(image string) string { return image }

// Each row is runs that were made, and what crosses the partition in them.
func TestRuns(t *testing.T) {
	eval, train := sides(3)
	list := filepath.Join(files(t, map[string]string{"ids": strings.Join(train, "\n")}), "ids")
	onePicture := func(string) string { return "same" }
	for _, c := range []struct {
		name                       string
		dirs                       []string
		misplaced, shared, repeats int
		codes                      []string
	}{
		{"as it should be", []string{ran(t, "eval", "", own, eval...)}, 0, 0, 0, nil},
		{"one of each partition", []string{ran(t, "eval", "", own, eval...), ran(t, "train", "", own, train...)}, 0, 0, 0, nil},
		{"all of it", []string{ran(t, "all", "", own, append(eval, train...)...)}, 0, 0, 0, nil},
		{"train images in an eval run", []string{ran(t, "eval", "", own, eval[0], train[0], train[1])}, 2, 0, 0, []string{"misplaced_images"}},
		{"an image in both", []string{ran(t, "eval", "", own, eval...), ran(t, "train", "", own, train[0], eval[1])}, 1, 1, 0, []string{"misplaced_images", "shared_images"}},
		{"by a list of its own", []string{ran(t, "eval", list, own, train...)}, 0, 0, 0, nil},
		{"one picture under names of both sides", []string{ran(t, "all", "", onePicture, eval[0], train[0])}, 0, 0, 2, []string{"leaking_images"}},
		{"in two runs", []string{ran(t, "eval", "", onePicture, eval[0]), ran(t, "train", "", onePicture, train[0])}, 0, 0, 2, []string{"leaking_images"}},
		{"one picture under names of one side", []string{ran(t, "eval", "", onePicture, eval[0], eval[1])}, 0, 0, 0, nil},
	} {
		r, err := audit.Runs(t.Context(), c.dirs, options(t))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := slices.DeleteFunc(codes(r.Warnings), func(code string) bool { return code == "single_label" })
		if l := r.Leakage; l.Misplaced != c.misplaced || l.Shared != c.shared || l.Repeated != c.repeats || !slices.Equal(got, c.codes) {
			t.Errorf("%s: %+v, %v", c.name, l, got)
		}
	}
}

// The tasks of several runs over the same claims count once; of other claims by
// the same names they are refused.
func TestRunsTogether(t *testing.T) {
	eval, _ := sides(2)
	a, b := ran(t, "eval", "", own, eval...), ran(t, "eval", "", own, eval[:1]...)
	r, err := audit.Runs(t.Context(), []string{a, b}, options(t))
	if err != nil || r.Rows != 2 || r.Images != 2 || len(r.Leakage.Runs) != 2 || r.Leakage.Runs[1] != (audit.RunSide{Dir: b, Partition: "eval", Tasks: 1, Images: 1}) {
		t.Errorf("%+v, %v", r, err)
	}
	other := ran(t, "eval", "", own, eval[0])
	trace := strings.Replace(`{"task_id":"random/ID","split":"random","question_id":"ID","image_source":"ID","claim":"There is a cat in the image.","label":"REFUTED","verdict":"ABSTAIN","confidence":null,"outcome":"abstained","abstained":1}`, "ID", eval[0], -1)
	overwrite(t, filepath.Join(other, run.TracesFile), trace)
	if _, err := audit.Runs(t.Context(), []string{a, other}, options(t)); err == nil || !strings.Contains(err.Error(), "asked another claim as random/"+eval[0]) {
		t.Errorf("%v", err)
	}
	if _, err := audit.Runs(t.Context(), []string{ran(t, "eval", filepath.Join(a, "gone"), own, eval...)}, options(t)); err == nil || !strings.Contains(err.Error(), "give the list with --eval-ids") {
		t.Errorf("a list that is gone: %v", err)
	}
	if _, err := audit.Runs(t.Context(), []string{t.TempDir()}, options(t)); err == nil {
		t.Error("a folder that is no run")
	}
}
