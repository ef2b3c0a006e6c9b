package play_test

import (
	"os"
	"path/filepath"
	"testing"

	"candor/harness/lens/play"
)

// Any file is read or refused; one that is read can be gone on with.
func FuzzJournal(f *testing.F) {
	head := `{"kind":"lens","format":1,"config":null}` + "\n"
	for _, seed := range []string{"", head, head + `{"episode":{"key":"a","steps":[]}}` + "\n", head + `{"answer":{"key":"a"}}` + "\n" + `{"answ`, "x\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		name := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := play.ReadJournal(name)
		if err != nil {
			return
		}
		b, err := play.New(play.Setup{Journal: name, Header: r.Header})
		if err != nil {
			t.Fatalf("%q was read, but: %v", content, err)
		}
		b.Close()
	})
}
