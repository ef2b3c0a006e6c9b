package agent

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"candor/harness/lens/service"
)

// OpenAI is a model behind an OpenAI-compatible endpoint, such as OpenAI's,
// Groq's, vLLM's or Ollama's own. Tried against recorded shapes and against
// Ollama's endpoint, not against the paid services.
type OpenAI struct {
	Base   string // such as https://api.openai.com/v1
	Model  string
	Key    string // sent as a bearer token if not empty, and kept to the address: see package service
	Client *http.Client
	// Temperature and MaxTokens are sent unless nil and 0.
	Temperature *float64
	MaxTokens   int
	// Sleep is between tries; nil is real.
	Sleep func(context.Context, time.Duration) error
}

type chatMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// Ask asks the endpoint.
func (o OpenAI) Ask(ctx context.Context, q Question) (text, thinking string, err error) {
	request := struct {
		Model       string        `json:"model"`
		Messages    []chatMessage `json:"messages"`
		Temperature *float64      `json:"temperature,omitempty"`
		MaxTokens   int           `json:"max_tokens,omitempty"`
	}{Model: o.Model, Temperature: o.Temperature, MaxTokens: o.MaxTokens}
	if q.System != "" {
		request.Messages = append(request.Messages, chatMessage{"system", q.System})
	}
	request.Messages = append(request.Messages, chatMessage{"user", content(q)})
	at := service.Service{Key: o.Key, Header: service.Bearer(o.Key), Client: o.Client}
	var body []byte
	err = service.Patiently(ctx, o.Sleep, func() error {
		body, err = at.Post(ctx, strings.TrimRight(o.Base, "/")+"/chat/completions", request)
		return err
	})
	if err != nil {
		return "", "", err
	}
	var reply struct {
		Choices []struct {
			Message struct {
				Content          string `json:"content"`
				Reasoning        string `json:"reasoning"`
				ReasoningContent string `json:"reasoning_content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(body, &reply); err != nil || len(reply.Choices) == 0 {
		return "", "", fmt.Errorf("%s: no completion: %s", o.Base, shortened(body))
	}
	m := reply.Choices[0].Message
	return at.Without(m.Content), at.Without(join(m.Reasoning, m.ReasoningContent)), nil
}

// content is a text, or a list of an image and a text.
func content(q Question) any {
	if q.Image == nil {
		return q.Text
	}
	uri := "data:" + http.DetectContentType(q.Image) + ";base64," + base64.StdEncoding.EncodeToString(q.Image)
	return []map[string]any{
		{"type": "image_url", "image_url": map[string]string{"url": uri}},
		{"type": "text", "text": q.Text},
	}
}
