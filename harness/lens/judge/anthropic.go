package judge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"candor/harness/lens/service"
)

// anthropicVersion is the version of the interface that every request names.
const anthropicVersion = "2023-06-01"

// Anthropic is a judge behind Anthropic's messages interface. Tried against
// replies of the shapes that Anthropic documents, never against the service.
type Anthropic struct {
	Base      string // "" is AnthropicBase
	Model     string
	Key       string
	MaxTokens int // 0 is MaxTokens
	Client    *http.Client
}

// Ask is a Judge.
func (a Anthropic) Ask(ctx context.Context, prompt string) (string, error) {
	base := strings.TrimSuffix(strings.TrimRight(cmp.Or(a.Base, AnthropicBase), "/"), "/v1")
	at := service.Service{Key: a.Key, Client: a.Client, Header: http.Header{"Anthropic-Version": {anthropicVersion}}}
	if a.Key != "" {
		at.Header.Set("X-Api-Key", a.Key)
	}
	body, err := at.Post(ctx, base+"/v1/messages", struct {
		Model     string    `json:"model"`
		MaxTokens int       `json:"max_tokens"`
		Messages  []message `json:"messages"`
	}{a.Model, cmp.Or(a.MaxTokens, MaxTokens), []message{{"user", prompt}}})
	if err != nil {
		return "", fmt.Errorf("judge %s: %w", a.Model, err)
	}
	var reply struct {
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
		Stop    string          `json:"stop_reason"`
	}
	if err := json.Unmarshal(body, &reply); err != nil || reply.Type != "message" {
		return "", fmt.Errorf("judge %s: %s answers, but with no message", a.Model, base)
	}
	text := said(reply.Content)
	if text == "" && reply.Stop == "max_tokens" {
		return "", fmt.Errorf("judge %s: its %d tokens were used up before it said anything", a.Model, cmp.Or(a.MaxTokens, MaxTokens))
	}
	return at.Without(text), nil
}
