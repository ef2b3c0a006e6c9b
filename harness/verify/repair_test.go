package verify

import "testing"

const (
	good  = `{"verdict":"SUPPORTED","confidence":0.9}`
	other = `{"verdict":"REFUTED","confidence":0.6}`
)

func TestRepairs(t *testing.T) {
	check(t, []parseCase{
		// Not repairs.
		{"as it stands", text(good), accepted(Supported, .9)},
		{"JSON white space", text(" \t\r\n" + good + "\n"), accepted(Supported, .9)},
		{"inner white space", text("{\n  \"verdict\" : \"SUPPORTED\" ,\n  \"confidence\" : 0.9\n}"), accepted(Supported, .9)},
		{"extra keys", text(`{"why":{"a":[1,{"verdict":"REFUTED"}]},"verdict":"SUPPORTED","confidence":0.9,"x":1,"x":2}`), accepted(Supported, .9)},
		{"order", text(`{"confidence":0.9,"verdict":"SUPPORTED"}`), accepted(Supported, .9)},
		{"NUL escape in extra", text(`{"verdict":"SUPPORTED","confidence":0.9,"x":"\u0000\ud800"}`), accepted(Supported, .9)},
		// What stands around the object.
		{"BOM", text("\uFEFF" + good), repaired(Supported, .9)},
		{"fence", text("```\n" + good + "\n```\n"), repaired(Supported, .9)},
		{"open fence", text("```json\n" + good), repaired(Supported, .9)},
		{"tildes", text("~~~json\n" + good + "\n~~~"), repaired(Supported, .9)},
		{"prose", text("My answer is " + good + ", since I see it."), repaired(Supported, .9)},
		{"array", text("[" + good + "]"), repaired(Supported, .9)},
		{"NUL before", text("\x00" + good), repaired(Supported, .9)},
		{"broken UTF-8 before", text("\xff\xfe{" + good), repaired(Supported, .9)},
		{"no-break space", text("\u00a0" + good), repaired(Supported, .9)},
		{"braces in prose", text("{I think} so: " + good + " {end"), repaired(Supported, .9)},
		{"quote in prose brace", text(`Between {" and "} I say ` + good), repaired(Supported, .9)},
		{"false start", text(`{"verdict":"SUPP` + "\n" + good), repaired(Supported, .9)},
		{"false start on the line", text(`{"verdict":"SUPPORTED", ` + good), repaired(Supported, .9)},
		{"doubled braces", text("{" + good + "}"), repaired(Supported, .9)},
		// Commas, quotes, colons.
		{"trailing comma inside", text(`{"verdict":"SUPPORTED","confidence":0.9,"x":[1,],}`), repaired(Supported, .9)},
		{"curly", text(`{“verdict”: “SUPPORTED”, “confidence”: 0.9}`), repaired(Supported, .9)},
		{"closing only", text(`{”verdict”: ”SUPPORTED”, ”confidence”: 0.9}`), repaired(Supported, .9)},
		{"low-high", text(`{„verdict“: „SUPPORTED“, „confidence“: 0.9}`), repaired(Supported, .9)},
		{"curly single", text(`{‘verdict’: ‘SUPPORTED’, ‘confidence’: 0.9}`), repaired(Supported, .9)},
		{"full-width quotes", text(`{＂verdict＂: ＂SUPPORTED＂, ＂confidence＂: 0.9}`), repaired(Supported, .9)},
		{"mixed quotes", text(`{“verdict": "SUPPORTED”, "confidence": 0.9}`), repaired(Supported, .9)},
		{"curly around straight", text(`{“verdict”: “SUPPORTED”, “confidence”: 0.9, "x": "a “b” c"}`), repaired(Supported, .9)},
		{"curly numeric", text(`{“verdict”: “supported.”, “confidence”: “95 %”}`), repaired(Supported, .95)},
		{"full-width punctuation", text(`{"verdict"："SUPPORTED"，"confidence"：0.9}`), repaired(Supported, .9)},
		{"all full-width", text(`{“verdict”：“SUPPORTED”，“confidence”：“0.9”，}`), repaired(Supported, .9)},
		{"not inside strings", text(`{"verdict":"SUPPORTED","confidence":0.9,"x":"a：b，“c” ＂d＂"}`), accepted(Supported, .9)},
		{"not inside strings, repaired", text(`{"verdict":"SUPPORTED","confidence":0.9,"x":"a：b，“c” ＂d",}`), repaired(Supported, .9)},
		// Duplicate keys.
		{"equal verdicts", text(`{"verdict":"SUPPORTED","verdict":"SUPPORTED","confidence":0.9}`), repaired(Supported, .9)},
		{"equal after repair", text(`{"verdict":"SUPPORTED","verdict":"supported","confidence":0.9}`), repaired(Supported, .9)},
		{"equal confidences", text(`{"verdict":"SUPPORTED","confidence":0.9,"confidence":"90%"}`), repaired(Supported, .9)},
		{"other confidence", text(`{"verdict":"SUPPORTED","confidence":0.9,"confidence":0.8}`), refused(ReasonDuplicateKey)},
		{"one null", text(`{"verdict":"SUPPORTED","confidence":0.9,"confidence":null}`), refused(ReasonDuplicateKey)},
		{"escaped duplicate", text(`{"verdict":"SUPPORTED","\u0076erdict":"REFUTED","confidence":0.9}`), refused(ReasonDuplicateKey)},
		{"equally bad", text(`{"verdict":"SUPPORTED","confidence":"high","confidence":"high"}`), refused(ReasonNonNumeric)},
		{"differently bad", text(`{"verdict":"SUPPORTED","confidence":"high","confidence":"low"}`), refused(ReasonDuplicateKey)},
		{"three", text(`{"verdict":"SUPPORTED","verdict":"SUPPORTED","verdict":"ABSTAIN","confidence":1}`), refused(ReasonDuplicateKey)},
	})
}

func TestNoAnswer(t *testing.T) {
	check(t, []parseCase{
		{"nothing", text(""), refused(ReasonNoObject)},
		{"white space", text(" \n"), refused(ReasonNoObject)},
		{"neither key", text(`{"answer":"SUPPORTED","score":0.9}`), refused(ReasonNoObject)},
		{"empty object", text(`{}`), refused(ReasonNoObject)},
		{"array of values", text(`["SUPPORTED",0.9]`), refused(ReasonNoObject)},
		// Outside the list of repairs.
		{"unquoted keys", text(`{verdict: "SUPPORTED", confidence: 0.9}`), refused(ReasonNoObject)},
		{"single quotes", text(`{'verdict': 'SUPPORTED', 'confidence': 0.9}`), refused(ReasonNoObject)},
		{"unquoted verdict", text(`{"verdict": SUPPORTED, "confidence": 0.9}`), refused(ReasonNoObject)},
		{"unquoted word", text(`{"verdict": "SUPPORTED", "confidence": high}`), refused(ReasonNoObject)},
		{"decimal comma", text(`{"verdict": "SUPPORTED", "confidence": 0,9}`), refused(ReasonNoObject)},
		{"two commas", text(`{"verdict": "SUPPORTED",, "confidence": 0.9}`), refused(ReasonNoObject)},
		{"no comma", text(`{"verdict": "SUPPORTED" "confidence": 0.9}`), refused(ReasonNoObject)},
		{"comment", text(`{"verdict": "SUPPORTED", /* sure */ "confidence": 0.9}`), refused(ReasonNoObject)},
		{"newline in string", text("{\"verdict\": \"SUPPORTED\", \"confidence\": 0.9, \"x\": \"a\nb\"}"), refused(ReasonNoObject)},
		{"bad escape", text(`{"verdict": "SUPPORTED", "confidence": 0.9, "x": "\x41"}`), refused(ReasonNoObject)},
		{"mismatched", text(`{"verdict": "SUPPORTED", "confidence": [0.9}`), refused(ReasonNoObject)},
		{"NaN elsewhere", text(`{"verdict": "SUPPORTED", "confidence": 0.9, "x": NaN}`), refused(ReasonNoObject)},
		{"in a string", text(`"{\"verdict\":\"SUPPORTED\",\"confidence\":0.9}"`), refused(ReasonNoObject)},
		// Inside something else.
		{"nested", text(`{"answer":` + good + `}`), refused(ReasonNoObject)},
		{"nested in what fails", text(`{"answer":` + good + `, oops}`), refused(ReasonNoObject)},
		{"a draft inside a cut answer", text(`{"verdict":"SUPPORTED","confidence":0.9,"not":` + other), refused(ReasonTruncated)},
		{"a draft inside a broken answer", text(`{"verdict":"SUPPORTED","confidence":0.9,"not":` + other + `;}`), refused(ReasonNoObject)},
		// Ends inside its object.
		{"no brace", text(`{"verdict":"SUPPORTED","confidence":0.9`), refused(ReasonTruncated)},
		{"inside a number", text(`{"verdict":"SUPPORTED","confidence":0.`), refused(ReasonTruncated)},
		{"inside a key", text(`Sure: {"verdict":"SUPPORTED","conf`), refused(ReasonTruncated)},
		{"inside an escape", text(`{"verdict":"SUPPORTED\u00`), refused(ReasonTruncated)},
		{"inside curly quotes", text(`{“verdict”:“SUPP`), refused(ReasonTruncated)},
		{"a brace at the end", text(`No object here {`), refused(ReasonNoObject)},
		{"another object at the end", text(`{"a":{"b":`), refused(ReasonNoObject)},
	})
}

func TestSeveralObjects(t *testing.T) {
	check(t, []parseCase{
		{"equal", text(good + "\n" + good), repaired(Supported, .9)},
		{"equal after repair", text(good + ` {"verdict":"Supported","confidence":"90%",}`), repaired(Supported, .9)},
		{"abstentions", text(`{"verdict":"ABSTAIN"}{"verdict":"ABSTAIN","confidence":0.3}`), repaired(Abstain, 0)},
		{"beside no answers", text(`{"a":1} ` + good + ` {}`), repaired(Supported, .9)},
		{"other verdict", text(good + `{"verdict":"REFUTED","confidence":0.9}`), refused(ReasonConflictingObjects)},
		{"other confidence", text(good + `{"verdict":"SUPPORTED","confidence":0.8}`), refused(ReasonConflictingObjects)},
		{"third differs", text(good + good + other), refused(ReasonConflictingObjects)},
		{"one abstains", text(good + `{"verdict":"ABSTAIN"}`), refused(ReasonConflictingObjects)},
		{"one malformed", text(good + `{"verdict":"SUPPORTED"}`), refused(ReasonConflictingObjects)},
		{"split in two", text(`{"verdict":"SUPPORTED"} {"confidence":0.9}`), refused(ReasonConflictingObjects)},
		{"malformed alike", text(`{"verdict":"SUPPORTED"} {"verdict":"SUPPORTED"}`), refused(ReasonMissingConfidence)},
		{"array", text("[" + good + "," + other + "]"), refused(ReasonConflictingObjects)},
		{"fences", text("```json\n" + good + "\n```\nor\n```json\n" + other + "\n```"), refused(ReasonConflictingObjects)},
	})
}

// TestEchoes: a copy of the format is no answer beside one, in whatever form the
// prompt gave it.
func TestEchoes(t *testing.T) {
	beside := func(object string) Reply { return text(object + " " + other) }
	kept := repaired(Refuted, .6)
	check(t, []parseCase{
		{"bars", beside(`{"verdict":"SUPPORTED"|"REFUTED"|"ABSTAIN","confidence":0.0}`), kept},
		{"bars in the string", beside(`{"verdict":"SUPPORTED|REFUTED|ABSTAIN","confidence":0.0}`), kept},
		{"or in the string", beside(`{"verdict":"SUPPORTED or REFUTED or ABSTAIN","confidence":0.5}`), kept},
		{"another order and case", beside(`{"verdict":"one of: abstain, Refuted, supported","confidence":1}`), kept},
		{"with its quotes", beside(`{"verdict":"\"SUPPORTED\" or \"REFUTED\" or \"ABSTAIN\"","confidence":0}`), kept},
		{"straight quotes in curly", beside(`{“verdict”:“SUPPORTED" or "REFUTED" or "ABSTAIN”,“confidence”:0}`), kept},
		{"escaped", beside(`{"verdict":"\u0053UPPORTED\nREFUTED\tABSTAIN","confidence":0}`), kept},
		{"array", beside(`{"verdict":["SUPPORTED","REFUTED","ABSTAIN"],"confidence":0}`), kept},
		{"schema's properties", beside(`{"verdict":{"type":"string","enum":["SUPPORTED","REFUTED","ABSTAIN"]},"confidence":{"type":"number"}}`), kept},
		{"JSON schema", beside(string(Schema())), kept},
		{"dots", beside(`{"verdict": ..., "confidence": ...}`), kept},
		{"dots in strings", beside(`{"verdict":"...","confidence":"..."}`), kept},
		{"ellipses", beside(`{"verdict":"…","confidence":"…"}`), kept},
		{"blank, null", beside(`{"verdict":" ","confidence":null}`), kept},
		{"question mark alone", beside(`{"verdict":"?"}`), kept},
		{"rule, blank", beside(`{"verdict":"____","confidence":""}`), kept},
		{"placeholders", beside(`{"verdict": <verdict>, "confidence": <0-1>}`), kept},
		{"placeholder number", beside(`{"verdict": "SUPPORTED", "confidence": <0-1>}`), kept},
		{"after the answer", text(other + ` {"verdict":"SUPPORTED|REFUTED|ABSTAIN","confidence":0.0}`), kept},
		{"two", beside(`{"verdict":"SUPPORTED|REFUTED|ABSTAIN"} {"verdict":"","confidence":""}`), kept},
		{"alone", text(`{"verdict":"SUPPORTED|REFUTED|ABSTAIN","confidence":0.0}`), refused(ReasonIllegalVerdict)},
		{"blank alone", text(`{"verdict":"","confidence":""}`), refused(ReasonIllegalVerdict)},
	})
}

// TestNoEchoes: an object that says something of its own is an answer, if a bad
// one, and contradicts any other.
func TestNoEchoes(t *testing.T) {
	for _, object := range []string{
		`{"verdict":"UNSURE","confidence":0.5}`,
		// Two of the three: undecided.
		`{"verdict":"REFUTED or ABSTAIN","confidence":0.5}`,
		`{"verdict":"SUPPORTED|REFUTED","confidence":0.0}`,
		`{"verdict":"SUPPORTED or REFUTED or SUPPORTED"}`,
		`{"verdict":["SUPPORTED","REFUTED"],"confidence":0.5}`,
		`{"verdict":"SUPPORTED|REFUTED|ABSTAINED","confidence":0.5}`,
		// A blank verdict, but a confidence that is meant.
		`{"verdict":"","confidence":0.9}`,
		`{"verdict":"?","confidence":0.9}`,
		`{"verdict":"-","confidence":0}`,
		`{"verdict":"...","confidence":"0.9"}`,
		`{"verdict":"...","confidence":"90%"}`,
		`{"verdict":"...","confidence":.9}`,
		`{"verdict":"...","confidence":NaN}`,
		`{"verdict":"...","confidence":"high"}`,
		`{"verdict":"...","confidence":"...","confidence":0.9}`,
		// No string, or more than one.
		`{"verdict":null,"confidence":0.9}`,
		`{"verdict":"SUPPORTED","verdict":"REFUTED","verdict":"ABSTAIN"}`,
		`{"verdict":"...","verdict":"UNSURE"}`,
		`{"confidence":0.9}`,
		// Neither words nor punctuation.
		`{"verdict":"\ud83d\udc4d"}`,
		`{"verdict":"42"}`,
		// A legal verdict is never an echo.
		`{"verdict":"SUPPORTED","confidence":"..."}`,
	} {
		for _, reply := range []string{object + other, other + "\n" + object} {
			checkAnswer(t, Parse(text(reply)), refused(ReasonConflictingObjects))
		}
	}
}
