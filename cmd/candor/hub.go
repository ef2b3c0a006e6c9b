package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"candor/harness/claim"
	"candor/harness/hub"
	"candor/harness/run"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// hubAt fetches data sets from the Hub that the environment names, and shows on
// w how that goes. The environment is looked at when the first is asked for: a
// command that needs none must not fail for it.
type hubAt struct{ w io.Writer }

var _ claim.Hub = hubAt{}

// Dataset fetches a data set.
func (h hubAt) Dataset(ctx context.Context, n hub.Name) (*hub.Dataset, error) {
	set, err := hub.FromEnv(os.Getenv)
	if err != nil {
		return nil, &run.UsageError{Err: err}
	}
	shown := &downloads{w: h.w, bars: terminalOf(h.w) != nil && !set.Quiet}
	c := hub.New(set, hub.WithProgress(shown))
	defer c.Close()
	return c.Dataset(ctx, n)
}

// downloads shows a bar for each file on a terminal, and elsewhere nothing but
// what a user should know.
type downloads struct {
	w    io.Writer
	bars bool

	all *mpb.Progress
	bar *mpb.Bar
}

var _ hub.Progress = (*downloads)(nil)

// Note says it in a line.
func (d *downloads) Note(text string) { fmt.Fprintf(d.w, "candor: %s\n", text) }

// Started draws a bar.
func (d *downloads) Started(file string, done, size int64) {
	if !d.bars {
		return
	}
	start := time.Now()
	d.all = mpb.New(mpb.WithOutput(d.w), mpb.WithAutoRefresh())
	d.bar = d.all.New(max(size, 0), mpb.BarStyle(),
		mpb.PrependDecorators(decor.Name(ending(file, 36)+" "), decor.CountersKiloByte("% .1f / % .1f ")),
		mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string { return speed(s.Current-done, s.Total-s.Current, time.Since(start)) })),
	)
	d.bar.SetCurrent(done)
}

// speed says how fast bytes came, and when those that are left will be here.
func speed(came, left int64, took time.Duration) string {
	if came <= 0 || took <= 0 {
		return ""
	}
	perSecond := float64(came) / took.Seconds()
	s := fmt.Sprintf(" %.1f kB/s", perSecond/1e3)
	if perSecond >= 1e6 {
		s = fmt.Sprintf(" %.1f MB/s", perSecond/1e6)
	}
	if left > 0 {
		s += fmt.Sprintf(", %s left", (time.Duration(float64(left) / perSecond * float64(time.Second))).Round(time.Second))
	}
	return s
}

// Advanced moves it.
func (d *downloads) Advanced(_ string, done int64) {
	if d.bar != nil {
		d.bar.SetCurrent(done)
	}
}

// Finished leaves it as it stands.
func (d *downloads) Finished(string) {
	if d.bar == nil {
		return
	}
	if !d.bar.Completed() {
		d.bar.Abort(false)
	}
	d.all.Wait()
	d.all, d.bar = nil, nil
}

// ending is what a name ends in, cut to so many characters.
func ending(name string, n int) string {
	if r := []rune(name); len(r) > n {
		return "…" + string(r[len(r)-n+1:])
	}
	return name
}
