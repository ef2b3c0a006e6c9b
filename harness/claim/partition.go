package claim

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Partition is one side of the division of a data set by image.
type Partition string

const (
	Eval  Partition = "eval"
	Train Partition = "train"
	All   Partition = "all"
)

// ParsePartition returns the partition of a name.
func ParsePartition(name string) (Partition, error) {
	switch p := Partition(name); p {
	case Eval, Train, All:
		return p, nil
	}
	return "", fmt.Errorf("unknown partition %q: use %s, %s or %s", name, Eval, Train, All)
}

// InEval reports whether an image belongs to the eval partition: the first 8
// hex digits of the sha256 of its source, modulo 1000, are below 200. All
// claims of an image are on one side. Extension or not does not matter.
//
// On POPE's 500 images this gives the published counts, 102 and 398; whether
// the published division is of the same images is not known.
func InEval(imageSource string) bool {
	sum := sha256.Sum256([]byte(Stem(imageSource)))
	return binary.BigEndian.Uint32(sum[:4])%1000 < 200
}

// ReadEvalIDs reads an explicit eval partition: one image a line, with or
// without extension. Blank lines and what follows a # are ignored.
func ReadEvalIDs(r io.Reader) (map[string]bool, error) {
	ids := make(map[string]bool)
	sc := bufio.NewScanner(r)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimPrefix(sc.Text(), "\ufeff")
		if at := strings.Index(line, "#"); at >= 0 {
			line = line[:at]
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		stem := Stem(line)
		if !local(stem) {
			return nil, fmt.Errorf("line %d: %q is no image of a data set", n, line)
		}
		ids[stem] = true
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, errors.New("no image is listed")
	}
	return ids, nil
}
