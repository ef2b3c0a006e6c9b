package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"candor/harness/progress"
	"candor/infer/gpu"
)

// counted is the line that matters most: how far it is, and how long it takes.
func counted(s progress.Snapshot, columns int) []string {
	parts := []string{fmt.Sprintf("%d/%d tasks", s.Done, s.Total)}
	parts = append(parts, pace(s)...)
	taken := len(strings.Join(parts, "  ")) + 2
	if room := min(columns-taken-1, 42); room >= 12 && s.Total > 0 {
		parts = append(parts[:1], append([]string{barOf(float64(s.Done)/float64(s.Total), room-2)}, parts[1:]...)...)
	}
	return packed(parts, columns)
}

// pace is the rate and the time left.
func pace(s progress.Snapshot) []string {
	if s.TasksPerSecond == 0 {
		return nil
	}
	parts := []string{digits(s.TasksPerSecond) + " tasks/s"}
	if s.Left > 0 {
		parts = append(parts, s.Left.Round(time.Second).String()+" left")
	}
	return parts
}

// worth is what the answers so far are worth.
func worth(s progress.Snapshot) []string {
	if s.Recorded == 0 {
		return nil
	}
	since := ""
	if s.Earlier > 0 {
		since = " since resumed"
	}
	return []string{
		fmt.Sprintf("reward %.3f%s", s.Reward, since),
		fmt.Sprintf("coverage %s%s", percent(s.Coverage), since),
	}
}

// work is what the servers do.
func work(s progress.Snapshot) []string {
	if s.TasksPerSecond == 0 {
		return nil
	}
	parts := []string{}
	if s.TokensPerSecond > 0 {
		parts = append(parts, digits(s.TokensPerSecond)+" tokens/s")
	}
	return append(parts, "server busy "+percent(s.Busy))
}

// errorsOf are the tasks in error by class.
func errorsOf(s progress.Snapshot) []string {
	if len(s.Errors) == 0 {
		return nil
	}
	var by []string
	for _, e := range s.Errors {
		by = append(by, fmt.Sprintf("%d %s", e.Count, e.Class))
	}
	return []string{"in error: " + strings.Join(by, ", ")}
}

// gpuOf is the GPUs of this machine, as one.
func gpuOf(devices []gpu.Device) []string {
	if len(devices) == 0 {
		return nil
	}
	d, name := gpu.Total(devices), "GPU"
	if len(devices) > 1 {
		name = fmt.Sprintf("%d GPUs", len(devices))
	}
	const gib = 1 << 30
	return []string{fmt.Sprintf("%s %s busy, %.1f of %.1f GiB", name, percent(d.Busy), float64(d.Used)/gib, float64(d.Total)/gib)}
}

func barOf(share float64, columns int) string {
	full := int(math.Round(min(1, max(0, share)) * float64(columns)))
	return "[" + strings.Repeat("=", full) + strings.Repeat("-", columns-full) + "]"
}

// digits is x with two significant decimals at most, so that it does not
// flicker.
func digits(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }
