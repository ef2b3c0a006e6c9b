package lens

import (
	"context"
	"encoding/json"
	"fmt"

	"candor/harness/lens/compat"
	"candor/harness/lens/play"
	"candor/scoring/lqs"
)

// A Replayed is what a journal says. One of the two is set.
type Replayed struct {
	Report *Report
	Compat *compat.Report // of a journal that a compatible evaluation wrote
}

// Replay computes every score of a journal anew, without agent or environment.
// Custom probes that weighed in must be given again, by the same names; they
// are run on the record.
func Replay(ctx context.Context, journal string, custom ...Custom) (Replayed, error) {
	recording, err := play.ReadJournal(journal)
	if err != nil {
		return Replayed{}, err
	}
	h := recording.Header
	bench := play.Replay(recording, nil)
	if h.Episodes < 1 || h.Episodes > maxEpisodes {
		return Replayed{}, fmt.Errorf("%s: its header tells of %d episodes; there may be 1 to %d of a kind; the file was changed or damaged", journal, h.Episodes, maxEpisodes)
	}
	if h.Compat != "none" {
		return replayCompat(ctx, bench, h)
	}
	var c config
	if err := json.Unmarshal(h.Config, &c); err != nil {
		return Replayed{}, fmt.Errorf("%s: its configuration: %w", journal, err)
	}
	if err := c.covered(custom); err != nil {
		return Replayed{}, fmt.Errorf("%s: %w", journal, err)
	}
	if err := declarable(c.declaration()); err != nil {
		return Replayed{}, fmt.Errorf("%s: %w", journal, err)
	}
	report, err := measure(ctx, bench, c, c.declaration(), custom)
	return Replayed{Report: report}, err
}

// covered checks that the custom probes are those of the journal.
func (c config) covered(custom []Custom) error {
	given := map[string]float64{}
	for _, p := range custom {
		given[p.Probe.Name()] = p.Weight
	}
	for _, p := range c.Custom {
		if weight, ok := given[p.Name]; !ok || weight != p.Weight {
			return OptionError(fmt.Sprintf("it was measured with probe %s of weight %v, which is not given", p.Name, p.Weight))
		}
	}
	return nil
}

func replayCompat(ctx context.Context, bench *play.Bench, h play.Header) (Replayed, error) {
	var c compat.Config
	if err := json.Unmarshal(h.Config, &c); err != nil {
		return Replayed{}, fmt.Errorf("the journal's configuration: %w", err)
	}
	report, err := compat.Evaluate(ctx, bench, lqs.Release(h.Compat), c, h.Episodes)
	return Replayed{Compat: report}, err
}
