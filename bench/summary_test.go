package bench

import (
	"testing"

	"candor/scoring"
	"candor/scoring/batch"
)

// BenchmarkSummary is all figures of one run of 9000 tasks about 500 images,
// with 10 000 replicates (1000 of smooth ECE) and as many draws of the floor.
func BenchmarkSummary(b *testing.B) {
	for _, row := range []struct {
		name string
		grid int
	}{{"levels101", 100}, {"continuous", 0}} {
		b.Run(row.name, func(b *testing.B) {
			rows, pay := answersTo(9000, 500, row.grid, 1), payment(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := scoring.Summarize(b.Context(), rows, pay, scoring.Options{Bootstrap: replicates}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEveryMetric is every replicate of every metric of eight runs under
// the same weights, with intervals.
func BenchmarkEveryMetric(b *testing.B) {
	all := make([][]scoring.Row, 8)
	for i := range all {
		all[i] = answersTo(manyTasks, 334, 100, uint64(i))
	}
	runs, err := batch.New(all)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		result, err := runs.Bootstrap(b.Context(), payment(b), batch.Options{Replicates: replicates})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := result.Figures(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
