package command

import (
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"candor/harness/lens"
	"candor/harness/lens/agent"
	"candor/harness/lens/local"
	"candor/infer"
)

// acting is an agent, and how to end it.
type acting struct {
	agent lens.Agent
	close func() error
}

func nothing() error { return nil }

// agent reads what an agent is called:
//
//	ollama:MODEL        a model of an Ollama server
//	openai:MODEL        a model behind an OpenAI-compatible endpoint, at
//	                    OPENAI_BASE_URL with OPENAI_API_KEY
//	exec:COMMAND        a program that speaks lines of JSON
//	http:URL            an endpoint; a URL alone will do
//	local:NAME          one of the demonstration agents of an environment
func (r Request) agent(schema json.RawMessage, d Dependencies) (acting, error) {
	kind, rest, _ := strings.Cut(r.Agent, ":")
	switch {
	case r.Agent == "":
		return acting{}, usagef("which agent? Give --agent ollama:MODEL, openai:MODEL, exec:COMMAND, http:URL or local:NAME")
	case strings.HasPrefix(r.Agent, "http://"), strings.HasPrefix(r.Agent, "https://"):
		return acting{agent.HTTP{URL: r.Agent}.Act, nothing}, nil
	case kind == "http":
		return acting{agent.HTTP{URL: rest}.Act, nothing}, nil
	case kind == "exec":
		if strings.TrimSpace(rest) == "" {
			return acting{}, usagef("--agent exec: names no command")
		}
		c := &agent.Command{Shell: rest, Log: cmp.Or[io.Writer](d.Log, io.Discard)}
		return acting{c.Act, c.Close}, nil
	case kind == "local":
		act, err := local.Agent(rest)
		if err != nil {
			return acting{}, usagef("--agent: %w", err)
		}
		return acting{act, nothing}, nil
	}
	ask, err := r.asker("--agent", r.Agent, d)
	if err != nil {
		return acting{}, err
	}
	return acting{agent.Of(ask, schema), nothing}, nil
}

// defaultNumCtx holds an observation of some length, and the answer.
const defaultNumCtx = 8192

// asker is a model, for an agent or a judge.
func (r Request) asker(flag, name string, d Dependencies) (agent.Asker, error) {
	kind, model, _ := strings.Cut(name, ":")
	if model == "" {
		return nil, usagef("%s is %q; it must be like ollama:MODEL or openai:MODEL", flag, name)
	}
	switch kind {
	case "ollama":
		options, err := infer.Profile(cmp.Or(r.Profile, "greedy"))
		if err != nil {
			return nil, usagef("--profile: %w", err)
		}
		options.NumCtx = cmp.Or(r.NumCtx, defaultNumCtx)
		if r.Threads != nil {
			options.NumThread = r.Threads(model)
		}
		m, err := d.Model(r.Host)
		if err != nil {
			return nil, usagef("--host: %w", err)
		}
		return agent.Infer(m, model, options, 0), nil
	case "openai":
		return agent.OpenAI{Base: cmp.Or(d.Getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1"), Model: model, Key: d.Getenv("OPENAI_API_KEY")}.Ask, nil
	}
	return nil, usagef("%s is %q; there are ollama:MODEL and openai:MODEL", flag, name)
}
