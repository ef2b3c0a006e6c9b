package tinyvlm

import (
	"bytes"
	"context"

	"candor/infer/ollama"

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

// Register registers gguf, a file of cfg's architecture, as name, with the chat
// format of the real family; see [ollama.Register].
func Register(ctx context.Context, client *api.Client, name string, gguf []byte, cfg Config) error {
	family, err := familyOf(cfg.Architecture)
	if err != nil {
		return err
	}
	_, err = ollama.Register(ctx, client, name, ollama.Weights{
		File: cfg.Architecture + ".gguf", GGUF: gguf,
		Renderer: family.renderer, Parser: family.parser, Template: family.template,
	})
	return err
}
