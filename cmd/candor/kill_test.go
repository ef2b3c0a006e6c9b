package main

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/infer/ollama/faultserver"
	"candor/infer/ollama/ollamatest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A run that is killed twenty times and more, at any moment, ends as one that
// never was: one line a task, no recorded answer changed, lost or asked again,
// the same figures.
func TestKill(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "claims")
	if err := writeClaims(data, 60); err != nil {
		t.Fatal(err)
	}
	server := func() *faultserver.Server {
		return faultserver.New(t, faultserver.Latency(10*time.Millisecond), faultserver.AbstainEvery(9), faultserver.MalformedEvery(11))
	}
	args := []string{"--config", data + ".toml", "--num-tasks", "0", "--no-preflight", "--parallel", "3", "--bootstrap", "50"}
	whole, s := server(), server()
	k := &killing{t: t, host: s.URL, args: args, unbroken: unbroken(t, whole.URL, args), dir: filepath.Join(t.TempDir(), "killed")}
	askedAt := []int{} // requests made before each restart
	seen := []map[int32]bool{}
	k.beforeStart = func() {
		askedAt, seen = append(askedAt, len(s.Requests())), append(seen, seedsOf(t, k.dir))
	}
	if kills := k.untilDone(20, 180); kills < 20 {
		t.Fatalf("%d kills; want 20, the run is too short", kills)
	}
	all := seedsOf(t, k.dir)
	for i, r := range s.Requests() {
		if !all[int32(r.Seed())] {
			t.Fatalf("request %d has a seed, %d, of no task: this test cannot tell the tasks apart", i, r.Seed())
		}
		for start, from := range askedAt {
			if i >= from && seen[start][int32(r.Seed())] {
				t.Fatalf("request %d, after start %d, asks a task again that was recorded", i, start)
			}
		}
	}
	t.Logf("%d requests for %d tasks", len(s.Requests()), len(whole.Requests()))
}

// Under greedy decoding, where the splits share two claims of three, a kill may
// come between a task and its equal: neither is lost, and what has an answer is
// asked under neither name again.
func TestKillGreedy(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "claims")
	if err := errors.Join(writeClaims(data, 40), shareClaims(data)); err != nil {
		t.Fatal(err)
	}
	server := func() *faultserver.Server {
		return faultserver.New(t, faultserver.Latency(10*time.Millisecond), faultserver.AbstainEvery(9))
	}
	files := filepath.Join(data, "coco_pope_random.json") + "," + filepath.Join(data, "coco_pope_popular.json")
	args := []string{"--config", data + ".toml", "--dataset", files, "--split", "all", "--profile", "greedy", "--num-tasks", "0", "--no-preflight", "--parallel", "3", "--bootstrap", "0"}
	whole, s := server(), server()
	k := &killing{t: t, host: s.URL, args: args, unbroken: unbroken(t, whole.URL, args), dir: filepath.Join(t.TempDir(), "killed")}
	type claimed struct{ image, claim string }
	askedAt, answered := []int{}, []map[claimed]bool{}
	k.beforeStart = func() {
		known := map[claimed]bool{}
		for line := range strings.Lines(wholeLines(t, k.dir)) {
			var tr run.Trace
			if err := json.Unmarshal([]byte(line), &tr); err != nil {
				t.Fatal(err)
			}
			known[claimed{tr.Image.SentSHA256, tr.Claim}] = true
		}
		askedAt, answered = append(askedAt, len(s.Requests())), append(answered, known)
	}
	if kills := k.untilDone(12, 240); kills < 12 {
		t.Fatalf("%d kills; want 12, the run is too short", kills)
	}
	for i, r := range s.Requests() {
		for start, from := range askedAt {
			for of := range answered[start] {
				if i >= from && of.image == r.ImageSHA256 && strings.Contains(r.Prompt, of.claim) {
					t.Fatalf("request %d, after start %d, asks %q again", i, start, of.claim)
				}
			}
		}
	}
	if n := len(withImage(whole)); n != 160 {
		t.Errorf("%d requests for 240 tasks, of which 160 are distinct", n)
	}
}

// The same on a real engine, with a model whose sampling, vision and cache are
// real.
func TestKillOnEngine(t *testing.T) {
	e := ollamatest.Start(t)
	model := e.Install("qwen35")
	args := []string{"--model", model, "--num-tasks", "40", "--no-preflight", "--bootstrap", "50", "--num-thread", "1", "--num-predict", "64"}
	k := &killing{t: t, host: e.URL, args: args, unbroken: unbroken(t, e.URL, args), dir: filepath.Join(t.TempDir(), "killed"), beforeStart: func() {}}
	if kills := k.untilDone(5, 40); kills < 5 {
		t.Fatalf("%d kills; want 5, the run is too short", kills)
	}
}

// Nor is a draw of a task asked again, of which the kill left only some.
func TestKillDraws(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "claims")
	if err := writeClaims(data, 20); err != nil {
		t.Fatal(err)
	}
	server := func() *faultserver.Server {
		return faultserver.New(t, faultserver.Latency(10*time.Millisecond), faultserver.AbstainEvery(9), faultserver.MalformedEvery(11))
	}
	args := []string{"--config", data + ".toml", "--num-tasks", "0", "--no-preflight", "--parallel", "3", "--bootstrap", "50", "--confidence", "verbal,logprob,consistency:4"}
	whole, s := server(), server()
	k := &killing{t: t, host: s.URL, args: args, unbroken: unbroken(t, whole.URL, args), dir: filepath.Join(t.TempDir(), "killed")}
	askedAt := []int{}
	seen := []map[int32]bool{}
	k.beforeStart = func() {
		askedAt, seen = append(askedAt, len(s.Requests())), append(seen, drawnIn(t, k.dir))
	}
	if kills := k.untilDone(10, 60); kills < 10 {
		t.Fatalf("%d kills; want 10, the run is too short", kills)
	}
	for i, r := range s.Requests() {
		for start, from := range askedAt {
			if i >= from && seen[start][int32(r.Seed())] {
				t.Fatalf("request %d, after start %d, asks for a draw again that was recorded", i, start)
			}
		}
	}
	if n := len(drawnIn(t, k.dir)); n != 300 || len(withImage(whole)) != 300 {
		t.Errorf("%d draws recorded, %d asked without a kill; want 300", n, len(withImage(whole)))
	}
}

// The same with the embedded model on a real engine.
func TestKillDrawsOnEngine(t *testing.T) {
	e := ollamatest.Start(t)
	args := []string{"--num-tasks", "12", "--no-preflight", "--bootstrap", "50", "--num-thread", "1", "--confidence", "verbal,logprob,consistency:2"}
	k := &killing{t: t, host: e.URL, args: args, unbroken: unbroken(t, e.URL, args), dir: filepath.Join(t.TempDir(), "killed"), beforeStart: func() {}}
	if kills := k.untilDone(4, 12); kills < 4 {
		t.Fatalf("%d kills; want 4, the run is too short", kills)
	}
}

// drawnIn are the seeds of the draws that the run in dir has recorded.
func drawnIn(t *testing.T, dir string) map[int32]bool {
	t.Helper()
	seeds := map[int32]bool{}
	b, err := os.ReadFile(filepath.Join(dir, run.DrawsFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var d run.Draw
		if strings.HasSuffix(line, "\n") {
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				t.Fatal(err)
			}
			seeds[d.Seed] = true
		}
	}
	return seeds
}

// unbroken carries out the run that is not killed, and returns its directory.
func unbroken(t *testing.T, host string, args []string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "unbroken")
	p := start(t, host, append([]string{"eval", "--out", dir}, args...)...)
	if got := p.status(2 * time.Minute); got != 0 {
		t.Fatalf("the unbroken run has exit status %d; stderr:\n%s", got, p.err)
	}
	return dir
}

// killing is a run that is killed again and again.
type killing struct {
	t             *testing.T
	host          string
	args          []string
	dir, unbroken string
	beforeStart   func()

	kept string // the journal's whole lines at the last kill
}

// untilDone kills the run at least kills times while it grows to tasks lines,
// then lets it end. It returns how often it was killed.
func (k *killing) untilDone(kills, tasks int) int {
	random := rand.New(rand.NewPCG(1, 2))
	n := 0
	for ; n < kills; n++ {
		// Half of the kills come at any time after the start, but no later than
		// when a few more answers are recorded, so that a fast machine is not
		// done before the last kill; the others just then, so that a slow one
		// gets on.
		lines := strings.Count(k.kept, "\n")
		more := lines + 1 + random.IntN(max(1, 2*(tasks-lines)/(kills-n)-1))
		p := k.start()
		if n%2 == 0 {
			at := time.Now().Add(time.Duration(random.IntN(400)) * time.Millisecond)
			p.await("any moment", func() bool { return time.Now().After(at) || recordedIn(k.t, k.dir) >= min(more, tasks-1) })
		} else {
			p.await("more traces", func() bool { return recordedIn(k.t, k.dir) >= min(more, tasks-1) })
			time.Sleep(time.Duration(random.IntN(8000)) * time.Microsecond)
		}
		p.signal(syscall.SIGKILL)
		p.status(soon)
		if recordedIn(k.t, k.dir) == tasks {
			break
		}
		k.check()
		if n%5 == 4 {
			k.tear()
		}
	}
	p := k.start()
	if got := p.status(2 * time.Minute); got != 0 {
		k.t.Fatalf("the last start has exit status %d; stderr:\n%s", got, p.err)
	}
	k.check()
	k.compare(tasks)
	return n
}

// start resumes the run, or starts it if it was killed before it had a manifest.
func (k *killing) start() *process {
	k.beforeStart()
	if _, err := os.Stat(filepath.Join(k.dir, run.ManifestFile)); err != nil {
		return start(k.t, k.host, append([]string{"eval", "--out", k.dir}, k.args...)...)
	}
	return start(k.t, k.host, "eval", "--resume", k.dir)
}

// check holds the journal against what it was at the kill before.
func (k *killing) check() {
	k.t.Helper()
	now := wholeLines(k.t, k.dir)
	if !strings.HasPrefix(now, k.kept) {
		k.t.Fatalf("the journal was\n%s\nand is\n%s\nA recorded answer was changed or lost", k.kept, now)
	}
	k.kept = now
}

// tear leaves half a line at the journal's end, as a kill in the middle of a
// write does.
func (k *killing) tear() {
	name := filepath.Join(k.dir, run.TracesFile)
	half := `{"task_id":"random/1","claim_key":"3|there is a d`
	if err := os.WriteFile(name, []byte(wholeLines(k.t, k.dir)+half), 0o644); err != nil {
		k.t.Fatal(err)
	}
}

// compare holds the finished run against the unbroken one.
func (k *killing) compare(tasks int) {
	k.t.Helper()
	got, want := tracesOf(k.t, k.dir), tracesOf(k.t, k.unbroken)
	if len(got) != tasks || strings.Count(k.kept, "\n") != tasks || len(want) != tasks {
		k.t.Fatalf("%d tasks on %d lines; the unbroken run has %d, the data %d", len(got), strings.Count(k.kept, "\n"), len(want), tasks)
	}
	times := cmp.Options{
		cmpopts.IgnoreFields(run.Trace{}, "Durations", "Endpoint", "Attempts"), cmpopts.IgnoreFields(run.Cost{}, "Seconds"),
	}
	if diff := cmp.Diff(want, got, times); diff != "" {
		k.t.Errorf("traces differ from the unbroken run's (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(summaryOf(k.t, k.unbroken), summaryOf(k.t, k.dir)); diff != "" {
		k.t.Errorf("the summary differs from the unbroken run's (-want +got):\n%s", diff)
	}
}

func tracesOf(t *testing.T, dir string) map[string]run.Trace {
	t.Helper()
	traces, err := run.ReadTraces(dir)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]run.Trace{}
	for _, tr := range traces {
		by[tr.TaskID] = tr
	}
	return by
}

// summaryOf is all of summary.json but how fast it was.
func summaryOf(t *testing.T, dir string) map[string]any {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, run.SummaryFile))
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	if s["complete"] != true || s["throughput"] == nil {
		t.Errorf("complete %v, throughput %v", s["complete"], s["throughput"])
	}
	delete(s, "throughput")
	return s
}

// seedsOf are the sampling seeds of the tasks that the run in dir has recorded.
func seedsOf(t *testing.T, dir string) map[int32]bool {
	t.Helper()
	seeds := map[int32]bool{}
	for line := range strings.Lines(wholeLines(t, dir)) {
		var tr run.Trace
		if err := json.Unmarshal([]byte(line), &tr); err != nil {
			t.Fatal(err)
		}
		seeds[claim.SamplingSeed(0, 0, 0, tr.Split, tr.QuestionID)] = true
	}
	return seeds
}
