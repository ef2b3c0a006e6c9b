package run

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// BenchmarkJournal records tasks that so many askers finish at once, each line
// on disk before its asker goes on. x-sync-each is the time beside that of the
// same lines each written and synced on its own, x-unsynced beside that of lines
// that are written and never synced.
func BenchmarkJournal(b *testing.B) {
	for _, askers := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprintf("askers=%d", askers), func(b *testing.B) {
			const n = 512
			for b.Loop() {
				ours := appended(b, n, askers)
				b.ReportMetric(n/ours, "tasks/s")
				b.ReportMetric(ours/plainly(b, n, true), "x-sync-each")
				b.ReportMetric(ours/plainly(b, n, false), "x-unsynced")
			}
		})
	}
}

// appended is the seconds that n traces take with so many appending.
func appended(b *testing.B, n, askers int) float64 {
	b.Helper()
	j, _, err := openJournal(b.TempDir(), names(n))
	if err != nil {
		b.Fatal(err)
	}
	defer j.close()
	start := time.Now()
	var all sync.WaitGroup
	for a := range askers {
		all.Go(func() {
			for i := a; i < n; i += askers {
				if err := j.append(trace(i)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	return time.Since(start).Seconds()
}

// plainly is the seconds that the same lines take, one by one.
func plainly(b *testing.B, n int, synced bool) float64 {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "lines"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	start := time.Now()
	for i := range n {
		line, err := encodeLine(trace(i))
		if err == nil {
			_, err = f.Write(line)
		}
		if err == nil && synced {
			err = f.Sync()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start).Seconds()
}
