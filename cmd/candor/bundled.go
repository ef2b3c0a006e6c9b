package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"candor/harness/report"
	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/micro"
)

// newBundled is the model that is asked when none is named.
func newBundled() (*run.Bundled, error) {
	id, err := micro.Identity()
	return &run.Bundled{Identity: id, Is: micro.Is, Differs: differs, Register: register}, err
}

// differs tells in what a server's candor-micro is another one.
func differs(ctx context.Context, b infer.Backend) ([]string, error) {
	client, err := registrar(b)
	if err != nil {
		return nil, err
	}
	found, err := micro.Look(ctx, client.API())
	return found.Differs, err
}

func registrar(b infer.Backend) (*ollama.Client, error) {
	client, ok := b.(*ollama.Client)
	if !ok {
		return nil, fmt.Errorf("%s is no Ollama server: %s cannot be registered there", b.Endpoint(), micro.Name)
	}
	return client, nil
}

// register gives candor-micro to a server that lacks it.
func register(ctx context.Context, b infer.Backend) (did string, err error) {
	client, err := registrar(b)
	if err != nil {
		return "", err
	}
	r, err := micro.Install(ctx, client.API())
	if err != nil || r == ollama.Present {
		return "", err
	}
	return string(r), nil
}

// threads is the number of the engine's threads, 0 for the server's choice:
// what was asked for, else one for candor-micro. It is so small that on a CPU
// more threads only wait for each other, many times slower than one; on a GPU
// their number makes no difference.
func threads(model string, asked *int) int {
	switch {
	case asked != nil:
		return *asked
	case micro.Is(model):
		return 1
	}
	return 0
}

// announce says before all else that the model is the embedded one; of a run
// that is gone on with, the one that it was begun with.
func announce(w io.Writer, model string, b *run.Bundled, resumed string) {
	if !micro.Is(model) {
		return
	}
	id := b.Identity
	if m, err := run.LoadManifest(resumed); err == nil && m.Model.Embedded {
		id = m.Model
	}
	fmt.Fprintf(w, "candor: %s\n", strings.Join(strings.Fields(report.Embedded(id)), " "))
}
