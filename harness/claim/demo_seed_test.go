package claim

import "testing"

func TestDemoSeed(t *testing.T) {
	for _, row := range []struct {
		spec   string
		seed   uint64
		isDemo bool
		fails  bool
	}{
		{"demo", 0, true, false},
		{"demo:0", 0, true, false},
		{"demo:99", 99, true, false},
		{"demo:100", 0, true, true}, // scenes that models may have learnt from
		{"demo:-1", 0, true, true},
		{"demo:", 0, true, true},
		{"demo:7x", 0, true, true},
		{"demo2", 0, false, false}, // a file of that name
		{"Demo", 0, false, false},
		{"", 0, false, false},
	} {
		seed, isDemo, err := DemoSeed(row.spec)
		if isDemo != row.isDemo || (err != nil) != row.fails || (err == nil && seed != row.seed) {
			t.Errorf("%q: %d, %v, %v", row.spec, seed, isDemo, err)
		}
	}
	for _, spec := range []string{"demo:7", "demo:100"} {
		set, err := Load(spec, "")
		if spec == "demo:7" && (err != nil || set.Revision == demo(t, 0).Revision || len(set.LabelSets) != 1) {
			t.Errorf("%s: %v", spec, err)
		}
		if spec == "demo:100" && err == nil {
			t.Errorf("%s is loaded", spec)
		}
	}
}
