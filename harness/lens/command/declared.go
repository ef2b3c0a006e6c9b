package command

import (
	"encoding/json"
	"fmt"
	"strings"

	"candor/harness/lens"
	"candor/harness/lens/local"
	"candor/harness/openenv"
)

// told is what is declared of a server that serves one of our own environments.
func told(spec openenv.Spec) lens.Declaration {
	d, as, ok := local.Told(spec.Name, spec.Version, spec.Description)
	if ok {
		d.Note = fmt.Sprintf("the server says that it is %s %s, so what local:%s declares counts: what it pays, chance, no-op, planted policies and check", spec.Name, spec.Version, as)
	}
	return d
}

// declared is d with what the request declares, which counts first.
func (r Request) declared(d lens.Declaration) lens.Declaration {
	if r.Best != nil {
		d.Total = &lens.Range{Least: *r.Worst, Greatest: *r.Best}
	}
	if r.NoOp != "" {
		d.NoOp = json.RawMessage(strings.TrimSpace(r.NoOp))
	}
	return d
}

func (r Request) checkDeclared() error {
	var object map[string]json.RawMessage
	switch {
	case (r.Worst == nil) != (r.Best == nil):
		return usagef("--worst and --best belong together")
	case r.Best != nil && !(*r.Best > *r.Worst):
		return usagef("--best is %v; it must be above --worst, %v", *r.Best, *r.Worst)
	case r.NoOp != "" && (json.Unmarshal([]byte(r.NoOp), &object) != nil || object == nil):
		return usagef("--no-op is %q; it must be an action, a JSON object such as {\"action\": \"wait\"}", r.NoOp)
	}
	return nil
}
