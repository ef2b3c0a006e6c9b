package command

import (
	"bytes"
	"cmp"
	"fmt"
	"os"

	"candor/harness/lens"
	"candor/harness/lens/play"
	"candor/harness/report/page"
)

// html writes the report as a page, with the traces of its journal.
func (r Request) html(result Result) error {
	if r.HTML == "" {
		return nil
	}
	record, err := play.ReadJournal(cmp.Or(r.Replay, result.Journal))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Lens(&b, lens.Replayed{Report: result.Report, Compat: result.Compat}, record); err != nil {
		return err
	}
	if err := os.WriteFile(r.HTML, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}
