// Package publish turns stored answers into the files of a report: where they
// go, in which formats, and from what they are made.
package publish

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"candor/harness/dossier"
	"candor/harness/report/figure"
	"candor/harness/report/page"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"

	"github.com/google/renameio/v2"
)

// The formats of a report.
const (
	HTML     = "html"     // one page, nothing beside it
	Markdown = "markdown" // tables for a README or a pull request
	CSV      = "csv"      // every figure of every run, one a line
	SVG      = "svg"      // each figure as a file
	PNG      = "png"
)

// Formats lists them.
func Formats() []string { return []string{HTML, Markdown, CSV, SVG, PNG} }

// Request says what is reported, how and where to.
type Request struct {
	Runs    []string // directories of runs, files of answers; or that of a sweep alone
	Out     string   // folder or file; "" is the one run's directory
	Formats []string // none: HTML
	Traces  int      // the costliest tasks of a page, of all runs together; 0 = 200
	Options func(*stored.Answers) scoring.Options
	Tell    func(string) // of what was asked for and could not be written; nil: nobody
}

// Reports writes what is asked for and returns the paths of what was written.
// A request that cannot be met is a usage error, found before anything is read.
func Reports(ctx context.Context, req Request) ([]string, error) {
	if len(req.Formats) == 0 {
		req.Formats = []string{HTML}
	}
	place, err := req.place()
	if err != nil {
		return nil, &run.UsageError{Err: err}
	}
	if req.ofSweep() {
		return reportSweep(ctx, req, place)
	}
	var all []*dossier.Dossier
	for _, path := range req.Runs {
		a, err := stored.Read(path)
		if err != nil {
			return nil, unfinished(path, err)
		}
		d, err := dossier.Of(ctx, a, req.gathered(a))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, d)
	}
	files, err := render(all, req.Formats)
	if err != nil {
		return nil, err
	}
	written, err := place.write(files)
	for _, d := range all {
		req.undrawn(len(d.Drawn()), d.Name, err)
	}
	return written, err
}

// undrawn tells that figures were asked for of what has none.
func (r Request) undrawn(figures int, of string, err error) {
	if r.Tell == nil || err != nil || figures > 0 {
		return
	}
	for _, format := range r.Formats {
		if format == SVG || format == PNG {
			r.Tell(fmt.Sprintf("no %s is written of %s: nothing was answered, so there is no figure to draw", format, of))
		}
	}
}

// What a page holds, of all its runs together.
const (
	mostTraces = 200
	mostImages = 2 << 20
)

// gathered is a run's share of the page; only a page has pictures.
func (r Request) gathered(a *stored.Answers) dossier.Options {
	opt := dossier.Options{Scoring: r.Options(a), Traces: share(cmp.Or(r.Traces, mostTraces), len(r.Runs)), Images: share(mostImages, len(r.Runs))}
	if !slices.Contains(r.Formats, HTML) {
		opt.Images = -1
	}
	return opt
}

func share(all, runs int) int { return max(all/runs, 20) }

// file is one that a report consists of.
type file struct {
	name string
	data []byte
}

func render(all []*dossier.Dossier, formats []string) ([]file, error) {
	var out []file
	for _, format := range formats {
		var b bytes.Buffer
		var err error
		switch format {
		case HTML:
			err = page.Write(&b, all)
			out = append(out, file{pageName, b.Bytes()})
		case Markdown:
			err = writeMarkdown(&b, all)
			out = append(out, file{"report.md", b.Bytes()})
		case CSV:
			err = writeCSV(&b, all)
			out = append(out, file{"figures.csv", b.Bytes()})
		default:
			var pictures []file
			pictures, err = drawn(all, format)
			out = append(out, pictures...)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// drawn are the figures of all runs, numbered where there are several.
func drawn(all []*dossier.Dossier, format string) ([]file, error) {
	var out []file
	for i, d := range all {
		prefix := ""
		if len(all) > 1 {
			prefix = fmt.Sprintf("run%d-", i+1)
		}
		files, err := pictures(prefix, d.Drawn(), format)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

func pictures(prefix string, figures []figure.Figure, format string) (out []file, err error) {
	for _, f := range figures {
		var b bytes.Buffer
		if format == SVG {
			err = f.SVG(&b)
		} else {
			err = f.PNG(&b, 3)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, file{prefix + f.Name + "." + format, b.Bytes()})
	}
	return out, nil
}

// place is where files go: into a folder, or the only one to a name.
type place struct{ folder, name string }

var errNowhere = errors.New("say where the report goes with --out: only that of a single run has a place of its own, the run's directory")

func (r Request) place() (place, error) {
	for _, f := range r.Formats {
		if !slices.Contains(Formats(), f) {
			return place{}, fmt.Errorf("there is no format %q; there are %s", f, strings.Join(Formats(), ", "))
		}
	}
	if len(r.Runs) == 0 {
		return place{}, errors.New("name a run to report")
	}
	if r.Traces < 0 {
		return place{}, fmt.Errorf("--traces is 1 or more, not %d", r.Traces)
	}
	info, err := os.Stat(r.Out)
	switch {
	case r.Out != "" && err == nil && !info.IsDir() && (filepath.Ext(r.Out) == "" || len(r.Formats) > 1):
		return place{}, fmt.Errorf("--out %s is a file: name a folder, or for a single format a file with its extension", r.Out)
	case len(r.Runs) > 1 && r.ofSweep():
		return place{}, errors.New("a sweep is reported by itself: name it alone, or its cells, which are runs")
	case r.Out == "" && len(r.Runs) > 1:
		return place{}, errNowhere
	case r.Out == "":
		if info, err := os.Stat(r.Runs[0]); err == nil && !info.IsDir() {
			return place{}, errNowhere
		}
		return place{folder: r.Runs[0]}, nil
	case err == nil && info.IsDir(), filepath.Ext(r.Out) == "", strings.HasSuffix(r.Out, string(filepath.Separator)):
		return place{folder: r.Out}, nil
	case len(r.Formats) > 1 || r.Formats[0] == SVG || r.Formats[0] == PNG || r.Formats[0] == CSV && r.ofSweep():
		return place{}, fmt.Errorf("%s would be several files: let --out name a folder, not %s", strings.Join(r.Formats, ", "), r.Out)
	}
	return place{folder: filepath.Dir(r.Out), name: filepath.Base(r.Out)}, nil
}

func (p place) write(files []file) ([]string, error) {
	if len(files) == 0 {
		return nil, errors.New("nothing was answered, so there is no figure to draw")
	}
	if err := os.MkdirAll(p.folder, 0o755); err != nil {
		return nil, err
	}
	var written []string
	for _, f := range files {
		if p.name != "" {
			f.name = p.name
		}
		path := filepath.Join(p.folder, f.name)
		if err := renameio.WriteFile(path, f.data, 0o644); err != nil {
			return written, err
		}
		written = append(written, path)
	}
	return written, nil
}
