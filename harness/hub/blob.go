package hub

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"candor/harness/regular"
)

// Blob is the file of the cache that a path leads to: that of a snapshot is
// most often a link to it. A path that leads nowhere is returned as it is.
func Blob(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}

// ErrDamaged marks a file of the cache whose content is not the one it is
// named after.
var ErrDamaged = errors.New("the copy in the cache is damaged")

// CheckBlob compares a file's sha256, in lower-case hex, with what the cache
// named it after, where that is a sha256; "" has it computed. The error says
// which file to remove; it matches ErrDamaged where the two differ.
func CheckBlob(path, sum string) error {
	at := Blob(path)
	want := strings.ToLower(filepath.Base(at))
	if filepath.Base(filepath.Dir(at)) != "blobs" || len(want) != hex.EncodedLen(sha256.Size) || !isHex(want) {
		return nil
	}
	if sum == "" {
		var err error
		if sum, err = regular.SHA256(at); err != nil {
			return err
		}
	}
	if sum == want {
		return nil
	}
	return fmt.Errorf("%w: the sha256 of %s is %s, not the one it is named after: remove it and it is downloaded anew", ErrDamaged, at, sum)
}
