package verify

import (
	"strings"
	"testing"

	"candor/scoring"
)

// want is an expected answer: a verdict and confidence, or a reason.
type want struct {
	verdict    Verdict
	confidence float64 // answered only
	repaired   bool
	reason     string
}

func accepted(v Verdict, c float64) want { return want{verdict: v, confidence: c} }
func repaired(v Verdict, c float64) want { return want{verdict: v, confidence: c, repaired: true} }
func refused(reason string) want         { return want{reason: reason} }

type parseCase struct {
	name  string
	reply Reply
	want  want
}

func text(s string) Reply { return Reply{Text: s} }

// answer is a whole legal reply but for its confidence, which is given as JSON.
func answer(confidence string) Reply {
	return text(`{"verdict":"SUPPORTED","confidence":` + confidence + `}`)
}

// verdict is a whole legal reply but for its verdict, which is given as JSON.
func verdict(v string) Reply { return text(`{"verdict":` + v + `,"confidence":0.9}`) }

func check(t *testing.T, cases []parseCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Helper()
			got := Parse(c.reply)
			checkAnswer(t, got, c.want)
			if err := invalid(got); err != "" {
				t.Error(err)
			}
		})
	}
}

func checkAnswer(t *testing.T, got Answer, w want) {
	t.Helper()
	outcome := scoring.Answered
	switch {
	case w.reason != "":
		outcome = scoring.Malformed
	case w.verdict == Abstain:
		outcome = scoring.Abstained
	}
	if got.Outcome != outcome || got.Verdict != w.verdict || got.NeededRepair != w.repaired || got.Reason != w.reason {
		t.Errorf("got %s %q repaired=%v reason=%q, want %s %q repaired=%v reason=%q",
			got.Outcome, got.Verdict, got.NeededRepair, got.Reason, outcome, w.verdict, w.repaired, w.reason)
	}
	if outcome == scoring.Answered && got.Confidence != nil && *got.Confidence != w.confidence {
		t.Errorf("confidence %v, want %v", *got.Confidence, w.confidence)
	}
}

// TestPublishedFaults holds inputs that broke other people's tools.
func TestPublishedFaults(t *testing.T) {
	check(t, []parseCase{
		{"fence", text("```json\n{\"verdict\":\"SUPPORTED\",\"confidence\":0.9}\n```"), repaired(Supported, .9)},
		{"trailing comma", text(`{"verdict":"SUPPORTED","confidence":0.9,}`), repaired(Supported, .9)},
		{"percent", answer(`"95%"`), repaired(Supported, .95)},
		{"no guess", answer(`95`), refused(ReasonOutOfRange)},
		{"numeric string", answer(`"0.8"`), repaired(Supported, .8)},
		{"label", answer(`"high"`), refused(ReasonNonNumeric)},
		{"cut by the limit", Reply{Text: `{"verdict":"SUPPORTED","confidence":"` + strings.Repeat("high", 1000), DoneReason: "length"}, refused(ReasonTruncated)},
		{"cut, limit untold", text(`{"verdict":"SUPPORTED","confidence":"` + strings.Repeat("high", 1000)), refused(ReasonTruncated)},
		{"NaN", answer(`NaN`), refused(ReasonNotFinite)},
		{"Infinity", answer(`Infinity`), refused(ReasonNotFinite)},
		{"-Infinity", answer(`-Infinity`), refused(ReasonNotFinite)},
		{"1e999", answer(`1e999`), refused(ReasonOutOfRange)},
		{"duplicate", text(`{"verdict":"SUPPORTED","verdict":"REFUTED","confidence":0.9}`), refused(ReasonDuplicateKey)},
		{"braces in thinking", text(`<think>the format is {verdict: ...}</think>{"verdict":"SUPPORTED","confidence":0.7}`), accepted(Supported, .7)},
		{"dangling close", text("I see a dog.\n</think>\n{\"verdict\":\"SUPPORTED\",\"confidence\":0.7}"), accepted(Supported, .7)},
		{"unclosed", text(`<think>Let me look … {"verdict":"SUPPORTED","confidence":0.9}`), refused(ReasonTruncated)},
		{"in thinking", Reply{Thinking: `{"verdict":"SUPPORTED","confidence":0.9}`}, refused(ReasonOnlyInThinking)},
		{"lower case", verdict(`"supported"`), repaired(Supported, .9)},
		{"full stop", verdict(`"Supported."`), repaired(Supported, .9)},
		{"blanks", verdict(`" SUPPORTED "`), repaired(Supported, .9)},
		{"words", text(`No, I cannot tell whether there is a dog. Yes it might.`), refused(ReasonNoObject)},
		{"failure text", text(`Failed to obtain answer via API.`), refused(ReasonNoObject)},
		{"above", answer(`1.2`), refused(ReasonOutOfRange)},
		{"below", answer(`-0.1`), refused(ReasonOutOfRange)},
		{"just above", answer(`1.0000001`), refused(ReasonOutOfRange)},
		{"negative zero", answer(`-0.0`), accepted(Supported, 0)},
		{"no confidence", text(`{"verdict":"ABSTAIN"}`), accepted(Abstain, 0)},
		{"bad confidence", text(`{"verdict":"ABSTAIN","confidence":"n/a"}`), accepted(Abstain, 0)},
		{"absent", text(`{"verdict":"SUPPORTED"}`), refused(ReasonMissingConfidence)},
		{"null", answer(`null`), refused(ReasonMissingConfidence)},
		{"empty", answer(`""`), refused(ReasonMissingConfidence)},
		{"true", answer(`true`), refused(ReasonNonNumeric)},
		{"array", answer(`[0.9]`), refused(ReasonNonNumeric)},
		{"free text", text("Verdict: SUPPORTED\nConfidence: 0.83"), refused(ReasonNoObject)},
		{"decimal comma", answer(`"0,9"`), refused(ReasonNonNumeric)},
		{"braces", text(strings.Repeat("{", 10<<20)), refused(ReasonOversized)},
		{"brackets", text(strings.Repeat("[", 100_000)), refused(ReasonNoObject)},
		{"schema echo", text(`{"verdict": "SUPPORTED" | "REFUTED" | "ABSTAIN", "confidence": 0.0}` + "\n" + `{"verdict":"REFUTED","confidence":0.6}`), repaired(Refuted, .6)},
	})
}

func TestVerdicts(t *testing.T) {
	check(t, []parseCase{
		// Legal as they stand, however JSON spells them.
		{"plain", verdict(`"REFUTED"`), accepted(Refuted, .9)},
		{"escaped value", verdict(`"\u0053UPPORTED"`), accepted(Supported, .9)},
		{"escaped key", text(`{"\u0076erdict":"SUPPORTED","confi\u0064ence":0.9}`), accepted(Supported, .9)},
		{"key all escaped", text(`{"verdict":"REFUTED","\u0063\u006f\u006e\u0066\u0069\u0064\u0065\u006e\u0063\u0065":1}`), accepted(Refuted, 1)},
		// Case and surrounding punctuation or blanks.
		{"bold", verdict(`"**Supported**"`), repaired(Supported, .9)},
		{"code", verdict("\"`REFUTED`\""), repaired(Refuted, .9)},
		{"inner quotes", verdict(`"\"SUPPORTED\""`), repaired(Supported, .9)},
		{"inner curly quotes", verdict(`"“SUPPORTED”"`), repaired(Supported, .9)},
		{"brackets", verdict(`"<SUPPORTED>"`), repaired(Supported, .9)},
		{"exclamation", verdict("\"`supported`!\""), repaired(Supported, .9)},
		{"newline", verdict(`"SUPPORTED\n"`), repaired(Supported, .9)},
		{"no-break space", verdict("\"SUPPORTED\u00a0\""), repaired(Supported, .9)},
		{"full-width stop", verdict(`"SUPPORTED。"`), repaired(Supported, .9)},
		{"abstain", text(`{"verdict":"Abstain."}`), repaired(Abstain, 0)},
		// Not one of the three words, so nothing is guessed.
		{"denied", verdict(`"!SUPPORTED"`), refused(ReasonIllegalVerdict)},
		{"struck through", verdict(`"~~SUPPORTED~~"`), refused(ReasonIllegalVerdict)},
		{"part", verdict(`"SUPPORT"`), refused(ReasonIllegalVerdict)},
		{"not", verdict(`"NOT SUPPORTED"`), refused(ReasonIllegalVerdict)},
		{"two", verdict(`"SUPPORTED REFUTED"`), refused(ReasonIllegalVerdict)},
		{"long s", verdict(`"ſupported"`), refused(ReasonIllegalVerdict)},
		{"full-width letters", verdict(`"ＳＵＰＰＯＲＴＥＤ"`), refused(ReasonIllegalVerdict)},
		{"yes", verdict(`"yes"`), refused(ReasonIllegalVerdict)},
		{"empty", verdict(`""`), refused(ReasonIllegalVerdict)},
		{"null", verdict(`null`), refused(ReasonIllegalVerdict)},
		{"true", verdict(`true`), refused(ReasonIllegalVerdict)},
		{"array", verdict(`["SUPPORTED"]`), refused(ReasonIllegalVerdict)},
		{"absent", text(`{"confidence":0.9}`), refused(ReasonIllegalVerdict)},
		{"broken UTF-8", verdict("\"SUPPORTED\xff\""), refused(ReasonIllegalVerdict)},
		// The verdict is judged first.
		{"both bad", text(`{"verdict":"MAYBE","confidence":95}`), refused(ReasonIllegalVerdict)},
		// Names are exact.
		{"other case", text(`{"Verdict":"SUPPORTED","Confidence":0.9}`), refused(ReasonNoObject)},
		{"one exact", text(`{"verdict":"SUPPORTED","Confidence":0.9}`), refused(ReasonMissingConfidence)},
		{"blank in key", text(`{"verdict ":"SUPPORTED","confidence":0.9}`), refused(ReasonIllegalVerdict)},
	})
}

func TestConfidences(t *testing.T) {
	check(t, []parseCase{
		// JSON numbers, whatever their form.
		{"zero", answer(`0`), accepted(Supported, 0)},
		{"one", answer(`1`), accepted(Supported, 1)},
		{"exponent", answer(`9e-1`), accepted(Supported, .9)},
		{"EXPONENT", answer(`0.09E+1`), accepted(Supported, .9)},
		{"underflow", answer(`1e-999`), accepted(Supported, 0)},
		{"long exponent", answer(`1e-` + strings.Repeat("9", 50)), accepted(Supported, 0)},
		// Of any length.
		{"long integer", answer(`1` + strings.Repeat("0", 800) + `e-800`), accepted(Supported, 1)},
		{"nines", answer(strings.Repeat("9", 20_000) + `e-20000`), accepted(Supported, 1)},
		{"long fraction", answer(`0.` + strings.Repeat("0", 200_000) + `9e200000`), accepted(Supported, .9)},
		{"long percentage", answer(`"9` + strings.Repeat("0", 900) + `e-899%"`), repaired(Supported, .9)},
		{"long bare percentage", answer(`0.` + strings.Repeat("0", 20_000) + `9e20002%`), repaired(Supported, .9)},
		{"long and above", answer(`1` + strings.Repeat("0", 801) + `e-800`), refused(ReasonOutOfRange)},
		{"long and below", answer(`-1` + strings.Repeat("0", 800) + `e-800`), refused(ReasonOutOfRange)},
		{"one and less than a float64 shows", answer(`1.` + strings.Repeat("0", 900) + `1`), accepted(Supported, 1)},
		// Decimal literals in strings.
		{"no whole part", answer(`".4"`), repaired(Supported, .4)},
		{"no fraction", answer(`"1."`), repaired(Supported, 1)},
		{"plus", answer(`"+0.4"`), repaired(Supported, .4)},
		{"leading zeros", answer(`"00.9"`), repaired(Supported, .9)},
		{"blanks", answer(`" 0.8\t"`), repaired(Supported, .8)},
		{"string exponent", answer(`"8e-1"`), repaired(Supported, .8)},
		{"string zero", answer(`"-0"`), repaired(Supported, 0)},
		{"string 95", answer(`"95"`), refused(ReasonOutOfRange)},
		{"string below", answer(`"-.1"`), refused(ReasonOutOfRange)},
		// Decimal literals that JSON would only allow in a string.
		{"bare no whole part", answer(`.9`), repaired(Supported, .9)},
		{"bare no fraction", answer(`1.`), repaired(Supported, 1)},
		{"bare plus", answer(`+0.9`), repaired(Supported, .9)},
		// Percentages are shifted in their text: 53.3/100 is 0.5329999999999999.
		{"53.3%", answer(`"53.3%"`), repaired(Supported, .533)},
		{"95 %", answer(`"95 %"`), repaired(Supported, .95)},
		{"no-break", answer("\"95\u202f%\""), repaired(Supported, .95)},
		{"blanks around percent", answer(`" 95% "`), repaired(Supported, .95)},
		{"0.5%", answer(`"0.5%"`), repaired(Supported, .005)},
		{"100%", answer(`"100%"`), repaired(Supported, 1)},
		{"0%", answer(`"0%"`), repaired(Supported, 0)},
		{".5%", answer(`".5%"`), repaired(Supported, .005)},
		{"1e2%", answer(`"1e2%"`), repaired(Supported, 1)},
		{"exponent%", answer(`"9500e-2 %"`), repaired(Supported, .95)},
		{"full-width %", answer(`"95％"`), repaired(Supported, .95)},
		{"bare 95%", answer(`95%`), repaired(Supported, .95)},
		{"bare 95 %", answer(`95 %`), repaired(Supported, .95)},
		{"100.1%", answer(`"100.1%"`), refused(ReasonOutOfRange)},
		{"-5%", answer(`"-5%"`), refused(ReasonOutOfRange)},
		{"1e999%", answer(`"1e99999999999999999999%"`), refused(ReasonOutOfRange)},
		{"tiny%", answer(`"1e-99999999999999999999%"`), repaired(Supported, 0)},
		{"two signs", answer(`"95%%"`), refused(ReasonNonNumeric)},
		{"sign first", answer(`"%95"`), refused(ReasonNonNumeric)},
		{"sign only", answer(`"%"`), refused(ReasonNonNumeric)},
		{"per cent", answer(`"95 percent"`), refused(ReasonNonNumeric)},
		// Finite as written, but no float64 holds it.
		{"-1e999", answer(`-1e999`), refused(ReasonOutOfRange)},
		{"string 1e999", answer(`"1e999"`), refused(ReasonOutOfRange)},
		// Not finite, or not decimal: strconv.ParseFloat would take them all.
		{"string NaN", answer(`"NaN"`), refused(ReasonNotFinite)},
		{"nan", answer(`nan`), refused(ReasonNotFinite)},
		{"-nan", answer(`"-nan"`), refused(ReasonNotFinite)},
		{"inf", answer(`inf`), refused(ReasonNotFinite)},
		{"string +Inf", answer(`"+Inf"`), refused(ReasonNotFinite)},
		{"string infinity", answer(`" infinity "`), refused(ReasonNotFinite)},
		{"hex", answer(`0x1p-1`), refused(ReasonNotFinite)},
		{"string hex", answer(`"0x1p-1"`), refused(ReasonNotFinite)},
		{"hex integer", answer(`0x1`), refused(ReasonNotFinite)},
		{"hex point", answer(`"-0X.8P0"`), refused(ReasonNotFinite)},
		// No number at all.
		{"underscore", answer(`"0_9"`), refused(ReasonNonNumeric)},
		{"two points", answer(`"0.9.1"`), refused(ReasonNonNumeric)},
		{"two signs of number", answer(`"--0.9"`), refused(ReasonNonNumeric)},
		{"mixed signs", answer(`"+-0.9"`), refused(ReasonNonNumeric)},
		{"point only", answer(`"."`), refused(ReasonNonNumeric)},
		{"open exponent", answer(`"1e"`), refused(ReasonNonNumeric)},
		{"open hex", answer(`"0x"`), refused(ReasonNonNumeric)},
		{"fraction", answer(`"9/10"`), refused(ReasonNonNumeric)},
		{"about", answer(`"~0.9"`), refused(ReasonNonNumeric)},
		{"with words", answer(`"0.9 (high)"`), refused(ReasonNonNumeric)},
		{"range", answer(`"0.8-0.9"`), refused(ReasonNonNumeric)},
		{"Arabic digits", answer(`"٠٫٩"`), refused(ReasonNonNumeric)},
		{"full-width digits", answer(`"０.９"`), refused(ReasonNonNumeric)},
		{"false", answer(`false`), refused(ReasonNonNumeric)},
		{"True", answer(`True`), refused(ReasonNonNumeric)},
		{"None", answer(`None`), refused(ReasonNonNumeric)},
		{"bare N/A", answer(`N/A`), refused(ReasonNonNumeric)},
		{"object", answer(`{"value":0.9}`), refused(ReasonNonNumeric)},
		{"empty object", answer(`{}`), refused(ReasonNonNumeric)},
		{"string null", answer(`"null"`), refused(ReasonNonNumeric)},
		{"blank string", answer(`" \n"`), refused(ReasonMissingConfidence)},
	})
}

func TestAbstain(t *testing.T) {
	abstain := func(rest string) Reply { return text(`{"verdict":"ABSTAIN"` + rest + `}`) }
	check(t, []parseCase{
		{"good confidence", abstain(`,"confidence":0.5`), accepted(Abstain, 0)},
		{"out of range", abstain(`,"confidence":95`), accepted(Abstain, 0)},
		{"null", abstain(`,"confidence":null`), accepted(Abstain, 0)},
		{"array", abstain(`,"confidence":[1,2]`), accepted(Abstain, 0)},
		{"conflicting", abstain(`,"confidence":0.1,"confidence":0.9`), repaired(Abstain, 0)},
		{"equal", abstain(`,"confidence":0.9,"confidence":0.9`), repaired(Abstain, 0)},
		{"equally bad", abstain(`,"confidence":null,"confidence":null`), repaired(Abstain, 0)},
		{"twice before", text(`{"confidence":1,"confidence":1,"verdict":"ABSTAIN"}`), repaired(Abstain, 0)},
		{"before", text(`{"confidence":"low","verdict":"ABSTAIN"}`), accepted(Abstain, 0)},
		// The object is not JSON, so it did need repair.
		{"NaN", abstain(`,"confidence":NaN`), repaired(Abstain, 0)},
		{"bare N/A", abstain(`,"confidence":N/A`), repaired(Abstain, 0)},
		{"cut off", Reply{Text: `{"verdict":"ABSTAIN"}`, DoneReason: "length"}, refused(ReasonTruncated)},
	})
}
