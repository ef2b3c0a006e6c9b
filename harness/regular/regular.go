// Package regular opens and hashes files and nothing else. A pipe under the name of a
// file lets whoever opens it wait for ever, a device may never end, and a
// folder fails only later and obscurely; here each is refused by name, at once.
// Links are followed.
package regular

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a file for reading. What is no file is a [*NotFileError].
func Open(name string) (*os.File, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	return os.Open(name)
}

// ReadFile reads a whole file. What is no file is a [*NotFileError].
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// SHA256 is the hash of a file's content, in hex digits.
func SHA256(name string) (string, error) {
	f, err := Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Check tells whether name can be opened as a file: nil, a [*NotFileError] for
// what is none, or an error that matches fs.ErrNotExist where nothing is.
func Check(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &NotFileError{Name: name, Mode: info.Mode().Type()}
	}
	return nil
}

// NotFileError is a name under which something else than a file stands.
type NotFileError struct {
	Name string
	Mode fs.FileMode // its type
}

// Error says what stands there.
func (e *NotFileError) Error() string {
	kind := "neither a file nor a folder"
	switch {
	case e.Mode.IsDir():
		kind = "a folder"
	case e.Mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case e.Mode&fs.ModeSocket != 0:
		kind = "a socket"
	case e.Mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Sprintf("%s is %s; a file is needed", e.Name, kind)
}
