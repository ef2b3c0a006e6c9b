// Package verify is the task itself: it asks a model whether a claim about an
// image is true, and reads what the model says back.
//
// It holds the two ends of one question. At one end the [Prompt], which states
// the verdicts, what confidence means and how the answer is paid, and the
// [Schema] a server may constrain the answer with. At the other end [Parse],
// which turns a raw reply into an [Answer] without ever inventing a figure: a
// reply is read as it stands, or after repairs from a short fixed list that are
// counted, or it is malformed for a reason from a fixed list. [Grade] pays the
// answer.
package verify

import "candor/scoring"

// Verdict is what a model says of a claim. The empty Verdict is none: the
// reply was malformed.
type Verdict string

// The three verdicts.
const (
	Supported Verdict = "SUPPORTED" // the claim is true of the image
	Refuted   Verdict = "REFUTED"   // the claim is false of the image
	Abstain   Verdict = "ABSTAIN"   // too unsure to call it
)

// Reply is what a server returned for one request.
type Reply struct {
	Text     string // the message itself
	Thinking string // reasoning the server kept apart from the message
	// DoneReason is why generation ended. "length" means that the reply was
	// cut off; "repeated" that the engine stopped the model for repeating
	// itself. Any other value says nothing about the answer.
	DoneReason string
}

// Answer is what [Parse] makes of a reply.
type Answer struct {
	Verdict      Verdict         // "" when malformed
	Confidence   *float64        // in [0, 1]; nil unless answered
	Outcome      scoring.Outcome // answered, abstained or malformed
	NeededRepair bool            // accepted, but not as it stood; false when malformed
	Reason       string          // one of [Reasons] when malformed, else ""
}

// Why a reply is malformed.
const (
	ReasonNoObject           = "no_object"           // no JSON object with either key
	ReasonIllegalVerdict     = "illegal_verdict"     // verdict absent, or none of the three
	ReasonMissingConfidence  = "missing_confidence"  // confidence absent, null or blank
	ReasonNonNumeric         = "non_numeric"         // confidence is no number
	ReasonOutOfRange         = "out_of_range"        // confidence outside [0, 1]; a bare 95
	ReasonNotFinite          = "not_finite"          // confidence is NaN, infinite or hexadecimal
	ReasonDuplicateKey       = "duplicate_key"       // one key twice, with different values
	ReasonConflictingObjects = "conflicting_objects" // several objects that do not agree
	ReasonTruncated          = "truncated"           // cut off, or ended inside its reasoning
	ReasonRepeated           = "repeated"            // stopped by the engine for repeating itself
	ReasonOnlyInThinking     = "only_in_thinking"    // an answer in the reasoning, none outside
	ReasonOversized          = "oversized"           // text above [MaxText]
)

// Reasons lists every reason, in the order of their declaration.
func Reasons() []string {
	return []string{
		ReasonNoObject, ReasonIllegalVerdict, ReasonMissingConfidence, ReasonNonNumeric,
		ReasonOutOfRange, ReasonNotFinite, ReasonDuplicateKey, ReasonConflictingObjects,
		ReasonTruncated, ReasonRepeated, ReasonOnlyInThinking, ReasonOversized,
	}
}
