package answers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"candor/scoring"
)

// The codes of warnings about a file. They tell a model's failings, which are
// scored, from what may be the file's own.
const (
	WarnMissingKeys     = "missing_keys"     // rows without the key verdict or confidence
	WarnNullConfidence  = "null_confidence"  // rows with a verdict whose confidence is null
	WarnUnknownVerdicts = "unknown_verdicts" // verdicts of another spelling
)

// oddities counts the rows that are malformed only by how they are written. A
// row that says it is malformed, or whose verdict is null, means it.
type oddities struct {
	absent  map[string]int             // key → rows without it
	instead map[string]map[string]bool // key → keys of no meaning that those rows have
	nulls   int
	unknown int      // rows
	spelt   []string // the first few different unknown verdicts
}

// mostShown is how many keys or verdicts a message shows.
const mostShown = 5

func (o *oddities) note(keys fields, row scoring.Row) {
	stated, _ := keys["outcome"].text()
	verdict := keys["verdict"]
	if row.Outcome != scoring.Malformed || stated == string(scoring.Malformed) || verdict != nil && verdict.missing() {
		return
	}
	if verdict == nil {
		o.lacks("verdict", keys)
	} else if text, _ := verdict.text(); text != supported && text != refuted {
		o.unknown++
		if s := shown(verdict); len(o.spelt) < mostShown && !slices.Contains(o.spelt, s) {
			o.spelt = append(o.spelt, s)
		}
	} else if keys["confidence"] != nil {
		o.nulls++
	}
	if keys["confidence"] == nil {
		o.lacks("confidence", keys)
	}
}

func (o *oddities) lacks(key string, keys fields) {
	if o.absent == nil {
		o.absent, o.instead = map[string]int{}, map[string]map[string]bool{}
	}
	if o.absent[key]++; o.instead[key] == nil {
		o.instead[key] = map[string]bool{}
	}
	for _, k := range keys.strange() {
		o.instead[key][k] = true
	}
}

// warnings say what was counted, always in the same order.
func (o *oddities) warnings() []scoring.Warning {
	var out []scoring.Warning
	add := func(code, format string, args ...any) {
		out = append(out, scoring.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	for _, key := range []string{"verdict", "confidence"} {
		if n := o.absent[key]; n > 0 {
			add(WarnMissingKeys, "%s no %q and %s as malformed%s", either(n, "row has", "rows have"), key, verb(n),
				seenInstead(key, slices.Sorted(maps.Keys(o.instead[key]))))
		}
	}
	if o.nulls > 0 {
		add(WarnNullConfidence, "%s a verdict and a null \"confidence\", and %s as malformed", either(o.nulls, "row has", "rows have"), verb(o.nulls))
	}
	if n := o.unknown; n > 0 {
		pronoun := "they count"
		if n == 1 {
			pronoun = "it counts"
		}
		add(WarnUnknownVerdicts, "%s none of %s, %s, %s, such as %s: %s as malformed", either(n, "verdict is", "verdicts are"),
			supported, refuted, abstain, strings.Join(o.spelt, ", "), pronoun)
	}
	return out
}

// either is a number with the words that go with it.
func either(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func verb(n int) string {
	if n == 1 {
		return "counts"
	}
	return "count"
}

// seenInstead tells keys that have no meaning here, those first that resemble
// the key missed: one may be it.
func seenInstead(key string, keys []string) string {
	unlike := func(k string) int {
		if k = strings.ToLower(k); strings.HasPrefix(k, key[:3]) || strings.Contains(k, key) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(keys, func(a, b string) int { return unlike(a) - unlike(b) })
	switch rest := len(keys) - mostShown; {
	case len(keys) == 0:
		return ""
	case rest > 0:
		return fmt.Sprintf("; keys seen instead: %s and %d more", strings.Join(keys[:mostShown], ", "), rest)
	}
	return "; keys seen instead: " + strings.Join(keys, ", ")
}

// strange are the keys that are not read.
func (f fields) strange() []string {
	return slices.DeleteFunc(f.names(), func(k string) bool {
		return slices.Contains([]string{
			"label", "verdict", "confidence", "image", "id", "split", "outcome", "needed_repair",
			"confidences", "image_source", "task_id",
		}, k)
	})
}
