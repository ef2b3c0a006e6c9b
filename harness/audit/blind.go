package audit

import (
	"candor/harness/blind"
	"candor/harness/claim"
)

// blindness scores, on the eval claims of each split, the classifier that was
// fitted on the texts of its train claims.
func (r *Report) blindness(claims []claim.Claim, opt Options) {
	train, eval := map[string][]claim.Claim{}, map[string][]claim.Claim{}
	for _, c := range claims {
		side := train
		if opt.inEval(c.ImageSource) {
			side = eval
		}
		side[c.Split] = append(side[c.Split], c)
	}
	for _, split := range sorted(r.Splits) {
		accuracy, err := blind.Accuracy(train[split], eval[split])
		if value, ok := accuracy[split]; ok && err == nil {
			r.Blind[split] = &value
			r.tellBlind(split, value)
		} else {
			r.Blind[split] = nil
		}
	}
}

// tellBlind warns where not looking gets one far.
func (r *Report) tellBlind(split string, accuracy float64) {
	const far = .6
	l := r.Splits[split].Labels
	if accuracy > far && l.Supported > 0 && l.Refuted > 0 { // with one label it is said already
		r.warn("blind", "split %s: a classifier that sees only the claims' texts is right on %.2f of the eval claims; what a model gets right beyond that is what it sees", split, accuracy)
	}
}
