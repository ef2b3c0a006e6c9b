package verify_test

import (
	"math"
	"strings"
	"testing"

	"candor/harness/verify"
	"candor/infer"
)

// listed makes the alternatives of one token: probabilities by text.
func listed(pairs ...any) []infer.Alternative {
	var out []infer.Alternative
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, infer.Alternative{Token: pairs[i].(string), Logprob: math.Log(pairs[i+1].(float64))})
	}
	return out
}

// said cuts a text at the bars into tokens; the one that begins with mark gets
// the alternatives, every other one those of a model that is sure.
func said(text, mark string, top []infer.Alternative) []infer.TokenLogprob {
	var out []infer.TokenLogprob
	for _, tok := range strings.Split(text, "|") {
		t := infer.TokenLogprob{Token: tok, Top: listed(tok, .999, "R", .0005, "S", .0005)}
		if tok == mark {
			t.Top = top
		}
		out = append(out, t)
	}
	return out
}

// Each row is an answer, cut into tokens, what was listed at one of them, and
// the confidence that follows from it.
func TestTokenConfidence(t *testing.T) {
	const impossible = -math.MaxFloat64
	for _, row := range []struct {
		name    string
		tokens  string // of the text; bars part tokens
		mark    string
		top     []infer.Alternative
		verdict verify.Verdict
		want    float64 // NaN: missing
		bounded bool
		missing string
	}{
		{"two whole verdicts", `{"verdict": "|SUPPORTED|", "confidence": 0.9}`, "SUPPORTED", listed("SUPPORTED", .6, "REFUTED", .2, "ABSTAIN", .1), verify.Supported, .75, false, ""},
		{"a verdict over several tokens is told by the first", `{"verdict": "|SUP|POR|TED|", "confidence": 0.9}`, "SUP", listed("SUP", .3, "RE", .1, "AB", .5), verify.Supported, .75, false, ""},
		{"pieces of one verdict add up", `{"verdict": "|REF|UTED|", "confidence": 0.9}`, "REF", listed("REF", .3, "R", .2, "REFUTED", .1, "S", .1, "SU", .1), verify.Refuted, .75, false, ""},
		{"a quote may be part of the token", `{"verdict":| "SUPPORTED|", "confidence": 0.9}`, ` "SUPPORTED`, listed(` "SUPPORTED`, .3, ` "REF`, .1), verify.Supported, .75, false, ""},
		{"and a blank", `{"verdict": "| SUPPORTED|", "confidence": 0.9}`, ` SUPPORTED`, listed(` SUPPORTED`, .3, `REF`, .05, " REF", .05), verify.Supported, .75, false, ""},
		{"what else stands before it in the token counts for all", `{"verdict|": "SUP|PORTED", "confidence": 0.9}`, `": "SUP`, listed(`": "SUP`, .3, `": "R`, .1), verify.Supported, .75, false, ""},
		{"a curly quote", `{“verdict”: |“SUP|PORTED”, “confidence”: 0.9}`, `“SUP`, listed(`“SUP`, .3, `“REF`, .1), verify.Supported, .75, false, ""},
		{"a tie", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", listed("R", .4, "S", .4), verify.Supported, .5, false, ""},
		{"the less likely verdict was drawn", `{"verdict": "|R|EFUTED", "confidence": 0.9}`, "R", listed("S", .75, "R", .25), verify.Refuted, .25, false, ""},
		{"words that begin alike are no verdicts", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", listed("S", .3, "SUPER", .3, "R", .1, "REST", .2, "s", .05), verify.Supported, .75, false, ""},
		{"a quote alone and nothing at all are no verdicts", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", listed("S", .3, `"`, .3, "", .2, "R", .1), verify.Supported, .75, false, ""},
		{"the rival is not listed: the smallest stands in", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", listed("S", .9, "x", .06, "y", .03), verify.Supported, .9 / .93, true, ""},
		{"ABSTAIN is no rival", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", listed("S", .3, "A", .3, "y", .1), verify.Supported, .75, true, ""},
		{"the own verdict is not listed", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", listed("R", .9, "x", .06), verify.Supported, math.NaN(), false, verify.MissingUnlisted},
		{"nothing is listed", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", nil, verify.Supported, math.NaN(), false, verify.MissingUnlisted},
		{"small letters are other tokens", `{"verdict": "|supported|", "confidence": 0.9}`, "supported", listed("supported", .9, "refuted", .06), verify.Supported, math.NaN(), false, verify.MissingUnlisted},
		{"an impossible rival", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", []infer.Alternative{{Token: "S", Logprob: -1}, {Token: "R", Logprob: impossible}}, verify.Supported, 1, false, ""},
		{"minus infinity", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", []infer.Alternative{{Token: "S", Logprob: -1}, {Token: "R", Logprob: math.Inf(-1)}}, verify.Supported, 1, false, ""},
		{"an impossible verdict of one's own", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", []infer.Alternative{{Token: "R", Logprob: -1}, {Token: "S", Logprob: impossible}}, verify.Supported, math.NaN(), false, verify.MissingUnlisted},
		{"both so unlikely that no float64 holds them", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", []infer.Alternative{{Token: "x", Logprob: 0}, {Token: "S", Logprob: -900}, {Token: "R", Logprob: -900 - math.Log(3)}}, verify.Supported, .75, false, ""},
		{"NaN", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", []infer.Alternative{{Token: "S", Logprob: math.NaN()}, {Token: "R", Logprob: -1}}, verify.Supported, math.NaN(), false, verify.MissingUnreadable},
		{"above 0", `{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", []infer.Alternative{{Token: "S", Logprob: 2}, {Token: "R", Logprob: -1}}, verify.Supported, math.NaN(), false, verify.MissingUnreadable},
		{"prose before it names the other verdict", `It is not |REFUTED|: {"verdict": "|SUPPORTED|", "confidence": 0.9}`, "SUPPORTED", listed("S", .3, "R", .1), verify.Supported, .75, false, ""},
		{"reasoning before it has an answer too", `<think>{"verdict": "|SUP|PORTED", "confidence": 1}</think>{"verdict": "|SUPP|ORTED", "confidence": 0.9}`, "SUPP", listed("SUPP", .3, "R", .1), verify.Supported, .75, false, ""},
		{"an echo of the format comes first", `{"verdict": "SUPPORTED, REFUTED or ABSTAIN"} {"verdict": "|REF|UTED", "confidence": 0.9}`, "REF", listed("R", .3, "S", .1), verify.Refuted, .75, false, ""},
		{"several that agree: the first", `{"verdict": "|REF|UTED", "confidence": 0.9} {"verdict": "REFUTED", "confidence": 0.9}`, "REF", listed("R", .3, "S", .1), verify.Refuted, .75, false, ""},
		{"the confidence comes first", `{"confidence": 0.9, "verdict": "|REF|UTED"}`, "REF", listed("R", .3, "S", .1), verify.Refuted, .75, false, ""},
		{"an escaped spelling has no letter to find", `{"verdict": "|\u0052EFUTED|", "confidence": 0.9}`, `\u0052EFUTED`, listed("R", .3, "S", .1), verify.Refuted, math.NaN(), false, verify.MissingPlace},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := strings.ReplaceAll(row.tokens, "|", "")
			r := verify.Reply{Text: text}
			if a := verify.Parse(r); a.Verdict != row.verdict {
				t.Fatalf("the parser reads %q", a.Verdict)
			}
			got, m := verify.TokenConfidence(r, row.verdict, said(row.tokens, row.mark, row.top))
			if (got == nil) != math.IsNaN(row.want) || got != nil && math.Abs(*got-row.want) > 1e-12 {
				t.Errorf("confidence %v, want %v (%+v)", got, row.want, m)
			}
			if m.Bounded != row.bounded || m.Missing != row.missing || (got == nil) != (m.Missing != "") {
				t.Errorf("%+v", m)
			}
		})
	}
}

// The reasoning that a server keeps apart stands before the text among the
// tokens; a text that the tokens do not hold has no place there.
func TestTokenConfidencePlace(t *testing.T) {
	text := `{"verdict": "SUPPORTED", "confidence": 0.9}`
	top := listed("S", .3, "R", .1)
	apart := append(said(`I think {"verdict": "SUPPORTED", "confidence": 1}.|</think>`, "", nil), said(`{"verdict": "|SUP|PORTED", "confidence": 0.9}`, "SUP", top)...)
	// U+FFFD is how a piece of a character reads; the text has the whole.
	torn := said("\uFFFD|\uFFFD| "+`{"verdict": "|SUP|PORTED", "confidence": 0.9}`, "SUP", top)
	for name, row := range map[string]struct {
		text   string
		tokens []infer.TokenLogprob
		want   string
	}{
		"reasoning apart":       {text, apart, ""},
		"a character in pieces": {"é " + text, torn, ""},
		"another text":          {text, said("No.", "", nil), verify.MissingPlace},
		"none":                  {text, nil, verify.MissingLogprobs},
	} {
		got, m := verify.TokenConfidence(verify.Reply{Text: row.text}, verify.Supported, row.tokens)
		if m.Missing != row.want || (got != nil) != (row.want == "") || got != nil && math.Abs(*got-.75) > 1e-12 {
			t.Errorf("%s: %v, %+v", name, got, m)
		}
	}
}

// ABSTAIN's share is told apart, and none of it in the confidence.
func TestMasses(t *testing.T) {
	_, m := verify.TokenConfidence(verify.Reply{Text: `{"verdict": "SUPPORTED", "confidence": 0.9}`}, verify.Supported,
		said(`{"verdict": "|S|UPPORTED", "confidence": 0.9}`, "S", listed("S", .3, "A", .2, "AB", .1, "R", .1)))
	for name, f := range map[string][2]float64{"supported": {m.Supported, .3}, "refuted": {m.Refuted, .1}, "abstain": {m.Abstain, .3}} {
		if math.Abs(f[0]-f[1]) > 1e-12 {
			t.Errorf("%s %v, want %v", name, f[0], f[1])
		}
	}
}
