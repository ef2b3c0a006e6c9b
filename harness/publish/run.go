package publish

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"candor/harness/dossier"
	"candor/harness/report/page"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/harness/sweep"
	"candor/scoring"

	"github.com/google/renameio/v2"
)

// pageName is the file of a run's or a sweep's page in its directory.
const pageName = sweep.PageFile

// Run writes the page of a run that ended, into its directory, unless one is
// there that is of these very answers. sum is the run's own summary.
func Run(ctx context.Context, dir string, sum *scoring.Summary) (string, error) {
	path := filepath.Join(dir, pageName)
	if fresh(path, filepath.Join(dir, run.TracesFile), filepath.Join(dir, run.ErrorsFile)) {
		return path, nil
	}
	a, err := stored.Read(dir)
	if err != nil {
		return "", err
	}
	m := a.Run.Manifest.Config
	opt := scoring.Options{Bins: m.Bins, Bootstrap: m.Bootstrap, Seed: a.Seed()}
	opt.Source, opt.Sources = a.Sources()
	d, err := dossier.Of(ctx, a, dossier.Options{Scoring: opt, Summary: sum})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := page.Write(&b, []*dossier.Dossier{d}); err != nil {
		return "", err
	}
	return path, renameio.WriteFile(path, b.Bytes(), 0o644)
}

// fresh tells whether a page was written after the last answer and error.
func fresh(page string, journals ...string) bool {
	written, err := os.Stat(page)
	for _, name := range journals {
		if j, missing := os.Stat(name); err == nil && missing == nil && !written.ModTime().After(j.ModTime()) {
			return false
		}
	}
	return err == nil
}
