package command

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"strings"

	"candor/harness/lens"
	"candor/harness/lens/agent"
	"candor/harness/lens/judge"
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
//	openai:MODEL[@URL]  a model behind an OpenAI-compatible endpoint, without
//	                    @URL at OPENAI_BASE_URL or OpenAI's; with OPENAI_API_KEY
//	groq:MODEL          the same at Groq, with GROQ_API_KEY
//	exec:COMMAND        a program that speaks lines of JSON
//	http:URL            an endpoint; a URL alone will do
//	local:NAME          one of the demonstration agents of an environment
func (r Request) agent(schema json.RawMessage, d Dependencies) (acting, error) {
	kind, rest, _ := strings.Cut(r.Agent, ":")
	switch {
	case r.Agent == "":
		return acting{}, usagef("which agent? Give --agent ollama:MODEL, openai:MODEL, exec:COMMAND, http:URL or local:NAME")
	case strings.HasPrefix(r.Agent, "http://"), strings.HasPrefix(r.Agent, "https://"):
		return endpoint(r.Agent)
	case kind == "http":
		return endpoint(rest)
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
	ask, err := r.asker(d)
	if err != nil {
		return acting{}, err
	}
	return acting{agent.Of(ask, schema), nothing}, nil
}

// endpoint is an agent at an address.
func endpoint(address string) (acting, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return acting{}, usagef("--agent: %q is no address of an agent; write http://HOST:PORT/PATH", address)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		// Which is why it is not repeated here either.
		return acting{}, usagef("--agent: the address at %s holds a user, a password or a query, and addresses stand in journals and reports; write http://HOST:PORT/PATH", u.Host)
	}
	return acting{agent.HTTP{URL: address}.Act, nothing}, nil
}

// defaultNumCtx holds an observation of some length, and the answer.
const defaultNumCtx = 8192

// asker is a model, for an agent.
func (r Request) asker(d Dependencies) (agent.Asker, error) {
	name, err := judge.ParseName(r.Agent, d.Getenv)
	if err == nil && !name.Bare {
		switch name.Provider {
		case judge.ProviderOllama:
			m, options, err := r.local(name.Model, d)
			if err != nil {
				return nil, err
			}
			return agent.Infer(m, name.Model, options, 0), nil
		case judge.ProviderOpenAI, judge.ProviderGroq:
			key := strings.TrimSpace(d.Getenv(name.KeyVariable()))
			if key == "" && name.NeedsKey() {
				return nil, usagef("--agent: %w", &judge.KeyError{Name: name.String(), Variable: name.KeyVariable()})
			}
			return agent.OpenAI{Base: name.Address(), Model: name.Model, Key: key, Client: d.Client, Sleep: d.Sleep}.Ask, nil
		}
	}
	return nil, usagef("--agent is %q; there are ollama:MODEL, openai:MODEL[@URL], groq:MODEL, exec:COMMAND, http:URL and local:NAME", r.Agent)
}

// local is the Ollama server of agents and judges, and how a model is asked there.
func (r Request) local(model string, d Dependencies) (infer.Model, infer.Options, error) {
	options, err := infer.Profile(cmp.Or(r.Profile, "greedy"))
	if err != nil {
		return nil, options, usagef("--profile: %w", err)
	}
	options.NumCtx = cmp.Or(r.NumCtx, defaultNumCtx)
	if r.Threads != nil {
		options.NumThread = r.Threads(model)
	}
	m, err := d.Model(r.Host)
	if err != nil {
		return nil, options, usagef("--host: %w", err)
	}
	return m, options, nil
}
