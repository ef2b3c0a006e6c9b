package throughput

import (
	"fmt"
	"io"
	"strings"
)

// Benchstat writes the report in the format of Go's benchmarks, for
// golang.org/x/perf/cmd/benchstat: a line to each level and round. An
// operation is a request. A figure without a value is left out.
func Benchstat(w io.Writer, r Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "candor: %s\nmodel: %s\ndigest: %.12s\nengine: %s\ndataset: %s\nslots: %d\n", r.Candor, r.Model.Model, r.Model.Digest, r.Model.ServerVersion, r.Dataset, r.Slots)
	b.WriteString("Unit answers/s better=higher\nUnit good/s better=higher\nUnit output-tokens/s better=higher\n")
	for _, l := range r.Levels {
		fmt.Fprintf(&b, "Benchmark%s %d", l.name(), l.Requests)
		for _, f := range l.figures() {
			if f.value != nil {
				fmt.Fprintf(&b, " %.6g %s", *f.value*f.scale, f.unit)
			}
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// name is a level's as benchmarks are named. A rate that follows from what the
// closed loops reached is named by its share of that: two files then have the
// same names, and benchstat sets them side by side.
func (l Level) name() string {
	if l.Loop == "closed" {
		return fmt.Sprintf("Closed/cache=%s/concurrency=%d", l.Cache, l.Concurrency)
	}
	if l.Share > 0 {
		return fmt.Sprintf("Open/cache=%s/share=%.4g/arrivals=%s", l.Cache, l.Share, l.Arrivals)
	}
	return fmt.Sprintf("Open/cache=%s/rate=%.4g/arrivals=%s", l.Cache, l.Rate, l.Arrivals)
}

type figure struct {
	value *float64
	scale float64
	unit  string
}

func (l Level) figures() []figure {
	const ns = 1e9
	return []figure{
		{l.Latency.Mean, ns, "ns/op"}, {l.Latency.P50, ns, "p50-ns/op"}, {l.Latency.P90, ns, "p90-ns/op"}, {l.Latency.P99, ns, "p99-ns/op"},
		{l.FirstToken.P50, ns, "p50-first-token-ns/op"}, {&l.Throughput, 1, "answers/s"}, {&l.Goodput, 1, "good/s"},
		{&l.OutputRate, 1, "output-tokens/s"}, {&l.Busy, 1, "busy-share"},
	}
}
