package verify

import (
	"math"
	"strings"

	"candor/infer"
)

// Alternatives is how many likeliest tokens are asked for at each step: the
// most that servers tell.
const Alternatives = 20

// Masses is the probability that a model gave to each verdict at the token that
// holds its own verdict's first letter. The verdicts part there: no two begin
// alike. They are shares of the raw softmax over the whole vocabulary, so that
// they need not add up to 1.
type Masses struct {
	Supported float64 `json:"supported"`
	Refuted   float64 `json:"refuted"`
	Abstain   float64 `json:"abstain"` // of no part in the confidence
	// Bounded: the other verdict was not among the tokens listed, and the
	// smallest probability listed stands in. The confidence is then the least
	// that it can be.
	Bounded bool `json:"bounded"`
	// Missing says why there is no confidence, "" if there is one.
	Missing string `json:"missing,omitempty"`
}

// Why an answer has no token confidence.
const (
	MissingLogprobs   = "no_logprobs"       // the server told none
	MissingPlace      = "verdict_not_found" // the tokens told are not those of the text
	MissingUnlisted   = "verdict_unlisted"  // the own verdict is not among the tokens listed
	MissingUnreadable = "not_a_logprob"     // a figure that is none: NaN, or above 0
)

// TokenConfidence is P(verdict) / (P(SUPPORTED) + P(REFUTED)) at the token that
// holds the first letter of the verdict v, which [Parse] has read in r. P of a
// verdict sums the listed tokens that, less leading quotes and blanks and what
// the token itself holds before the verdict, are a non-empty beginning of it:
// S, SUP and "SUPPORT of SUPPORTED. It is nil where the own verdict is not
// listed, or where it cannot be told which token that is; a figure is never
// guessed. The letters' case counts: what a model that writes small letters
// would have written otherwise is in other tokens, and v then is missing.
//
// tokens are those of r's text in order, with those of its reasoning before
// them or not.
func TokenConfidence(r Reply, v Verdict, tokens []infer.TokenLogprob) (*float64, Masses) {
	if len(tokens) == 0 {
		return nil, Masses{Missing: MissingLogprobs}
	}
	i, before := verdictToken(r, v, tokens)
	if i < 0 {
		return nil, Masses{Missing: MissingPlace}
	}
	return weigh(v, before, tokens[i].Top)
}

// weigh sums what is listed in place of one token, whose text before the verdict
// is before.
func weigh(v Verdict, before string, top []infer.Alternative) (*float64, Masses) {
	of, least := map[Verdict]float64{}, math.Inf(1) // log-probabilities
	for _, alt := range top {
		lp := alt.Logprob
		if !(lp <= slack) {
			return nil, Masses{Missing: MissingUnreadable}
		}
		lp = min(lp, 0)
		least = min(least, lp)
		if w, ok := beginning(alt.Token, before); ok {
			if _, met := of[w]; !met {
				of[w] = math.Inf(-1)
			}
			of[w] = logSum(of[w], lp)
		}
	}
	rival := Refuted
	if v == Refuted {
		rival = Supported
	}
	m := Masses{Supported: mass(of, Supported), Refuted: mass(of, Refuted), Abstain: mass(of, Abstain)}
	own, listed := of[v]
	if !listed || !(own > -math.MaxFloat64/2) { // listed as impossible
		m.Missing = MissingUnlisted
		return nil, m
	}
	other, listed := of[rival]
	if !listed {
		other, m.Bounded = least, true
		if rival == Supported {
			m.Supported = math.Exp(least)
		} else {
			m.Refuted = math.Exp(least)
		}
	}
	confidence := 1 / (1 + math.Exp(other-own))
	return &confidence, m
}

// slack is how far above 0 rounding may put a log-probability.
const slack = 1e-4

// logSum is ln(eᵃ + eᵇ).
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if b < -math.MaxFloat64/2 {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

func mass(of map[Verdict]float64, v Verdict) float64 {
	lp, ok := of[v]
	if !ok {
		return 0
	}
	return min(math.Exp(lp), 1)
}

// beginning tells of which verdict a token is the beginning.
func beginning(token, before string) (Verdict, bool) {
	said := strings.TrimLeft(strings.TrimPrefix(token, before), leading)
	if said == "" {
		return "", false
	}
	for _, v := range [...]Verdict{Supported, Refuted, Abstain} {
		if strings.HasPrefix(string(v), said) {
			return v, true
		}
	}
	return "", false
}

// leading is what may stand before a verdict in its token.
const leading = " \t\r\n\"'“”„‟＂‘’"

// verdictToken finds the token that holds the verdict's first letter, and what
// that token holds before it; −1 if the tokens do not tell. The text's place
// among the tokens is where it stands last: a reasoning comes before it.
func verdictToken(r Reply, v Verdict, tokens []infer.TokenLogprob) (i int, before string) {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Token)
	}
	joined := b.String()
	at := verdictAt(r.Text, v)
	if from := strings.LastIndex(joined, r.Text); at >= 0 && from >= 0 {
		at += from
	} else if at = verdictAt(joined, v); at < 0 { // a character cut over two tokens reads otherwise there
		return -1, ""
	}
	for i, t := range tokens {
		if at < len(t.Token) {
			return i, t.Token[:at]
		}
		at -= len(t.Token)
	}
	return -1, ""
}

// verdictAt is the byte at which the first answer that says v begins to say it;
// −1 if none does, or only in an escaped spelling.
func verdictAt(text string, v Verdict) int {
	if len(text) > MaxText {
		return -1
	}
	blocks, closed := reasoningBlocks(text)
	if !closed {
		return -1
	}
	at := -1
	bare := blanked(text, blocks)
	scan(bare, func(o *object) {
		if at >= 0 || len(o.verdicts) == 0 {
			return
		}
		if r := o.read(bare); r.echo || r.reason != "" || r.verdict != v {
			return
		}
		t := o.verdicts[0]
		if i := strings.IndexByte(upperASCII(bare[t.start:t.end]), v[0]); i >= 0 {
			at = t.start + i
		}
	}, nil)
	return at
}

// blanked is the text with blanks in place of the spans, of the same length.
func blanked(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	b := []byte(text)
	for _, s := range spans {
		for i := s.start; i < s.end; i++ {
			b[i] = ' '
		}
	}
	return string(b)
}
