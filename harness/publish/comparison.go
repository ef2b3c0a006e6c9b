package publish

import (
	"bytes"
	"context"

	"candor/harness/compare"
	"candor/harness/dossier"
	"candor/harness/report/page"
	"candor/harness/stored"

	"github.com/google/renameio/v2"
)

// mostChanged bounds the tasks that a comparison shows.
const mostChanged = 150

// Comparison writes a comparison as a page to a file.
func Comparison(ctx context.Context, file string, r *compare.Result, base *stored.Answers, others []*stored.Answers) error {
	var changed []dossier.Changes
	for _, other := range others {
		opt := dossier.Options{Traces: share(mostChanged, len(others)), Images: share(mostImages, len(others))}
		changed = append(changed, dossier.Between(ctx, base, other, opt))
	}
	var b bytes.Buffer
	if err := page.Compare(&b, r, changed); err != nil {
		return err
	}
	return renameio.WriteFile(file, b.Bytes(), 0o644)
}
