package scoring

import "math"

// Summary is the metrics of a run. A nil figure is undefined. Rates and the
// reward are over N, all other figures over the answered tasks.
type Summary struct {
	N         int  `json:"n"` // all tasks but errors
	Answered  int  `json:"answered"`
	Abstained int  `json:"abstained"`
	Malformed int  `json:"malformed"`
	Errors    int  `json:"errors"`
	Complete  bool `json:"complete"` // no task ended in error

	Accuracy         *float64 `json:"accuracy"`
	BalancedAccuracy *float64 `json:"balanced_accuracy"` // mean over the two labels
	// BlindAccuracy is what a classifier that sees no image gets right on the
	// same tasks. It is not computed here: whoever knows the claims sets it, or
	// says why there is none.
	BlindAccuracy    *float64 `json:"blind_accuracy"`
	BlindReason      string   `json:"blind_reason,omitempty"`
	Coverage         *float64 `json:"coverage"`
	AbstainRate      *float64 `json:"abstain_rate"`
	MalformedRate    *float64 `json:"malformed_rate"`
	NeededRepairRate *float64 `json:"needed_repair_rate"`
	MeanConfidence   *float64 `json:"mean_confidence"`
	Brier            *float64 `json:"brier"`

	ECE           *float64 `json:"ece"`      // equal mass, ties unsplit
	ECEBins       *int     `json:"ece_bins"` // bins in effect
	ECEEqualWidth *float64 `json:"ece_equal_width"`
	ECEDebiased   *float64 `json:"ece_debiased"`
	SmoothECE     *float64 `json:"smooth_ece"`
	ECEFloor      Floor    `json:"ece_floor"`

	AURC              *float64            `json:"aurc"`
	EAURC             *float64            `json:"e_aurc"`
	AUGRC             *float64            `json:"augrc"`
	AUROC             *float64            `json:"auroc"`
	CORP              CORP                `json:"corp"`
	SelectiveAccuracy map[string]*float64 `json:"selective_accuracy"` // by coverage, "0.5" … "1"
	CoverageAtRisk    map[string]*float64 `json:"coverage_at_risk"`   // by risk, "0.01" … "0.1"

	DistinctConfidences *int     `json:"distinct_confidences"`
	TopConfidenceShare  *float64 `json:"top_confidence_share"`
	Levels              []Level  `json:"levels"` // by confidence, upwards
	PredictedSupported  *float64 `json:"predicted_supported"`
	LabelledSupported   *float64 `json:"labelled_supported"` // share of the answered

	Reward        *float64 `json:"reward"`
	Rule          string   `json:"rule"`
	AbstainReward float64  `json:"abstain_reward"`
	Threshold     float64  `json:"threshold"`

	CI       map[string]*Interval     `json:"ci"`     // 95 %, by metric
	Spread   map[string]*Interval     `json:"spread"` // middle 95 % of replicates; no interval for the truth
	Sources  map[string]SourceSummary `json:"sources"`
	BySplit  map[string]*Summary      `json:"by_split"`
	ByLabels map[string]*Summary      `json:"by_labels"`
	LabelSet *LabelSetFigures         `json:"label_set,omitempty"` // of a summary in ByLabels
	Warnings []Warning                `json:"warnings"`
}

// CORP is the Brier score's parts: Brier = MCB − DSC + UNC.
type CORP struct {
	MCB *float64 `json:"mcb"` // miscalibration
	DSC *float64 `json:"dsc"` // discrimination
	UNC *float64 `json:"unc"` // uncertainty
}

// Warning is something a reader of the figures must know; Code is one of the
// Warn constants.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// put copies the figures into the summary.
func (s *Summary) put(f figures) {
	s.Accuracy, s.BalancedAccuracy, s.Coverage = defined(f[figAccuracy]), defined(f[figBalanced]), defined(f[figCoverage])
	s.AbstainRate, s.MalformedRate = defined(f[figAbstainRate]), defined(f[figMalformedRate])
	s.NeededRepairRate, s.PredictedSupported = defined(f[figRepairRate]), defined(f[figSupported])
	s.MeanConfidence, s.Brier, s.Reward = defined(f[figMeanConfidence]), defined(f[figBrier]), defined(f[figReward])
	s.ECE, s.ECEEqualWidth, s.ECEDebiased = defined(f[figECE]), defined(f[figEqualWidth]), defined(f[figDebiased])
	s.SmoothECE = defined(f[figSmooth])
	s.AURC, s.EAURC = defined(f[figAURC]), defined(f[figEAURC])
	s.AUGRC, s.AUROC = defined(f[figAUGRC]), defined(f[figAUROC])
	s.CORP = CORP{MCB: defined(f[figMCB]), DSC: defined(f[figDSC]), UNC: defined(f[figUNC])}
	s.SelectiveAccuracy, s.CoverageAtRisk = map[string]*float64{}, map[string]*float64{}
	for i, percent := range coveragePercents {
		s.SelectiveAccuracy[percentKey(percent)] = defined(f[figSelective+figure(i)])
	}
	for i, percent := range riskPercents {
		s.CoverageAtRisk[percentKey(percent)] = defined(f[figAtRisk+figure(i)])
	}
}

// defined turns the package's inner NaN into nil, and −0 into 0.
func defined(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	x += 0
	return &x
}
