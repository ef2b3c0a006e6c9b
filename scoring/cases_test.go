package scoring

import "testing"

// Each row is an input that broke someone's metrics in public.
func TestCases(t *testing.T) {
	type want struct {
		ece, width, brier, aurc, auroc float64
		bins                           int
	}
	const skip = -1
	for _, row := range []struct {
		name string
		rows []Row
		want want
	}{
		{"confidence 1 goes into the last bin, not a phantom one", answersOf([]float64{0.95, 1}, []int{1, 0}),
			want{0.525, 0.475, 0.50125, 0.75, 0, 2}},
		{"ties stay together", answersOf([]float64{.25, .25, .55, .75, .75}, []int{0, 0, 1, 1, 1}),
			want{0.29, skip, 0.0905, 0.13, 1, 3}},
		{"one confidence, at the end", block(0, 1, 10, 1),
			want{0.1, 0.1, 0.1, 0.1, 0.5, 1}},
		{"one confidence: one bin, not none", block(0, 0.8, 100, 25),
			want{0.05, 0.05, skip, 0.25, 0.5, 1}},
		{"fewer answers than bins", answersOf([]float64{.6, .7, .8, .9}, []int{1, 0, 1, 1}),
			want{0.35, skip, 0.175, 0.1458333333, 2.0 / 3, 4}},
		{"pairs of ties, one right in each", answersOf([]float64{.9, .9, .5, .5}, []int{1, 0, 1, 0}),
			want{0.2, skip, skip, 0.5, 0.5, 2}},
		{"the published histogram", published(),
			want{0.0516146, 0.0498438, 0.0865414, 0.0615107, 0.5935504, 3}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := summary(t, row.rows, Options{})
			for what, at := range map[string]struct {
				got  *float64
				want float64
			}{
				"ece": {s.ECE, row.want.ece}, "ece_equal_width": {s.ECEEqualWidth, row.want.width}, "brier": {s.Brier, row.want.brier},
				"aurc": {s.AURC, row.want.aurc}, "auroc": {s.AUROC, row.want.auroc},
			} {
				if at.want != skip {
					near(t, what, at.got, at.want, 1e-6)
				}
			}
			if *s.ECEBins != row.want.bins {
				t.Errorf("ece_bins = %d, want %d", *s.ECEBins, row.want.bins)
			}
		})
	}
}

func TestCasePublishedHistogram(t *testing.T) {
	s := summary(t, published(), Options{})
	near(t, "accuracy", s.Accuracy, 0.90625, 0)
	near(t, "augrc", s.AUGRC, 0.0389269, 1e-6)
	near(t, "top share", s.TopConfidenceShare, 140.0/192, 1e-15)
	best := 0.0 // the finite sum; the analytic limit is .00454
	for i := 175; i <= 192; i++ {
		best += float64(i-174) / float64(i) / 192
	}
	near(t, "best AURC", new(*s.AURC-*s.EAURC), best, 1e-12)
	if *s.DistinctConfidences != 3 || len(s.Levels) != 3 || s.Levels[0] != (Level{0.946, 140, 124}) {
		t.Errorf("levels %v", s.Levels)
	}
}

// A thousand row orders, one result; so too all 24 of four rows.
func TestCaseRowOrders(t *testing.T) {
	want := encode(t, summary(t, published(), Options{}))
	for seed := range uint64(1000) {
		if got := encode(t, summary(t, shuffled(published(), seed), Options{})); got != want {
			t.Fatalf("shuffle %d: %s\nwant %s", seed, got, want)
		}
	}
	rows := answersOf([]float64{.9, .9, .5, .5}, []int{1, 0, 1, 0})
	permute(4, func(order []int) {
		turned := make([]Row, 4)
		for i, from := range order {
			turned[i] = rows[from]
		}
		near(t, "aurc", summary(t, turned, Options{}).AURC, 0.5, 0)
	})
}

// Abstentions and malformed answers count in the reward and the rates.
func TestCasePublishedReward(t *testing.T) {
	rows := append(published(), outcomes(Abstained, 0, 2)...)
	rows = append(rows, outcomes(Malformed, 0, 6)...)
	s := summary(t, rows, Options{})
	near(t, "reward", s.Reward, 0.8849, 5e-5)
	near(t, "coverage", s.Coverage, 0.96, 1e-15)
	near(t, "abstain_rate", s.AbstainRate, 0.01, 1e-15)
	near(t, "malformed_rate", s.MalformedRate, 0.03, 1e-15)
	if s.N != 200 || s.Answered != 192 || s.Abstained != 2 || s.Malformed != 6 || !s.Complete {
		t.Errorf("counts %+v", s)
	}
}

// What a reader must be told.
func TestCaseWarnings(t *testing.T) {
	for _, row := range []struct {
		name string
		rows []Row
		want string
	}{
		{"one distinct confidence", block(0, 1, 10, 1), WarnOneConfidence},
		{"one distinct confidence, below 1", block(0, 0.8, 100, 25), WarnOneConfidence},
		{"small n", answersOf([]float64{.6, .7, .8, .9}, []int{1, 0, 1, 1}), WarnSmallN},
		{"all right", answersOf([]float64{.7, .8, .9}, []int{1, 1, 1}), WarnSingleClass},
		{"all wrong", answersOf([]float64{.7, .8, .9}, []int{0, 0, 0}), WarnSingleClass},
		{"errors make a run partial", append(published(), outcomes(Errored, 0, 1)...), WarnIncomplete},
		{"nothing at all", nil, WarnNoTasks},
		{"nothing answered", outcomes(Malformed, 0, 3), WarnNoAnswers},
	} {
		if s := summary(t, row.rows, Options{}); !codes(s)[row.want] {
			t.Errorf("%s: warnings %v lack %q", row.name, s.Warnings, row.want)
		}
	}
	// and what they must not be told for nothing
	if got := codes(summary(t, published(), Options{})); len(got) != 0 {
		t.Errorf("the published histogram warns %v", got)
	}
}

// Every reply SUPPORTED .95 whatever the image.
func TestCaseConstantVerdict(t *testing.T) {
	for _, supported := range []bool{true, false} {
		rows := block(0, 0.95, 100, 50)
		for i := range rows {
			rows[i].Supported = supported
		}
		s := summary(t, rows, Options{})
		near(t, "predicted_supported", s.PredictedSupported, float64(one(supported)), 0)
		if got := codes(s); !got[WarnConstant] || !got[WarnOneConfidence] {
			t.Errorf("warnings %v", s.Warnings)
		}
		rows[3].Supported = !supported
		if codes(summary(t, rows, Options{}))[WarnConstant] {
			t.Error("one other verdict and it is not constant")
		}
	}
}

// A set of one label only (AMBER's existence rows are all "no").
func TestCaseSingleLabel(t *testing.T) {
	rows := block(0, 0.9, 40, 10)
	for i := range rows {
		rows[i].Supported = !rows[i].Correct // every label REFUTED
	}
	if s := summary(t, rows, Options{}); !codes(s)[WarnSingleLabel] || codes(s)[WarnConstant] {
		t.Errorf("warnings %v", s.Warnings)
	}
	rows[0].Supported = !rows[0].Supported
	if s := summary(t, rows, Options{}); codes(s)[WarnSingleLabel] {
		t.Errorf("two labels, warnings %v", s.Warnings)
	}
}

// Nothing, nothing answered, one answer.
func TestCaseEmptyAndOne(t *testing.T) {
	empty := summary(t, nil, Options{Bootstrap: 20})
	for what, got := range map[string]*float64{
		"coverage": empty.Coverage, "abstain_rate": empty.AbstainRate, "reward": empty.Reward, "needed_repair_rate": empty.NeededRepairRate,
	} {
		null(t, "n=0: "+what, got)
	}
	unanswered := summary(t, append(outcomes(Abstained, 0, 1), outcomes(Malformed, 0, 3)...), Options{Bootstrap: 20})
	near(t, "m=0: coverage", unanswered.Coverage, 0, 0)
	near(t, "m=0: reward", unanswered.Reward, 0.2, 1e-15)
	for _, s := range []*Summary{empty, unanswered} {
		for what, got := range map[string]*float64{
			"accuracy": s.Accuracy, "mean_confidence": s.MeanConfidence, "brier": s.Brier, "ece": s.ECE, "ece_equal_width": s.ECEEqualWidth,
			"ece_debiased": s.ECEDebiased, "smooth_ece": s.SmoothECE, "floor mean": s.ECEFloor.Mean, "floor p95": s.ECEFloor.P95,
			"p_calibrated": s.ECEFloor.PCalibrated, "aurc": s.AURC, "e_aurc": s.EAURC, "augrc": s.AUGRC, "auroc": s.AUROC,
			"mcb": s.CORP.MCB, "dsc": s.CORP.DSC, "unc": s.CORP.UNC, "top": s.TopConfidenceShare, "predicted": s.PredictedSupported,
			"selective": s.SelectiveAccuracy["0.5"], "at risk": s.CoverageAtRisk["0.05"], "source": s.Sources["verbal"].Brier,
		} {
			null(t, what, got)
		}
		null(t, "ece_bins", s.ECEBins)
		null(t, "distinct_confidences", s.DistinctConfidences)
		null(t, "ci.accuracy", s.CI["accuracy"])
	}
	single := summary(t, answersOf([]float64{0.9}, []int{1}), Options{})
	near(t, "n=1: ece", single.ECE, 0.1, 1e-15)
	near(t, "n=1: brier", single.Brier, 0.01, 1e-15)
	null(t, "n=1: ece_debiased", single.ECEDebiased)
	null(t, "n=1: auroc", single.AUROC)
}

// One class only.
func TestCaseOneClass(t *testing.T) {
	for y, want := range []struct{ ece, aurc float64 }{{0.8, 1}, {0.2, 0}} {
		s := summary(t, answersOf([]float64{.7, .8, .9}, []int{y, y, y}), Options{})
		near(t, "ece", s.ECE, want.ece, 1e-12)
		near(t, "aurc", s.AURC, want.aurc, 0)
		near(t, "e_aurc", s.EAURC, 0, 0)
		null(t, "auroc", s.AUROC)
	}
}
