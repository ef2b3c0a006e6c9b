package run_test

import (
	"reflect"
	"testing"

	"candor/harness/claim"
	"candor/harness/run"
)

// Label sets of the demo's are the same by whichever way, and of a set that is
// shared the very same each time: it is not made anew.
func TestSharedLabelSets(t *testing.T) {
	demo, err := claim.Load("demo:3", "")
	if err != nil {
		t.Fatal(err)
	}
	s := &run.Stored{}
	s.Manifest.Config.Dataset, s.Manifest.Dataset.Revision = "demo:3", demo.Revision
	own, err := s.LabelSets()
	if err != nil || len(own) != 1 {
		t.Fatalf("%d label sets: %v", len(own), err)
	}
	shared := &run.Shared{}
	defer shared.Close()
	once, err1 := shared.LabelSets(t.Context(), s)
	again, err2 := shared.LabelSets(t.Context(), s)
	if err1 != nil || err2 != nil || !reflect.DeepEqual(once, own) || reflect.ValueOf(once[0].Labels).Pointer() != reflect.ValueOf(again[0].Labels).Pointer() {
		t.Errorf("%v, %v: not the same label sets", err1, err2)
	}
	s.Manifest.Dataset.Revision = "another" // another version's claims
	if none, err := shared.LabelSets(t.Context(), s); err != nil || none != nil {
		t.Errorf("%d label sets: %v", len(none), err)
	}
}
