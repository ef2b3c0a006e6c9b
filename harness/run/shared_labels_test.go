package run

import (
	"testing"

	"candor/harness/claim"
)

// Label sets are taken from the set that is loaded, which here nothing else could
// be: it is not the one that a load would make. Of another revision there are
// none.
func TestSharedLabelSets(t *testing.T) {
	loaded := &claim.Set{Revision: "loaded", LabelSets: []claim.LabelSet{{Name: "mine"}}}
	shared := &Shared{sets: map[setKey]*claim.Set{{"demo:3", "", ""}: loaded}}
	s := &Stored{}
	s.Manifest.Config.Dataset, s.Manifest.Dataset.Revision = "demo:3", "loaded"
	if got, err := shared.LabelSets(t.Context(), s); err != nil || len(got) != 1 || got[0].Name != "mine" {
		t.Errorf("%v, %v; want the loaded set's", got, err)
	}
	s.Manifest.Dataset.Revision = "another"
	if got, err := shared.LabelSets(t.Context(), s); err != nil || got != nil {
		t.Errorf("%v, %v; want none", got, err)
	}
}
