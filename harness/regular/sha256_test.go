package regular_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"candor/harness/regular"
)

// The hash is that of FIPS 180-4's example; what is no file has none.
func TestSHA256(t *testing.T) {
	name := filepath.Join(t.TempDir(), "abc")
	if err := os.WriteFile(name, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got, err := regular.SHA256(name); got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	var none *regular.NotFileError
	if _, err := regular.SHA256(filepath.Dir(name)); !errors.As(err, &none) {
		t.Errorf("a folder: %v", err)
	}
}
