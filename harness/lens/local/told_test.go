package local_test

import (
	"testing"

	"candor/harness/lens/local"
)

// Every environment here is known by what its server tells of it, and nothing
// else is: not another version, nor another's environment of the same name.
func TestToldByAServer(t *testing.T) {
	for name, as := range map[string]string{"number-sort": "number-sort", "number-sort-hard": "number-sort", "cooling": "cooling", "selective": "selective"} {
		e, err := local.Find(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		s := e.Spec
		d, known, ok := local.Told(s.Name, s.Version, s.Description)
		if !ok || known != as || d.Random == nil || d.NoOp == nil || len(d.Planted) == 0 || (d.Check == nil) != (e.Declared.Check == nil) {
			t.Errorf("%s: %+v, %q, %v", name, d, known, ok)
		}
		for _, other := range [][3]string{{s.Name + "x", s.Version, s.Description}, {s.Name, "9", s.Description}, {s.Name, s.Version, "Mine."}} {
			if _, _, ok := local.Told(other[0], other[1], other[2]); ok {
				t.Errorf("%q is taken for ours", other)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
