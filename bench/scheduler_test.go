package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"candor/infer"
	"candor/infer/ollama"
)

// questions are n tasks, claimsAnImage of them about each image, as a run hands them
// to the scheduler.
type questions struct {
	b      testing.TB
	order  [][]int // groups of tasks, by number
	ask    func(task int) infer.Request
	answer func(task int, r infer.Response)
}

func (q *questions) Next() (group []int, ok bool) {
	if len(q.order) == 0 {
		return nil, false
	}
	group, q.order = q.order[0], q.order[1:]
	return group, true
}

func (q *questions) Ask(ctx context.Context, task int, turn infer.Turn) ([]infer.Attempt, error) {
	resp, failed, err := infer.Once(ctx, turn.Model, q.ask(task), turn.Failed, turn.Others)
	if err == nil && q.answer != nil {
		q.answer(task, resp)
	}
	return failed, err
}

func (q *questions) GiveUp(_ context.Context, task int, _ infer.Turn, err error) {
	q.b.Errorf("task %d: %v", task, err)
}

// grouped is the order of a run: all tasks about an image one after another.
func grouped(n int) (order [][]int) {
	for i := range n {
		if i%claimsAnImage == 0 {
			order = append(order, nil)
		}
		order[len(order)-1] = append(order[len(order)-1], i)
	}
	return order
}

func option(b testing.TB) infer.Options {
	b.Helper()
	o, err := infer.Profile(infer.DefaultProfile)
	if err != nil {
		b.Fatal(err)
	}
	o.NumCtx = 4096
	return o
}

func client(b testing.TB, url string) *ollama.Client {
	b.Helper()
	c, err := ollama.New(url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	return c
}

// BenchmarkScheduler drives a server that serves each request in 200 ms in one
// of so many slots. x-ideal is the wall time over that of slots that are never
// idle: the sum of the service times, as the server measured them, over the
// slots. x-ideal-none-waiting is the same with no request waiting there.
func BenchmarkScheduler(b *testing.B) {
	photos := [][]byte{photo(b, 640, 480, 1), photo(b, 640, 480, 2), photo(b, 480, 640, 3), photo(b, 640, 427, 4)}
	for _, slots := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprintf("slots=%d", slots), func(b *testing.B) {
			c := client(b, startServer(b, slots, service))
			for b.Loop() {
				n := slots * 24
				before := processorTime(b)
				took, served := ask(b, c, photos, n, infer.InFlight(slots))
				spent := processorTime(b) - before
				b.ReportMetric(took/served*float64(slots), "x-ideal")
				b.ReportMetric(spent/float64(n)*1e6, "cpu-µs/task")
				took, served = ask(b, c, photos, n, slots)
				b.ReportMetric(took/served*float64(slots), "x-ideal-none-waiting")
			}
		})
	}
}

// ask has n tasks done with so many in flight, and returns the seconds it took
// and those of service, all tasks' together.
func ask(b *testing.B, c *ollama.Client, photos [][]byte, n, limit int) (took, served float64) {
	b.Helper()
	o := option(b)
	var mu sync.Mutex
	q := &questions{b: b, order: grouped(n), ask: func(task int) infer.Request {
		return infer.Request{
			Model: "fixed", System: "You judge claims about images.", Prompt: fmt.Sprintf("Claim: there are %d dogs in the image.", task),
			Image: photos[task/claimsAnImage%len(photos)], Options: o, Seed: int32(task), MinPromptTokens: 300,
			Schema: json.RawMessage(`{"type":"object"}`),
		}
	}, answer: func(_ int, r infer.Response) {
		mu.Lock()
		defer mu.Unlock()
		served += r.Durations.Total.Seconds()
	}}
	start := time.Now()
	infer.Run(b.Context(), infer.Scheduler{Slots: []infer.Slot{{Model: c, Limit: limit}}, Retry: infer.DefaultRetry()}, nil, q)
	return time.Since(start).Seconds(), served
}

// BenchmarkAsk is the client's own work for a task with a real image, all of
// it, beside posting the same bytes, encoded beforehand, by net/http alone.
func BenchmarkAsk(b *testing.B) {
	url := startServer(b, 64, 0)
	c := client(b, url)
	photos := [][]byte{photo(b, 640, 480, 1)}
	body, err := json.Marshal(map[string]any{"model": "fixed", "prompt": "Claim", "images": photos})
	if err != nil {
		b.Fatal(err)
	}
	plain := &http.Client{Transport: &http.Transport{}}
	defer plain.CloseIdleConnections()
	const n = 60
	for b.Loop() {
		before := processorTime(b)
		ask(b, c, photos, n, 1)
		ours := processorTime(b) - before
		before = processorTime(b)
		for range n {
			post(b, plain, url, body)
		}
		bare := processorTime(b) - before
		b.ReportMetric(ours/n*1e6, "cpu-µs/task")
		b.ReportMetric(ours/bare, "x-bare-post")
		b.ReportMetric(float64(len(body))/1024, "KiB/task")
	}
}
