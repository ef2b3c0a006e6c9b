package scoring

import "slices"

// SourceSummary is the calibration of one source of confidence, over the
// answered tasks for which the source has one.
type SourceSummary struct {
	N       int      `json:"n"`
	Missing int      `json:"missing"` // answered tasks without it
	Brier   *float64 `json:"brier"`
	ECE     *float64 `json:"ece"`
	AURC    *float64 `json:"aurc"`
	AUGRC   *float64 `json:"augrc"`
	AUROC   *float64 `json:"auroc"`
}

// summarizeSources measures the scored source and every other that a row or
// the options name.
func summarizeSources(rows []Row, scored *tally, opt Options) map[string]SourceSummary {
	marks := map[string][]mark{}
	for _, name := range opt.Sources {
		marks[name] = nil
	}
	for _, r := range rows {
		for name, p := range r.Sources {
			marks[name] = append(marks[name], mark{confidence: p + 0, correct: r.Correct})
		}
	}
	delete(marks, opt.Source) // the rows' Confidence is what was scored
	out := map[string]SourceSummary{opt.Source: summarizeSource(scored.levels, scored.answered, opt.Bins)}
	for name, of := range marks {
		out[name] = summarizeSource(levelsOf(of), scored.answered, opt.Bins)
	}
	return out
}

func summarizeSource(levels []Level, answered, bins int) SourceSummary {
	t := &tally{levels: slices.Clone(levels)}
	t.answered, t.correct = total(levels)
	f := (&measurer{bins: bins}).measure(t)
	return SourceSummary{
		N:       t.answered,
		Missing: answered - t.answered,
		Brier:   defined(f[figBrier]),
		ECE:     defined(f[figECE]),
		AURC:    defined(f[figAURC]),
		AUGRC:   defined(f[figAUGRC]),
		AUROC:   defined(f[figAUROC]),
	}
}
