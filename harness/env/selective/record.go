package selective

import (
	"encoding/json"

	"candor/harness/claim"
	"candor/harness/openenv"
	"candor/harness/verify"
	"candor/scoring"
)

// record is what became of one answer.
type record struct {
	// The seven indicators of the published environment.
	Answered      int           `json:"answered"`
	Abstained     int           `json:"abstained"`
	Malformed     int           `json:"malformed"`
	Correct       int           `json:"correct"`
	ConfidenceSum openenv.Float `json:"confidence_sum"`
	BrierSum      openenv.Float `json:"brier_sum"`
	NeededRepair  int           `json:"needed_repair"`

	Label      claim.Label     `json:"label"`
	Outcome    scoring.Outcome `json:"outcome"`
	Verdict    *verify.Verdict `json:"verdict"`
	Confidence *openenv.Float  `json:"confidence"`
	Reason     string          `json:"reason"`

	Split       string `json:"split"`
	QuestionID  string `json:"question_id"`
	ImageSource string `json:"image_source"`
	Claim       string `json:"claim"`

	// Episode holds the records of all claims of an episode that had several,
	// after the last one.
	Episode []*record `json:"episode,omitempty"`

	reward float64
}

// judge pays an answer, with the code that pays a run's.
func judge(answer verify.Answer, c claim.Claim, payment scoring.Payment) *record {
	in, result := verify.Grade(answer, string(c.Label), payment), answer.Result()
	return &record{
		Answered: in.Answered, Abstained: in.Abstained, Malformed: in.Malformed, Correct: in.Correct,
		ConfidenceSum: openenv.Float(in.ConfidenceSum), BrierSum: openenv.Float(in.BrierSum), NeededRepair: in.NeededRepair,
		Label: c.Label, Outcome: result.Outcome, Verdict: result.Verdict,
		Confidence: (*openenv.Float)(result.Confidence), Reason: result.Reason,
		Split: c.Split, QuestionID: c.QuestionID, ImageSource: c.ImageSource, Claim: c.Text,
		reward: in.Reward,
	}
}

// told is a record as metadata. After the last of several claims all records
// are told, for clients that see no metadata but the observation's.
func (e *Environment) told(r *record) (json.RawMessage, error) {
	told := *r
	if e.done() && len(e.records) > 1 {
		told.Episode = e.records
	}
	return openenv.Marshal(&told)
}
