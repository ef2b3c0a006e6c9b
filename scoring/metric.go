package scoring

import "strings"

// Sense says which way a metric is better.
type Sense int

const (
	NoSense        Sense = iota // neither way: a share abstained, say
	HigherIsBetter              // accuracy
	LowerIsBetter               // an error
)

// SenseOf is the sense of a metric by its name in [FigureNames]; known is false
// for any other name.
func SenseOf(metric string) (sense Sense, known bool) {
	for f := range figureCount {
		if f.name() == metric {
			return f.sense(), true
		}
	}
	return NoSense, false
}

func (f figure) sense() Sense {
	switch f {
	case figAbstainRate, figSupported, figMeanConfidence, figUNC:
		return NoSense
	case figMalformedRate, figRepairRate, figBrier, figAURC, figAUGRC, figECE, figEqualWidth, figDebiased, figSmooth, figMCB, figEAURC:
		return LowerIsBetter
	}
	return HigherIsBetter
}

// LeansUpwards tells whether a metric is biased upwards by noise, so that it
// has a spread and no interval.
func LeansUpwards(metric string) bool {
	for f := range figureCount {
		if f.name() == metric {
			return f.treatment() == asSpread
		}
	}
	return false
}

// Figure is a metric of the summary by its name in [FigureNames]; nil where it
// is undefined, and for any other name.
func (s *Summary) Figure(metric string) *float64 {
	if at, ok := strings.CutPrefix(metric, "selective_accuracy@"); ok {
		return s.SelectiveAccuracy[at]
	}
	if at, ok := strings.CutPrefix(metric, "coverage_at_risk@"); ok {
		return s.CoverageAtRisk[at]
	}
	return map[string]*float64{
		"accuracy": s.Accuracy, "coverage": s.Coverage, "abstain_rate": s.AbstainRate, "malformed_rate": s.MalformedRate,
		"needed_repair_rate": s.NeededRepairRate, "predicted_supported": s.PredictedSupported, "balanced_accuracy": s.BalancedAccuracy,
		"mean_confidence": s.MeanConfidence, "brier": s.Brier, "aurc": s.AURC, "augrc": s.AUGRC, "auroc": s.AUROC, "reward": s.Reward,
		"ece": s.ECE, "ece_equal_width": s.ECEEqualWidth, "ece_debiased": s.ECEDebiased, "smooth_ece": s.SmoothECE,
		"mcb": s.CORP.MCB, "dsc": s.CORP.DSC, "unc": s.CORP.UNC, "e_aurc": s.EAURC,
	}[metric]
}
