package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Check asks a running server whether it is well; it is an error if not. That
// is what a container without a shell has to ask with.
func Check(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/health", nil)
	if err != nil {
		return fmt.Errorf("--check: %w", err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("--check: %w", err)
	}
	defer response.Body.Close()
	var health struct{ Status string }
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&health); err != nil || response.StatusCode != http.StatusOK || health.Status != "healthy" {
		return fmt.Errorf("%s is not well: status %d, %q", url, response.StatusCode, health.Status)
	}
	return nil
}
