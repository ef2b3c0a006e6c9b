package publish

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"candor/harness/dossier"
	"candor/harness/report/page"
	"candor/harness/run"
	"candor/harness/sweep"
	"candor/scoring"

	"github.com/google/renameio/v2"
)

// Sweep writes the page of the finished sweep in dir, into that directory.
func Sweep(ctx context.Context, dir string) (string, error) {
	t, err := sweep.Load(dir)
	if err != nil {
		return "", err
	}
	s, err := dossier.OfSweep(ctx, t)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := page.Sweep(&b, s); err != nil {
		return "", err
	}
	path := filepath.Join(dir, pageName)
	return path, renameio.WriteFile(path, b.Bytes(), 0o644)
}

// ofSweep tells whether one of the operands is a finished sweep.
func (r Request) ofSweep() bool {
	return slices.ContainsFunc(r.Runs, func(path string) bool {
		_, err := os.Stat(filepath.Join(path, sweep.ResultFile))
		return err == nil
	})
}

// unfinished says of a directory that is no run but holds some what it may be.
func unfinished(path string, err error) error {
	if _, own := os.Stat(filepath.Join(path, run.ManifestFile)); own == nil {
		return err
	}
	inside, _ := os.ReadDir(path)
	for _, cell := range inside {
		if _, is := os.Stat(filepath.Join(path, cell.Name(), run.ManifestFile)); is == nil {
			left := ""
			if _, is := os.Stat(filepath.Join(path, sweep.ResultFile+sweep.Stale)); is == nil {
				left = fmt.Sprintf(" (%s%s is of the cells as they were before some were asked again)", sweep.ResultFile, sweep.Stale)
			}
			return fmt.Errorf("%s holds runs and no %s: a sweep that is not finished has no table yet%s; go on with candor sweep, or name its cells", path, sweep.ResultFile, left)
		}
	}
	return err
}

func reportSweep(ctx context.Context, req Request, to place) ([]string, error) {
	t, err := sweep.Load(req.Runs[0])
	if err != nil {
		return nil, err
	}
	s, err := dossier.OfSweep(ctx, t)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, format := range req.Formats {
		var b bytes.Buffer
		switch format {
		case HTML:
			err = page.Sweep(&b, s)
			files = append(files, file{pageName, b.Bytes()})
		case Markdown:
			files = append(files, file{"report.md", []byte(t.Markdown())})
		case CSV:
			var tables []file
			tables, err = sweepCSV(s)
			files = append(files, tables...)
		default:
			var all []file
			all, err = pictures("", s.Drawn(), format)
			files = append(files, all...)
		}
		if err != nil {
			return nil, err
		}
	}
	written, err := to.write(files)
	req.undrawn(len(s.Drawn()), req.Runs[0], err)
	return written, err
}

// sweepCSV are the cells' own figures as those of runs, the rankings and the
// differences.
func sweepCSV(s *dossier.Sweep) ([]file, error) {
	var out []file
	for _, t := range []struct {
		name  string
		write func(*csv.Writer, *dossier.Sweep) error
	}{{"figures.csv", cellFigures}, {"ranking.csv", rankingCSV}, {"differences.csv", differencesCSV}} {
		var b bytes.Buffer
		if err := writeTable(&b, s, t.write); err != nil {
			return nil, err
		}
		out = append(out, file{t.name, b.Bytes()})
	}
	return out, nil
}

func writeTable(w io.Writer, s *dossier.Sweep, write func(*csv.Writer, *dossier.Sweep) error) error {
	c := csv.NewWriter(w)
	if err := write(c, s); err != nil {
		return err
	}
	c.Flush()
	return c.Error()
}

func cellFigures(c *csv.Writer, s *dossier.Sweep) error {
	if err := c.Write(csvHeader()); err != nil {
		return err
	}
	for _, cell := range s.Cells {
		if err := csvRows(c, row{run: cell.Name}, &cell.Summary); err != nil {
			return err
		}
	}
	return nil
}

func rankingCSV(c *csv.Writer, s *dossier.Sweep) error {
	rows := [][]string{{"group", "rank", "cell", "metric", "value", "low", "high", "p_best", "rule", "abstain_reward", "as_if"}}
	for _, g := range s.Groups {
		for _, p := range g.Ranking {
			lo, hi := ends(p.CI, p.Spread)
			rows = append(rows, []string{g.Baseline, strconv.Itoa(p.Rank), p.Cell, s.RankBy.Metric, maybe(p.Value), lo, hi, maybe(p.Best), g.Rule, exact(g.Abstain), g.AsIf[p.Cell]})
		}
	}
	return c.WriteAll(rows)
}

func differencesCSV(c *csv.Writer, s *dossier.Sweep) error {
	rows := [][]string{{"baseline", "cell", "figure", "base", "other", "difference", "low", "high", "kind", "all_low", "all_high", "adjusted_p", "as_if"}}
	for _, g := range s.Compared {
		if g.Comparison == nil {
			continue
		}
		for _, a := range g.Comparison.Against {
			for _, metric := range scoring.FigureNames() {
				d, ok := a.Own[metric]
				if !ok {
					continue
				}
				kind := "interval"
				if d.CI == nil {
					kind = "spread"
				}
				if d.CI == nil && d.Spread == nil {
					kind = ""
				}
				lo, hi := ends(d.CI, d.Spread)
				allLo, allHi := ends(d.Simultaneous, nil)
				rows = append(rows, []string{g.Baseline, a.Name, metric, maybe(d.Base), maybe(d.Other), maybe(d.Difference), lo, hi, kind, allLo, allHi, maybe(d.AdjustedP), g.AsIf[a.Name]})
			}
		}
	}
	return c.WriteAll(rows)
}

func ends(ci, spread *scoring.Interval) (lo, hi string) {
	if ci == nil {
		ci = spread
	}
	if ci == nil {
		return "", ""
	}
	return exact(ci[0]), exact(ci[1])
}

func maybe(x *float64) string {
	if x == nil {
		return ""
	}
	return exact(*x)
}
