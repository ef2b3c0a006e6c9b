package lens

import (
	"context"

	"candor/harness/lens/play"
)

// Probe is a measurement of the caller's own. It measures an agent through the
// bench, by which everything is recorded: what it plays, and asks, needs names
// that no other has, so it had better begin them with its own. A replay runs it
// again on the record.
type Probe interface {
	// Name is the probe's key in reports, and Doc what it measures, in a sentence.
	Name() string
	Doc() string
	// Measure returns a score in [0, 1]. An error says that there is none, and
	// why; play.ErrNotRecorded and play.ErrGone are such errors.
	Measure(ctx context.Context, bench *play.Bench, episodes int) (float64, error)
}

// Custom is a probe and its weight w: its score s multiplies raw learning by
// s^w. Weight 0 only reports.
type Custom struct {
	Probe  Probe
	Weight float64
}
