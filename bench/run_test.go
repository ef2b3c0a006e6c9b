//go:build unix

package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"candor/harness/run"
	"candor/harness/throughput"
	"candor/infer"
	"candor/infer/load"
)

// demo is a run of the demo's tasks at the stand-in, with what it needs.
func demo(b *testing.B, url string, tasks int) (run.Config, run.Dependencies) {
	b.Helper()
	cfg := run.DefaultConfig()
	cfg.Model, cfg.Dataset, cfg.Split, cfg.Partition, cfg.NumTasks, cfg.Preflight = "fixed", "demo", "all", "all", tasks, false
	c := client(b, url)
	return cfg, run.Dependencies{Connect: func(string) (infer.Backend, error) { return c, nil }, Version: "bench"}
}

// BenchmarkRun is a whole run, from reading the data to the summary with its
// intervals, at a server that serves each request in 200 ms in one of 16
// slots. x-ideal is its wall time over that of slots that are never idle,
// x-ideal-asking that of the asking alone, with every answer on disk.
func BenchmarkRun(b *testing.B) {
	const slots, tasks = 16, 960
	cfg, deps := demo(b, startServer(b, slots, service), tasks)
	cfg.Parallel = strconv.Itoa(infer.InFlight(slots))
	ideal := service.Seconds() * tasks / slots
	for b.Loop() {
		before, start := processorTime(b), time.Now()
		r, err := run.Execute(b.Context(), cfg, filepath.Join(b.TempDir(), "run"), false, deps)
		if err != nil || r.Summary.N != tasks {
			b.Fatalf("%d tasks: %v", r.Summary.N, err)
		}
		b.ReportMetric(time.Since(start).Seconds()/ideal, "x-ideal")
		b.ReportMetric(r.Manifest.Sessions[0].Seconds/ideal, "x-ideal-asking")
		b.ReportMetric((processorTime(b)-before)/tasks*1e6, "cpu-µs/task")
	}
}

// locustVar names Locust's program; scripts/bench-load.sh sets it.
const locustVar = "CANDOR_LOCUST"

// BenchmarkLoad is candor bench beside Locust, one after the other at the same
// server with requests of the same size, in a closed loop. x-locust is Candor's
// answers a second over Locust's, x-ideal Candor's over what the server can do.
func BenchmarkLoad(b *testing.B) {
	locust := os.Getenv(locustVar)
	if locust == "" {
		b.Skipf("no %s: run scripts/bench-load.sh", locustVar)
	}
	const seconds = 8
	for _, c := range []struct {
		slots, atOnce int
		each          time.Duration
	}{{4, 4, service}, {16, 32, service}, {64, 8, 0}} {
		b.Run(fmt.Sprintf("service=%v/slots=%d/concurrency=%d", c.each, c.slots, c.atOnce), func(b *testing.B) {
			url := startServer(b, c.slots, c.each)
			asked, deps := demo(b, url, 60)
			for b.Loop() {
				r, err := throughput.Measure(b.Context(), throughput.Config{
					Run: asked, Caches: []throughput.Cache{throughput.Cached}, Concurrency: []int{c.atOnce}, Rounds: 1,
					Base: load.Load{WarmUp: c.atOnce, Requests: load.MaxRequests / 2, Duration: seconds * time.Second, Slots: c.slots},
				}, deps)
				if err != nil || r.Levels[0].Failed > 0 {
					b.Fatalf("%+v: %v", r.Levels, err)
				}
				ours, theirs := r.Levels[0], byLocust(b, locust, url, bodyOf(b, asked, deps), c.atOnce, seconds)
				b.ReportMetric(ours.Throughput, "answers/s")
				b.ReportMetric(theirs, "locust-answers/s")
				b.ReportMetric(ours.Throughput/theirs, "x-locust")
				if c.each > 0 {
					b.ReportMetric(ours.Throughput*c.each.Seconds()/float64(min(c.slots, c.atOnce)), "x-ideal")
				}
			}
		})
	}
}

// bodyOf writes what a request of Candor's carries to a file.
func bodyOf(b *testing.B, cfg run.Config, deps run.Dependencies) (file string) {
	b.Helper()
	p, err := run.Prepare(b.Context(), cfg, deps)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	req, err := p.Request(b.Context(), p.Plan.Tasks[0])
	if err != nil {
		b.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{
		"model": req.Model, "system": req.System, "prompt": req.Prompt, "images": [][]byte{req.Image},
		"format": req.Schema, "options": req.Options, "stream": false,
	})
	if err != nil {
		b.Fatal(err)
	}
	file = filepath.Join(b.TempDir(), "body.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// byLocust is the answers a second that Locust has by its own count.
func byLocust(b *testing.B, program, url, body string, atOnce, seconds int) float64 {
	b.Helper()
	command := exec.CommandContext(b.Context(), program, "-f", "../scripts/bench-load.py", "--headless", "--json", "--reset-stats",
		"-u", strconv.Itoa(atOnce), "-r", strconv.Itoa(atOnce), "-t", strconv.Itoa(seconds+1)+"s", "--host", url)
	command.Env = append(os.Environ(), "CANDOR_LOAD_BODY="+body)
	out, err := command.Output()
	var stats []struct {
		Requests int     `json:"num_requests"`
		Failures int     `json:"num_failures"`
		Start    float64 `json:"start_time"`
		Last     float64 `json:"last_request_timestamp"`
	}
	if err == nil {
		err = json.Unmarshal(out, &stats)
	}
	if err != nil || len(stats) != 1 || stats[0].Failures > 0 || stats[0].Last <= stats[0].Start {
		b.Fatalf("locust: %v: %s", err, out)
	}
	return float64(stats[0].Requests) / (stats[0].Last - stats[0].Start)
}
