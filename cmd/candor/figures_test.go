package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"candor/harness/progress"
	"candor/harness/run"
	"candor/infer"
	"candor/infer/gpu"
)

func TestFigures(t *testing.T) {
	s := progress.Snapshot{
		Done: 30, Total: 120, Recorded: 30, TasksPerSecond: 2.5, TokensPerSecond: 123.4, Left: 36 * time.Second,
		Busy: .987, Reward: .8125, Coverage: .9, Errors: []progress.ErrorCount{{Class: infer.ClassRetry, Count: 2}, {Class: infer.ClassTask, Count: 1}},
	}
	resumed := s
	resumed.Earlier = 10
	gib := uint64(1 << 30)
	for name, tt := range map[string]struct{ got, want []string }{
		"wide":         {counted(s, 60), []string{"30/120 tasks  [=====--------------]  2.50 tasks/s  36s left"}},
		"no room":      {counted(s, 40), []string{"30/120 tasks  2.50 tasks/s  36s left"}},
		"narrow":       {counted(s, 20), []string{"30/120 tasks", "2.50 tasks/s", "36s left"}},
		"nothing yet":  {counted(progress.Snapshot{Total: 5}, 20), []string{"0/5 tasks"}},
		"worth":        {worth(s), []string{"reward 0.812", "coverage 90%"}},
		"resumed":      {worth(resumed), []string{"reward 0.812 since resumed", "coverage 90% since resumed"}}, // not of what was recorded before
		"worth of 0":   {worth(progress.Snapshot{}), nil},
		"work":         {work(s), []string{"123 tokens/s", "server busy 99%"}},
		"errors":       {errorsOf(s), []string{"in error: 2 retry, 1 task"}},
		"no error":     {errorsOf(progress.Snapshot{}), nil},
		"one GPU":      {gpuOf([]gpu.Device{{Name: "H200", Busy: .87, Used: 12 * gib, Total: 140 * gib}}), []string{"GPU 87% busy, 12.0 of 140.0 GiB"}},
		"several GPUs": {gpuOf([]gpu.Device{{Busy: 1, Used: gib, Total: 2 * gib}, {Total: 2 * gib}}), []string{"2 GPUs 50% busy, 1.0 of 4.0 GiB"}},
		"no GPU":       {gpuOf(nil), nil},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: %q; want %q", name, tt.got, tt.want)
		}
	}
}

// Where there is no terminal a line comes when it is time for one and when all
// is done, not with every task.
func TestPlain(t *testing.T) {
	var out bytes.Buffer
	v := newRunView(&out)
	v.Started(0, 40)
	v.InFlight("http://10.0.0.2:1", 2, 1)
	for range 38 {
		v.Recorded(run.Trace{Answered: 1, Reward: .5})
	}
	v.Failed(run.TaskError{TaskID: "random/7", Class: infer.ClassTask, Error: "no\x1b[2J"})
	v.told = time.Now().Add(-2 * between)
	v.Failed(run.TaskError{TaskID: "random/8", Class: infer.ClassTask, Error: "thanks"})
	v.close()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 4 || lines[0] != "candor: 40 tasks to ask, 0 recorded already" ||
		!strings.HasPrefix(lines[3], "candor: 38/40 tasks, ") || !strings.HasSuffix(lines[3], " tasks/s, in error: 2 task, reward 0.500, coverage 100%, server busy 100%") {
		t.Errorf("%q", lines)
	}
	if !strings.HasPrefix(lines[1], "candor: task random/7: no") {
		t.Errorf("%q", lines[1])
	}
}
