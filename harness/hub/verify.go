package hub

import (
	"crypto/sha1" //nolint:gosec // git names content so
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
)

// HashError is a file whose content is not what the Hub says it is.
type HashError struct {
	File, Repo, Commit string
	Want, Got          string
}

// Error names both hashes.
func (e *HashError) Error() string {
	return fmt.Sprintf("the content of %s is not that of commit %s of %s: its hash should be %s and is %s; what came was removed. Try again, and see that no proxy changes what it passes on",
		e.File, e.Commit, e.Repo, e.Want, e.Got)
}

// verify checks the content of a download against the hash that names it, and
// removes it when it differs: the sha256 of a large file, git's sha1 of a small
// one (of "blob SIZE", a zero byte and the content; a stand-in for the Hub may
// give the plain sha1). Another form of ETag is no hash of the content that
// could be checked.
func (d *download) verify(part string) error {
	f, err := os.Open(part)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var sums []hash.Hash
	switch want := strings.ToLower(d.etag); {
	case !isHex(want):
		return nil
	case len(want) == hex.EncodedLen(sha256.Size):
		sums = []hash.Hash{sha256.New()}
	case len(want) == hex.EncodedLen(sha1.Size):
		blob := sha1.New()
		fmt.Fprintf(blob, "blob %d\x00", info.Size())
		sums = []hash.Hash{blob, sha1.New()}
	default:
		return nil
	}
	into := make([]io.Writer, len(sums))
	for i, s := range sums {
		into[i] = s
	}
	if _, err := io.Copy(io.MultiWriter(into...), f); err != nil {
		return err
	}
	for _, s := range sums {
		if hex.EncodeToString(s.Sum(nil)) == strings.ToLower(d.etag) {
			return nil
		}
	}
	if err := os.Remove(part); err != nil {
		return err
	}
	return &HashError{File: d.name, Repo: d.repo, Commit: d.commit, Want: d.etag, Got: hex.EncodeToString(sums[0].Sum(nil))}
}

func isHex(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil
}
