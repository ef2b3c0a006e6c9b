package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"candor/harness/lens/judge"
	"candor/harness/run"
	"candor/infer"
	"candor/scoring/lqs"
)

// judge is the judge of the request and its name in reports; nil and "" for none.
func (r Request) judge(release lqs.Release, d Dependencies) (judge.Judge, string, error) {
	if r.Judge == "" {
		return nil, "", nil
	}
	name, err := judge.ParseName(r.Judge, d.Getenv)
	if err != nil {
		return nil, "", usagef("--judge: %w", err)
	}
	reach := judge.Reach{Getenv: d.Getenv, Client: d.Client, Sleep: d.Sleep}
	if release != "" {
		reach.MaxTokens = judge.PublishedMaxTokens
		if why := unheard(release, name, d.Getenv); why != "" {
			r.say(d, "%s", why)
			return nil, "", nil
		}
		if doubt := judge.Doubt(r.agentName(d), name.String()); doubt != "" {
			r.say(d, "%s", doubt)
		}
	}
	if name.Provider == judge.ProviderOllama {
		m, options, err := r.local(name.Model, d)
		if err != nil {
			return nil, "", err
		}
		reach.Options, reach.Model = options, func() (infer.Model, error) { return m, nil }
	}
	j, err := judge.Open(name, reach)
	if errors.As(err, new(*judge.KeyError)) {
		err = &run.UsageError{Err: fmt.Errorf("--judge: %w", err)}
	}
	return j, name.String(), err
}

// unheard is why a published release hears no judge that is named without its
// provider, and gives everybody 0.5 for reasoning: no key, or that of another
// provider, which it sends where it is refused. Here no key goes astray.
func unheard(release lqs.Release, name judge.Name, getenv func(string) string) string {
	if !name.Bare {
		return ""
	}
	switch key := judge.PublishedKey(release, getenv); {
	case key == "":
		return fmt.Sprintf("no judge is asked, and reasoning is 0.5, as learnlens-rl %s has it without a key: set %s", release, name.KeyVariable())
	case key != name.KeyVariable():
		return fmt.Sprintf("no judge is asked, and reasoning is 0.5: learnlens-rl %s would send %s to the provider of %s, which refuses it; unset it, or write --judge %s", release, key, name.Model, name)
	}
	return ""
}

// agentName is the agent's name in reports, with the address of its provider if
// that is not the usual one.
func (r Request) agentName(d Dependencies) string {
	name, err := judge.ParseName(r.Agent, d.Getenv)
	if err != nil || name.Bare {
		return r.Agent
	}
	return name.String()
}

func (r Request) say(d Dependencies, format string, args ...any) {
	fmt.Fprintf(cmp.Or[io.Writer](d.Log, io.Discard), "candor: "+format+"\n", args...)
}
