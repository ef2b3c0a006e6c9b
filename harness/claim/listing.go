package claim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxListing is the most bytes a file may have that is one JSON object.
const maxListing = 64 << 20

// wholeObject reads a file that is one JSON object over several lines, the
// first of them below a number of others.
func wholeObject(in io.Reader, name string, above int, yield func(row, error) bool) {
	raw, err := io.ReadAll(io.LimitReader(in, maxListing+1))
	if err == nil && len(raw) > maxListing {
		err = fmt.Errorf("larger than %d MiB", maxListing>>20)
	}
	var values map[string]json.RawMessage
	if err == nil {
		values, err = object(raw)
	}
	if err == nil && !isListing(values) {
		err = errors.New("one JSON object over several lines: each row must be a line of its own, or the file one array")
	}
	if err != nil {
		yield(row{}, fmt.Errorf("line %d: %w", above+1, err))
		return
	}
	listing(name, values, yield)
}

// isListing tells an object of objects of lists, in the form of DASH-B's
// files: data set → object → images.
func isListing(values map[string]json.RawMessage) bool {
	for _, raw := range values {
		var objects map[string][]string
		if json.Unmarshal(raw, &objects) != nil || objects == nil {
			return false
		}
	}
	return len(values) > 0
}

// listing makes a row of every image that is listed, asking as DASH-B does. The
// label is in the file's name, which ends in pos or neg, and so is the folder of
// the images; both files are one split.
func listing(name string, values map[string]json.RawMessage, yield func(row, error) bool) {
	stem := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	label, folder := "yes", "pos"
	if strings.HasSuffix(stem, "neg") {
		label, folder = "no", "neg"
	} else if !strings.HasSuffix(stem, folder) {
		yield(row{}, errors.New("a list of images by object does not tell whether they show it: its name must end in pos or neg"))
		return
	}
	split := strings.TrimRight(strings.TrimSuffix(stem, folder), "_-. ")
	for _, set := range slices.Sorted(maps.Keys(values)) {
		var objects map[string][]string
		if err := json.Unmarshal(values[set], &objects); err != nil {
			yield(row{}, fmt.Errorf("%s: %w", set, err))
			return
		}
		for _, object := range slices.Sorted(maps.Keys(objects)) {
			for i, image := range objects[object] {
				image = path.Join(folder, set, object, image)
				r := row{where: fmt.Sprintf("%s, %s, image %d", set, object, i+1), values: texts(map[string]string{
					"question_id": image, "image": image, "object": object, "label": label, "split": split,
					"question": fmt.Sprintf("Can you see a %s in this image? Please answer only with yes or no.", object),
				})}
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// texts are strings as JSON; empty ones are left out.
func texts(of map[string]string) map[string]json.RawMessage {
	values := make(map[string]json.RawMessage, len(of))
	for name, s := range of {
		if strings.TrimSpace(s) != "" {
			values[name], _ = json.Marshal(s) // a string can always be
		}
	}
	return values
}
