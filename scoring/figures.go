package scoring

import (
	"fmt"
	"math"
)

// figure numbers the metrics that get an interval or a spread.
type figure int

const (
	figAccuracy figure = iota
	figCoverage
	figAbstainRate
	figMalformedRate
	figRepairRate
	figSupported
	figBalanced
	figMeanConfidence
	figBrier
	figAURC
	figAUGRC
	figAUROC
	figReward
	figECE
	figEqualWidth
	figDebiased
	figSmooth
	figMCB
	figDSC
	figUNC
	figEAURC
	figSelective                                                // one for each coverage
	figAtRisk    = figSelective + figure(len(coveragePercents)) // one for each risk
	figureCount  = figAtRisk + figure(len(riskPercents))
)

// figures holds a value for each figure; inside the package NaN is undefined.
type figures [figureCount]float64

// treatment is how a figure's bootstrap distribution may be read.
type treatment int

const (
	noInterval treatment = iota
	asRate               // an interval, Wilson's near 0 and 1
	asInterval           // an interval
	asSpread             // biased upwards: resampling adds to the bias, so no interval
)

// treatment follows from what a figure is: differences in absolute value,
// squares of fitted gaps and maxima all gain from noise.
func (f figure) treatment() treatment {
	switch {
	case f <= figBalanced, f >= figSelective && f < figAtRisk:
		return asRate
	case f <= figReward:
		return asInterval
	case f == figUNC: // a function of the accuracy
		return noInterval
	}
	return asSpread
}

// name is the figure's key in ci and spread.
func (f figure) name() string {
	switch {
	case f >= figAtRisk:
		return "coverage_at_risk@" + percentKey(riskPercents[f-figAtRisk])
	case f >= figSelective:
		return "selective_accuracy@" + percentKey(coveragePercents[f-figSelective])
	}
	return [...]string{
		"accuracy", "coverage", "abstain_rate", "malformed_rate", "needed_repair_rate",
		"predicted_supported", "balanced_accuracy", "mean_confidence", "brier", "aurc", "augrc", "auroc", "reward",
		"ece", "ece_equal_width", "ece_debiased", "smooth_ece", "mcb", "dsc", "unc", "e_aurc",
	}[f]
}

// words is the figure as reports call it.
func (f figure) words() string {
	switch {
	case f >= figAtRisk:
		return fmt.Sprintf("coverage at risk %d %%", riskPercents[f-figAtRisk])
	case f >= figSelective:
		return fmt.Sprintf("accuracy at %d %%", coveragePercents[f-figSelective])
	}
	return [...]string{
		"accuracy", "coverage", "share abstained", "share malformed", "share repaired",
		"share SUPPORTED", "balanced accuracy", "mean confidence", "Brier", "AURC", "AUGRC", "AUROC", "reward",
		"ECE", "ECE of equal width", "debiased ECE", "smooth ECE", "miscalibration", "discrimination", "uncertainty", "E-AURC",
	}[f]
}

// measurer computes figures; it owns the scratch memory that lets thousands of
// replicates be measured without allocating.
type measurer struct {
	bins                int
	table               harmonics
	mass, width, blocks []bin
	smooth              smoother
	skipSmooth          bool
}

// replicate measures the tally of bootstrap replicate b.
func (q *measurer) replicate(t *tally, b int) figures {
	q.skipSmooth = b >= maxSmoothReplicates
	return q.measure(t)
}

// replicated is the part of a figure's replicates that is computed.
func (f figure) replicated(values []float64) []float64 {
	if f == figSmooth {
		return values[:min(len(values), maxSmoothReplicates)]
	}
	return values
}

// measure computes every figure of a tally.
func (q *measurer) measure(t *tally) (f figures) {
	for i := range f {
		f[i] = math.NaN()
	}
	t.rates(&f)
	if t.answered > 0 {
		q.calibration(t, &f)
		q.ranking(t, &f)
	}
	return f
}

func (q *measurer) calibration(t *tally, f *figures) {
	m := t.answered
	f[figMeanConfidence], f[figBrier] = means(t.levels, m)
	q.mass = equalMass(t.levels, m, q.bins, q.mass)
	f[figECE], f[figDebiased] = ece(q.mass, m), debiasedECE(q.mass, m)
	q.width = equalWidth(t.levels, q.bins, q.width)
	f[figEqualWidth] = ece(q.width, m)
	if !q.skipSmooth {
		f[figSmooth] = q.smooth.ece(t.levels, m)
	}
	parts, blocks := corp(t.levels, m, t.correct, f[figBrier], q.blocks)
	q.blocks = blocks
	f[figMCB], f[figDSC], f[figUNC] = parts.mcb, parts.dsc, parts.unc
}

func (q *measurer) ranking(t *tally, f *figures) {
	m := t.answered
	f[figAURC] = aurc(t.levels, m, &q.table)
	f[figEAURC] = max(0, f[figAURC]-bestAURC(t.correct, m, &q.table))
	f[figAUGRC] = augrc(t.levels, m)
	f[figAUROC] = auroc(t.levels, m, t.correct)
	for i, percent := range coveragePercents {
		f[figSelective+figure(i)] = selectiveAccuracy(t.levels, m, percent)
	}
	for i, percent := range riskPercents {
		f[figAtRisk+figure(i)] = coverageAtRisk(t.levels, m, percent)
	}
}
