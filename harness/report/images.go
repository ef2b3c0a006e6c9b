package report

import (
	"fmt"
	"io"

	"candor/harness/preview"
	"candor/imageproc"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Images writes what would be sent of image files to models of a family.
func Images(w io.Writer, f imageproc.Family, images []preview.Image) error {
	p := &printer{w: w}
	t := newTable()
	t.SetColumnConfigs(rightAligned(3, 4, 5, 6, 7))
	t.AppendHeader(table.Row{"file", "format", "size", "sent as", "tokens", "bytes", "sent", ""})
	good := 0
	for _, i := range images {
		if i.Error != "" {
			continue
		}
		good++
		t.AppendRow(table.Row{i.File, i.Format, size(i.Width, i.Height), size(i.SentWidth, i.SentHeight), i.Tokens, i.Bytes, i.SentBytes, treatment(i)})
	}
	if good > 0 {
		p.table(t)
	}
	for _, i := range images {
		if i.Error != "" {
			p.line("! %s: %s", i.File, i.Error)
		}
	}
	if bad := len(images) - good; bad > 0 {
		p.line("%s of %s cannot be sent to %s.", Count(bad, "file"), Count(len(images), "file"), f.Name)
	}
	return p.err
}

func size(width, height int) string { return fmt.Sprintf("%d×%d", width, height) }

// treatment is what happens to an image on its way.
func treatment(i preview.Image) string {
	what := "passed through"
	if !i.Passed {
		what = "redrawn as " + i.SentFormat
	}
	if i.Orientation > 1 {
		what += fmt.Sprintf(", orientation %d", i.Orientation)
	}
	return what
}
