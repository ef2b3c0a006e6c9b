package claim

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A copy holds the same claims, labels and pictures, and is never laid over
// something else.
func TestCopy(t *testing.T) {
	set := demo(t, 5)
	set.Claims = slices.DeleteFunc(slices.Clone(set.Claims), func(c Claim) bool { return c.ImageSource > "demo_000003" })
	folder := filepath.Join(t.TempDir(), "demo")
	if err := set.Copy(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	again, err := Load(filepath.Join(folder, "claims.jsonl"), filepath.Join(folder, "images"))
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Claims) != len(set.Claims) || len(set.Claims) != 3*18 {
		t.Fatalf("%d claims of %d", len(again.Claims), len(set.Claims))
	}
	byID := make(map[string]Claim)
	for _, c := range again.Claims {
		byID[c.ID] = c
	}
	for _, c := range set.Claims {
		if g := byID[c.ID]; g.Text != c.Text || g.Label != c.Label || g.ImageSource != c.ImageSource || g.Split != c.Split {
			t.Errorf("%s: %+v", c.ID, g)
		}
	}
	want, name, err := set.Images.Open(t.Context(), "demo_000002")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(folder, "images", name)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, want %d: %v", name, len(got), len(want), err)
	}
	other, err := Load(filepath.Join(folder, "corrected.jsonl"), filepath.Join(folder, "images"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range other.Claims {
		if label, kept := set.LabelSets[0].Of(byID[c.ID]); !kept || label != c.Label {
			t.Errorf("%s: corrected to %s, %s in the set", c.ID, c.Label, label)
		}
	}
	if err := set.Copy(t.Context(), folder); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second copy: %v", err)
	}
}
