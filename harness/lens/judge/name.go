package judge

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"candor/scoring/lqs"
)

// Providers of judges.
const (
	ProviderOllama    = "ollama"
	ProviderOpenAI    = "openai"
	ProviderGroq      = "groq"
	ProviderAnthropic = "anthropic"
)

// Name says who judges, or acts:
//
//	ollama:MODEL             a model of the user's Ollama server
//	openai:MODEL[@URL]       OpenAI, or what speaks like it at URL
//	groq:MODEL[@URL]
//	anthropic:MODEL[@URL]
//	MODEL                    the provider by the published rule, see [Published]
//
// Without @URL an address in OPENAI_BASE_URL, GROQ_BASE_URL or
// ANTHROPIC_BASE_URL counts, and else the provider's own.
type Name struct {
	Provider, Model string
	Base            string // address, "" for the provider's own
	Bare            bool   // only the model was named
}

// ParseName reads a name; getenv reads the environment. An address that holds a
// password or a query is refused, as names are written into reports.
func ParseName(text string, getenv func(string) string) (Name, error) {
	provider, model, prefixed := strings.Cut(text, ":")
	n := Name{Provider: provider, Model: model}
	switch {
	case !prefixed:
		n = Name{Provider: Published(text), Model: text, Bare: true}
	case provider == ProviderOllama:
	case n.variable("") != "":
		if at := strings.LastIndex(model, "@http"); at >= 0 {
			n.Model, n.Base = model[:at], model[at+1:]
		}
	default:
		return n, fmt.Errorf("%q is no provider; there are ollama:MODEL, openai:MODEL[@URL], groq:MODEL[@URL], anthropic:MODEL[@URL], and MODEL alone", provider)
	}
	if n.Model == "" {
		return n, fmt.Errorf("%q names no model", text)
	}
	if n.Provider == ProviderOllama {
		return n, nil
	}
	n.Base = strings.TrimRight(cmp.Or(n.Base, getenv(n.variable("BASE_URL"))), "/")
	if n.Base == n.own() {
		n.Base = ""
	}
	if u, err := url.Parse(n.Base); n.Base != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		return n, fmt.Errorf("the address of %s:%s must be like https://HOST/v1, without a password or a query", n.Provider, n.Model)
	}
	return n, nil
}

// String is the name in reports and journals.
func (n Name) String() string {
	if n.Base != "" {
		return n.Provider + ":" + n.Model + "@" + n.Base
	}
	return n.Provider + ":" + n.Model
}

// KeyVariable is the variable of the environment that its key is in, "" where
// none is wanted.
func (n Name) KeyVariable() string { return n.variable("API_KEY") }

// NeedsKey tells whether it cannot be asked without: the providers' own
// addresses are closed, others may be open.
func (n Name) NeedsKey() bool { return n.Provider != ProviderOllama && n.Base == "" }

func (n Name) variable(what string) string {
	switch n.Provider {
	case ProviderOpenAI, ProviderGroq, ProviderAnthropic:
		return strings.ToUpper(n.Provider) + "_" + what
	}
	return ""
}

// Address is where it is asked; "" for what is on a local server.
func (n Name) Address() string { return cmp.Or(n.Base, n.own()) }

// own is the provider's address.
func (n Name) own() string {
	return map[string]string{ProviderOpenAI: OpenAIBase, ProviderGroq: GroqBase, ProviderAnthropic: AnthropicBase}[n.Provider]
}

// Published is the provider that the published packages ask for a model, by
// parts of its name: a Groq gpt-oss goes to OpenAI.
func Published(model string) string {
	for _, rule := range []struct{ part, provider string }{
		{"llama", ProviderGroq}, {"mixtral", ProviderGroq}, {"gemma", ProviderGroq},
		{"gpt", ProviderOpenAI}, {"o1", ProviderOpenAI}, {"o3", ProviderOpenAI},
	} {
		if strings.Contains(model, rule.part) {
			return rule.provider
		}
	}
	return ProviderAnthropic
}

// PublishedKey is the variable that a published release takes its one key from,
// whomever it then sends it to: the first that is set, "" if none is.
func PublishedKey(release lqs.Release, getenv func(string) string) string {
	order := []string{"ANTHROPIC_API_KEY", "GROQ_API_KEY", "OPENAI_API_KEY"}
	if release == lqs.Release013 {
		order = []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GROQ_API_KEY"}
	}
	for _, name := range order {
		if getenv(name) != "" {
			return name
		}
	}
	return ""
}

// Doubt is what a reader had better know of a judge beside an agent, both by
// the names of a report; "" if they differ, or nothing can be told.
func Doubt(agent, judge string) string {
	none := func(string) string { return "" }
	j, err := ParseName(judge, none)
	if judge == "" || err != nil {
		return ""
	}
	a, err := ParseName(agent, none)
	switch {
	case agent == judge, err == nil && a.Provider == j.Provider && a.Base == j.Base && a.plain() == j.plain():
		return "the judge is the agent itself; its opinion of its own reasons is no independent one"
	case err == nil && a.plain() == j.plain():
		return "the judge's model has the name of the agent's, at another address; if it is the same model, its opinion is no independent one"
	}
	return ""
}

// plain is the model's name as servers compare it.
func (n Name) plain() string {
	return strings.TrimSuffix(strings.ToLower(n.Model), ":latest")
}
