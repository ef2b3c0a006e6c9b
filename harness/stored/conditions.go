package stored

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"candor/scoring"
)

// Conditions are what a run's answers depend on beside its tasks, by the names
// of its manifest's hash, the sampling options each under its own name; nil for
// a file, which does not tell.
func (a *Answers) Conditions() map[string]string {
	if a.Run == nil {
		return nil
	}
	out := map[string]string{}
	maps.Copy(out, a.Run.Manifest.Hashed)
	delete(out, "tasks") // compared one by one
	var options map[string]json.RawMessage
	if json.Unmarshal([]byte(out["options"]), &options) == nil {
		delete(out, "options")
		for name, v := range options {
			out[name] = string(v)
		}
	}
	return out
}

// Untold is the warning that of these answers some are in files, which do not
// tell their conditions; none of runs.
func Untold(all ...*Answers) []scoring.Warning {
	var files []string
	for _, a := range all {
		if a.Run == nil && !slices.Contains(files, a.Name) {
			files = append(files, a.Name)
		}
	}
	if len(files) == 0 {
		return nil
	}
	return []scoring.Warning{{
		Code:    "circumstances_unknown",
		Message: strings.Join(files, ", ") + ": a file of answers does not tell its server, model or prompt; whether they differ is not known",
	}}
}

// Differing lists by name the conditions in which two runs differ; none where
// one of the two is a file.
func Differing(a, b *Answers) []string {
	if a.Run == nil || b.Run == nil {
		return nil
	}
	was, is := a.Conditions(), b.Conditions()
	all := map[string]string{}
	maps.Copy(all, was)
	maps.Copy(all, is)
	maps.DeleteFunc(all, func(what, _ string) bool { return was[what] == is[what] })
	return slices.Sorted(maps.Keys(all))
}
