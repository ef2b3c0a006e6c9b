package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// HTTP is an agent behind a URL. It is posted {"observation": TEXT} and answers
// as a [Command] does: with {"action": …, "reasoning": …}, or with the action
// itself. Any status but 200 is an error.
type HTTP struct {
	URL    string
	Client *http.Client // nil is http.DefaultClient
}

// Act asks the endpoint.
func (h HTTP) Act(ctx context.Context, observation string) (action, reasoning string, err error) {
	body, err := post(ctx, h.Client, h.URL, struct {
		Observation string `json:"observation"`
	}{observation})
	if err != nil {
		return "", "", err
	}
	action, reasoning, err = read(bytes.TrimSpace(body))
	if err != nil {
		return "", "", fmt.Errorf("agent %s: %w", h.URL, err)
	}
	return action, reasoning, nil
}

const maxBody = 16 << 20 // bytes of a reply

// post sends JSON and returns what comes back.
func post(ctx context.Context, client *http.Client, url string, value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", url, err)
	case len(body) > maxBody:
		return nil, fmt.Errorf("%s: a reply of more than %d bytes", url, maxBody)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: status %d: %s", url, response.StatusCode, shortened(body))
	}
	return body, nil
}

func shortened(body []byte) string {
	text := strings.Join(strings.Fields(string(body)), " ")
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}
