package judge

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"candor/infer"
)

// Reach is what judges are reached with.
type Reach struct {
	// Getenv reads the environment, the only place that keys come from.
	Getenv func(string) string
	// Model reaches the local server that ollama: names, with its options.
	Model   func() (infer.Model, error)
	Options infer.Options
	// MaxTokens is the limit on a reply of all the others; 0 is MaxTokens.
	MaxTokens int
	Client    *http.Client // nil is http.DefaultClient
	// Sleep is between tries; nil is real.
	Sleep func(context.Context, time.Duration) error
}

// A KeyError says that a key is missing.
type KeyError struct{ Name, Variable string }

func (e *KeyError) Error() string {
	return fmt.Sprintf("%s wants a key: set %s in the environment", e.Name, e.Variable)
}

// Open makes the judge of a name, which tries again what may succeed later. A
// key is sent to the address of its provider, or to the one that the user named
// for it, and to nobody else.
func Open(n Name, r Reach) (Judge, error) {
	key := ""
	if variable := n.KeyVariable(); variable != "" {
		key = strings.TrimSpace(r.Getenv(variable))
	}
	if key == "" && n.NeedsKey() {
		return nil, &KeyError{n.String(), n.KeyVariable()}
	}
	var ask Judge
	switch n.Provider {
	case ProviderOllama:
		m, err := r.Model()
		if err != nil {
			return nil, err
		}
		ask = Model(m, n.Model, r.Options)
	case ProviderOpenAI, ProviderGroq:
		ask = OpenAI{Base: n.Address(), Model: n.Model, Key: key, MaxTokens: r.MaxTokens, Client: r.Client}.Ask
	case ProviderAnthropic:
		ask = Anthropic{Base: n.Address(), Model: n.Model, Key: key, MaxTokens: r.MaxTokens, Client: r.Client}.Ask
	default:
		return nil, fmt.Errorf("there is no provider %q of judges", n.Provider)
	}
	return Retrying(ask, r.Sleep), nil
}
