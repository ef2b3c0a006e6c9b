package main

import (
	"context"
	"encoding/json"

	"candor/harness/verify"
)

// parseCmd is candor parse.
type parseCmd struct {
	File string `arg:"" help:"JSON Lines of text (and thinking, done_reason); - reads standard input."`
	JSON bool   `name:"json" help:"Print one array instead of lines."`
}

// Run prints what the parser makes of each text, in order.
func (p *parseCmd) Run(ctx context.Context, c console) error {
	r, name, err := open(ctx, p.File, c.in)
	if err != nil {
		return err
	}
	defer r.Close()
	all := []verify.Result{}
	enc := json.NewEncoder(c.out)
	err = verify.ParseStream(r, name, func(res verify.Result) error {
		if p.JSON {
			all = append(all, res)
			return nil
		}
		return enc.Encode(res)
	})
	if err != nil || !p.JSON {
		return err
	}
	return printJSON(c.out, all)
}
