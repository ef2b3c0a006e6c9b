package tinyvlm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"
)

// Install makes the model of cfg and registers it as name.
func Install(ctx context.Context, client *api.Client, name string, cfg Config) error {
	var gguf bytes.Buffer
	if _, err := Write(&gguf, cfg); err != nil {
		return err
	}
	return Register(ctx, client, name, gguf.Bytes(), cfg)
}

// Register uploads gguf, a file of cfg's architecture, and creates the model
// name of it with the chat format of the real family. A server that already
// has that very model under that name is left alone.
func Register(ctx context.Context, client *api.Client, name string, gguf []byte, cfg Config) error {
	family, err := familyOf(cfg.Architecture)
	if err != nil {
		return err
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(gguf))
	present, err := registered(ctx, client, name, digest, family)
	if err != nil || present {
		return err
	}
	if err := client.CreateBlob(ctx, digest, bytes.NewReader(gguf)); err != nil {
		return fmt.Errorf("uploading the weights of %s: %w", name, err)
	}
	request := &api.CreateRequest{
		Model:    name,
		Files:    map[string]string{cfg.Architecture + ".gguf": digest},
		Renderer: family.renderer,
		Parser:   family.parser,
		Template: family.template,
	}
	if err := client.Create(ctx, request, func(api.ProgressResponse) error { return nil }); err != nil {
		return fmt.Errorf("creating model %s: %w", name, err)
	}
	return nil
}

// registered reports whether the server's model name has these weights and
// this chat format.
func registered(ctx context.Context, client *api.Client, name, digest string, f family) (bool, error) {
	shown, err := client.Show(ctx, &api.ShowRequest{Model: name})
	var status api.StatusError
	if errors.As(err, &status) && status.StatusCode == http.StatusNotFound {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking for model %s: %w", name, err)
	}
	// The weights' digest, renderer and parser are found in the Modelfile only.
	lines := strings.Split(shown.Modelfile, "\n")
	blob := strings.ReplaceAll(digest, ":", "-")
	return hasLine(lines, "FROM ", blob) &&
		(f.renderer == "" || hasLine(lines, "RENDERER ", f.renderer)) &&
		(f.parser == "" || hasLine(lines, "PARSER ", f.parser)) &&
		(f.template == "" || shown.Template == f.template), nil
}

// hasLine reports whether some line begins with prefix and ends with suffix.
func hasLine(lines []string, prefix, suffix string) bool {
	for _, line := range lines {
		if strings.HasPrefix(line, prefix) && strings.HasSuffix(line, suffix) {
			return true
		}
	}
	return false
}
