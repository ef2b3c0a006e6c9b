package verify

import "encoding/json"

// Schema is the JSON schema of an answer, for servers that can constrain what a
// model writes. The verdict comes first, since the confidence is about it, and
// servers keep the order of the properties. It sets no bounds on the confidence:
// the engines do not enforce them, and [Parse] does.
func Schema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` +
		`"verdict":{"type":"string","enum":["SUPPORTED","REFUTED","ABSTAIN"]},` +
		`"confidence":{"type":"number"}},` +
		`"required":["verdict","confidence"],"additionalProperties":false}`)
}
