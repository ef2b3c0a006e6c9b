package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"candor/harness/edits"

	"github.com/alecthomas/kong"
)

// negatives joins a flag and a negative number after it by "=": alone the
// number would be taken for a flag of its own.
func negatives(args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		last := len(out) - 1
		_, err := strconv.ParseFloat(a, 64)
		if err == nil && strings.HasPrefix(a, "-") && last >= 0 && strings.HasPrefix(out[last], "--") && !strings.Contains(out[last], "=") {
			out[last] += "=" + a
			continue
		}
		out = append(out, a)
	}
	return out
}

// unknown says of a command that there is none which there are; any other
// mistake it leaves alone.
func unknown(err error, k *kong.Kong) error {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context.Selected() != nil {
		return err
	}
	name, isArgument := strings.CutPrefix(err.Error(), "unexpected argument ")
	if !isArgument {
		return err
	}
	name, _, _ = strings.Cut(name, ", did you mean ")
	var known []string
	for _, command := range k.Model.Children {
		known = append(known, command.Name)
	}
	hint := ""
	if near := nearest(name, known); edits.Distance(name, near) <= 2 {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return fmt.Errorf("unknown command %q; %sthere are: %s", name, hint, strings.Join(known, ", "))
}
