package run

import (
	"time"

	"candor/harness/verify"
	"candor/infer"
	"candor/scoring"
)

// Trace is the full record of one finished task, one line of traces.jsonl.
// The seven indicators answered, abstained, malformed, correct,
// confidence_sum, brier_sum and needed_repair keep the published
// environment's names and meanings: correct over answered is the accuracy.
type Trace struct {
	TaskID        string             `json:"task_id"`
	ClaimKey      string             `json:"claim_key"`
	Split         string             `json:"split"`
	QuestionID    string             `json:"question_id"`
	ImageSource   string             `json:"image_source"`
	Claim         string             `json:"claim"`
	Label         string             `json:"label"`
	Verdict       *string            `json:"verdict"`    // null when malformed
	Confidence    *float64           `json:"confidence"` // null unless answered
	Outcome       scoring.Outcome    `json:"outcome"`
	Reason        string             `json:"reason"` // why it is malformed
	NeededRepair  int                `json:"needed_repair"`
	Answered      int                `json:"answered"`
	Abstained     int                `json:"abstained"`
	Malformed     int                `json:"malformed"`
	Correct       int                `json:"correct"`
	ConfidenceSum float64            `json:"confidence_sum"`
	BrierSum      float64            `json:"brier_sum"`
	Reward        float64            `json:"reward"`
	Confidences   map[string]float64 `json:"confidences"` // by source, of an answered task
	Sources       *Evidence          `json:"sources,omitempty"`
	Text          string             `json:"text"`
	Thinking      string             `json:"thinking"`
	PromptTokens  int                `json:"prompt_tokens"`
	OutputTokens  int                `json:"output_tokens"`
	Cached        bool               `json:"cached"`            // the answer to an equal task, not asked for again
	SameAs        string             `json:"same_as,omitempty"` // that task's ID
	Durations     TraceDurations     `json:"durations"`
	Image         TraceImage         `json:"image"`
	Endpoint      string             `json:"endpoint"`
	Attempts      int                `json:"attempts"`
	Error         *string            `json:"error"` // null: it was answered
}

// TraceDurations says where a task's time went, in seconds. Wait is the time
// at Candor's own semaphore, Total the server's own account of the request,
// and Other what it does not attribute: its queue and the image's encoding.
type TraceDurations struct {
	Wait     float64 `json:"wait"`
	Load     float64 `json:"load"`
	Prompt   float64 `json:"prompt"`
	Generate float64 `json:"generate"`
	Other    float64 `json:"other"`
	Total    float64 `json:"total"`
}

// TraceImage is the image that was sent: its size in pixels, what it costs in
// visual tokens, and the SHA-256 of the source's bytes and of those sent.
type TraceImage struct {
	SourceSHA256 string `json:"source_sha256"`
	SentSHA256   string `json:"sent_sha256"`
	Width        int    `json:"width"`
	Height       int    `json:"height"`
	Tokens       int    `json:"tokens"`
}

// TaskError is a task that got no answer, one line of errors.jsonl. It is
// asked again on resume.
type TaskError struct {
	TaskID   string          `json:"task_id"`
	Class    infer.Class     `json:"class"`
	Error    string          `json:"error"`
	Endpoint string          `json:"endpoint"`
	At       time.Time       `json:"at"`
	Attempts []infer.Attempt `json:"attempts"`
}

// about says which task the trace is of.
func (t *Trace) about(task Task) {
	t.TaskID, t.ClaimKey, t.Split, t.QuestionID = task.ID, task.Key(), task.Split, task.QuestionID
	t.ImageSource, t.Claim, t.Label = task.ImageSource, task.Text, string(task.Label)
}

// grade writes down what the answer is worth.
func (t *Trace) grade(g verify.Indicators) {
	t.NeededRepair, t.Answered, t.Abstained, t.Malformed = g.NeededRepair, g.Answered, g.Abstained, g.Malformed
	t.Correct, t.ConfidenceSum, t.BrierSum, t.Reward = g.Correct, g.ConfidenceSum, g.BrierSum, g.Reward
}

// Row is the trace as the metrics see it.
func (t Trace) Row() scoring.Row {
	r := scoring.Row{
		ID: t.TaskID, Image: t.ImageSource, Split: t.Split, Outcome: t.Outcome,
		Correct: t.Correct == 1, Repaired: t.NeededRepair == 1, Label: t.Label, Sources: t.Confidences,
	}
	if t.Confidence != nil {
		r.Confidence = *t.Confidence
	}
	if t.Outcome == scoring.Answered && t.Verdict != nil {
		r.Supported = *t.Verdict == string(verify.Supported)
	}
	return r
}
