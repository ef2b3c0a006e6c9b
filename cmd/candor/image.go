package main

import (
	"context"
	"fmt"

	"candor/harness/preview"
	"candor/harness/report"
	"candor/harness/run"
	"candor/imageproc"
)

// imageCmd is candor image.
type imageCmd struct {
	File   []string `arg:"" help:"Image files; a folder stands for the files in it."`
	Family string   `help:"Model family that would see them: ${families}." default:"qwen3.5"`
	Policy string   `name:"image-policy" help:"Who resizes: reference is Candor, as the model's own processor does, server the server." default:"reference" enum:"reference,server"`
	Out    string   `help:"Write what would be sent to this folder." placeholder:"DIR"`
	JSON   bool     `name:"json" help:"Print a list, one object a file."`
}

// Run prints what would be sent of each file, in order.
func (i *imageCmd) Run(ctx context.Context, c console) error {
	family, err := imageproc.FamilyByName(i.Family)
	if err != nil {
		return &run.UsageError{Err: fmt.Errorf("--family: %w", err)}
	}
	preparer, err := imageproc.NewPreparer(family, imageproc.Policy(i.Policy))
	if err != nil {
		return err
	}
	files, err := preview.Files(i.File)
	if err != nil {
		return err
	}
	keep := func(preview.Image, []byte) error { return nil }
	if i.Out != "" {
		folder, err := preview.NewFolder(i.Out, files)
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		keep = folder.Keep
	}
	all, bad := []preview.Image{}, 0
	err = preview.Images(ctx, preparer, files, func(img preview.Image, sent []byte) error {
		all = append(all, img)
		if img.Error != "" {
			bad++
			return nil
		}
		return keep(img, sent)
	})
	if err != nil {
		return err
	}
	if i.JSON {
		err = printJSON(c.out, all)
	} else {
		err = report.Images(c.out, family, all)
	}
	if err == nil && bad > 0 {
		return exitStatus(exitErrors)
	}
	return err
}
