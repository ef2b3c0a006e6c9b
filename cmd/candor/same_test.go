package main

import (
	"encoding/json"
)

// sameJSON is "same FILE FILE PATH…": in both JSON documents the same stands
// at each PATH, to the last digit.
func sameJSON(ts *script, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: same FILE FILE PATH…")
	}
	var docs [2]any
	for i := range docs {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[i])), &docs[i]))
	}
	for _, path := range args[2:] {
		a, err := json.Marshal(at(ts, docs[0], path))
		ts.Check(err)
		b, err := json.Marshal(at(ts, docs[1], path))
		ts.Check(err)
		if string(a) != string(b) {
			ts.Fatalf("%s is %s in %s and %s in %s", path, a, args[0], b, args[1])
		}
	}
}
