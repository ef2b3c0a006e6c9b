package recalibration

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// SharedError is a map about to be judged on images that it was fitted on.
type SharedError struct {
	Images []string // all of them, in order
}

const imagesNamed = 3 // in the message

func (e *SharedError) Error() string {
	named := e.Images[:min(len(e.Images), imagesNamed)]
	more := ""
	if rest := len(e.Images) - len(named); rest > 0 {
		more = fmt.Sprintf(" and %d more", rest)
	}
	return fmt.Sprintf("%d images are both in the set to fit on and in the set to apply to, so the map would be judged by what it has seen: %s%s; use separate partitions",
		len(e.Images), strings.Join(named, ", "), more)
}

// CheckDisjoint returns a [*SharedError] if an image is among both those that
// a map is fitted on and those that it is applied to. Names must be written
// alike on both sides. Answers without an image (the name "") cannot be told
// apart by it and are passed over.
func CheckDisjoint(fit, apply []string) error {
	fitted := map[string]bool{}
	for _, image := range fit {
		fitted[image] = image != ""
	}
	shared := map[string]bool{}
	for _, image := range apply {
		if fitted[image] {
			shared[image] = true
		}
	}
	if len(shared) > 0 {
		return &SharedError{Images: slices.Sorted(maps.Keys(shared))}
	}
	return nil
}
