package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"candor/harness/audit"
	"candor/harness/claim"
	"candor/harness/regular"
	"candor/harness/relabel"
	"candor/harness/report"
	"candor/harness/run"
	"candor/imageproc"
)

// dataCmd is candor data.
type dataCmd struct {
	Dataset []string `arg:"" help:"A data set as candor eval takes it; several files are several splits of one. Or directories of runs."`
	Images  string   `help:"Folder of the images." placeholder:"DIR"`
	Labels  []string `help:"Another label set of the same claims; may be repeated." placeholder:"NAME=FILE" sep:"none"`
	EvalIDs string   `name:"eval-ids" help:"File with the images of the eval partition, one a line." placeholder:"FILE"`
	Family  string   `help:"Model family whose limits images are held to: ${families}." default:"qwen3.5"`
	Copy    string   `help:"Write the set to a new folder, images and claims, instead." placeholder:"DIR"`
	JSON    bool     `name:"json" help:"Print the audit as JSON."`
}

// Run looks a data set over and prints what it finds.
func (d *dataCmd) Run(ctx context.Context, c console) error {
	opt, err := d.options()
	if err != nil {
		return &run.UsageError{Err: err}
	}
	if d.Copy != "" {
		return d.copy(ctx, c)
	}
	r, err := d.audit(ctx, c, opt)
	if err != nil {
		return err
	}
	if d.JSON {
		return printJSON(c.out, r)
	}
	return report.Data(c.out, r)
}

// copy writes the set for people to look at.
func (d *dataCmd) copy(ctx context.Context, c console) error {
	if d.JSON || len(d.Labels) > 0 || len(d.Dataset) == 1 && isRun(d.Dataset[0]) {
		return &run.UsageError{Err: errors.New("--copy writes a data set and takes neither a run nor --labels nor --json")}
	}
	set, err := d.load(ctx, c)
	if err != nil {
		return err
	}
	if err := set.Copy(ctx, d.Copy); err != nil {
		return fmt.Errorf("--copy: %w", err)
	}
	_, err = fmt.Fprintf(c.out, "%d claims written to %s\n", len(set.Claims), filepath.Join(d.Copy, "claims.jsonl"))
	return err
}

func (d *dataCmd) options() (opt audit.Options, err error) {
	if opt.Family, err = imageproc.FamilyByName(d.Family); err != nil {
		return opt, fmt.Errorf("--family: %w", err)
	}
	if d.EvalIDs == "" {
		return opt, nil
	}
	f, err := regular.Open(d.EvalIDs)
	if err != nil {
		return opt, fmt.Errorf("--eval-ids: %w", err)
	}
	defer f.Close()
	if opt.EvalIDs, err = claim.ReadEvalIDs(f); err != nil {
		return opt, fmt.Errorf("--eval-ids %s: %w", d.EvalIDs, err)
	}
	return opt, nil
}

func (d *dataCmd) audit(ctx context.Context, c console, opt audit.Options) (*audit.Report, error) {
	runs := 0
	for _, name := range d.Dataset {
		if isRun(name) {
			runs++
		}
	}
	switch {
	case runs > 0 && runs < len(d.Dataset):
		return nil, &run.UsageError{Err: errors.New("give runs or a data set, not both at once")}
	case runs > 0 && (len(d.Labels) > 0 || d.Images != ""):
		return nil, &run.UsageError{Err: errors.New("--labels and --images are for a data set; candor rescore scores a run by other labels")}
	case runs > 0:
		return audit.Runs(ctx, d.Dataset, opt)
	}
	set, err := d.load(ctx, c)
	if err != nil {
		return nil, err
	}
	sets, err := relabel.Load(d.Labels, set.LabelSets)
	if err != nil {
		return nil, &run.UsageError{Err: err}
	}
	opt.LabelSets = sets[len(set.LabelSets):]
	return audit.Audit(ctx, set, opt)
}

// isRun tells the directory of a run.
func isRun(name string) bool {
	_, err := os.Stat(filepath.Join(name, run.ManifestFile))
	return err == nil
}

func (d *dataCmd) load(ctx context.Context, c console) (*claim.Set, error) {
	if len(d.Dataset) == 1 {
		return claim.Loader{Images: d.Images, Hub: hubAt{c.err}}.Load(ctx, d.Dataset[0])
	}
	for _, name := range d.Dataset {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("data file: %w", err)
		}
		if info.IsDir() {
			return nil, &run.UsageError{Err: fmt.Errorf("%s is a folder: several data sets cannot be looked at as one; give one folder, or files", name)}
		}
	}
	return claim.LoadPOPE(d.Dataset, d.Images)
}
