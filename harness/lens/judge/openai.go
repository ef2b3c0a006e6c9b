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

// Where the services are.
const (
	OpenAIBase    = "https://api.openai.com/v1"
	GroqBase      = "https://api.groq.com/openai/v1"
	AnthropicBase = "https://api.anthropic.com"
)

// What a reply may be long at most, in tokens.
const (
	MaxTokens          = 2048 // room to think before it
	PublishedMaxTokens = 256
)

// OpenAI is a judge behind a chat-completions endpoint: OpenAI's, Groq's, or any
// that speaks like them, such as vLLM's, llama.cpp's and Ollama's own. It sends
// one user message and no temperature, as published. Tried against replies of
// the shapes that the services document and against Ollama's endpoint, never
// against the paid services.
type OpenAI struct {
	Base      string // "" is OpenAIBase
	Model     string
	Key       string // "" sends none
	MaxTokens int    // 0 is MaxTokens
	Client    *http.Client
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Ask is a Judge.
func (o OpenAI) Ask(ctx context.Context, prompt string) (string, error) {
	base := strings.TrimRight(cmp.Or(o.Base, OpenAIBase), "/")
	at := service.Service{Key: o.Key, Header: service.Bearer(o.Key), Client: o.Client}
	body, err := at.Post(ctx, base+"/chat/completions", o.request(base, prompt))
	if err != nil {
		return "", fmt.Errorf("judge %s: %w", o.Model, err)
	}
	var reply struct {
		Choices []struct {
			Message struct {
				Content json.RawMessage `json:"content"`
				Refusal string          `json:"refusal"`
			} `json:"message"`
			Finish string `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(body, &reply); err != nil || len(reply.Choices) == 0 {
		return "", fmt.Errorf("judge %s: %s answers, but with no completion", o.Model, base)
	}
	choice := reply.Choices[0]
	text := withoutThinking(said(choice.Message.Content))
	if text == "" && choice.Finish == "length" {
		return "", fmt.Errorf("judge %s: its %d tokens were used up before it said anything", o.Model, cmp.Or(o.MaxTokens, MaxTokens))
	}
	// A refusal is what this judge says, and cannot be read as scores.
	return at.Without(cmp.Or(text, choice.Message.Refusal)), nil
}

// request names the limit as the service does. OpenAI and Groq have given up
// max_tokens, which models that reason do not take; others know nothing else.
func (o OpenAI) request(base, prompt string) any {
	r := struct {
		Model               string    `json:"model"`
		MaxTokens           int       `json:"max_tokens,omitempty"`
		MaxCompletionTokens int       `json:"max_completion_tokens,omitempty"`
		Messages            []message `json:"messages"`
	}{Model: o.Model, Messages: []message{{"user", prompt}}}
	if limit := cmp.Or(o.MaxTokens, MaxTokens); base == OpenAIBase || base == GroqBase {
		r.MaxCompletionTokens = limit
	} else {
		r.MaxTokens = limit
	}
	return r
}

// said is a text, or the texts of a list of parts.
func said(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		if p.Type == "text" {
			text += p.Text
		}
	}
	return text
}

// withoutThinking takes out what a model thought first, where its server does
// not: braces in there are no scores.
func withoutThinking(text string) string {
	if !strings.HasPrefix(strings.TrimSpace(text), "<think>") {
		return text
	}
	_, after, found := strings.Cut(text, "</think>")
	if !found {
		return ""
	}
	return strings.TrimSpace(after)
}
