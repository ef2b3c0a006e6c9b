package publish

import (
	"bytes"

	"candor/harness/compare"
	"candor/harness/report/page"
	"candor/harness/stored"

	"github.com/google/renameio/v2"
)

// Comparison writes a comparison as a page to a file.
func Comparison(file string, r *compare.Result, base *stored.Answers, others []*stored.Answers) error {
	var b bytes.Buffer
	if err := page.Compare(&b, r, base, others); err != nil {
		return err
	}
	return renameio.WriteFile(file, b.Bytes(), 0o644)
}
