package ollama

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"candor/infer"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
)

// RandomNamePrefix begins the name of every model that was made with random
// weights (package tinyvlm), in its metadata, so that no figure of such a model
// is taken for one that means something.
const RandomNamePrefix = "candor-tiny random"

// Identify reports the server's version and everything it tells of the model,
// without inference. A server that does not answer, or has no such model, is
// a fatal failure that says what to do; of a server that answers the version is
// known even then.
func (c *Client) Identify(ctx context.Context, model string) (infer.Identity, error) {
	call, cancel := c.withDeadline(ctx)
	defer cancel()
	id, err := c.identify(call, model)
	if ctx.Err() != nil {
		return infer.Identity{}, ctx.Err()
	}
	return id, err
}

func (c *Client) identify(ctx context.Context, model string) (infer.Identity, error) {
	version, err := c.api.Version(ctx)
	if err == nil && version == "" {
		err = errors.New("it tells no version")
	}
	if err != nil {
		return infer.Identity{}, c.unreachable(err)
	}
	show, err := c.api.Show(ctx, &api.ShowRequest{Model: model})
	if err != nil {
		return infer.Identity{ServerVersion: version}, aboutModel(model, err)
	}
	listed, err := c.listed(ctx, model)
	if err != nil {
		return infer.Identity{}, aboutModel(model, err)
	}
	id := infer.Identity{
		ServerVersion: version, Model: model, Digest: listed.Digest,
		ParameterSize: show.Details.ParameterSize, Quantization: show.Details.QuantizationLevel,
		Renderer: show.Renderer, Parser: show.Parser,
	}
	for _, cap := range show.Capabilities {
		id.Capabilities = append(id.Capabilities, string(cap))
	}
	id.Architecture, _ = show.ModelInfo["general.architecture"].(string)
	// Servers keep general.name to themselves.
	id.Name, _ = show.ModelInfo["general.basename"].(string)
	id.RandomWeights = strings.HasPrefix(id.Name, RandomNamePrefix)
	number := func(key string) int {
		n, _ := show.ModelInfo[id.Architecture+"."+key].(float64)
		return int(n)
	}
	id.TrainedContext = number("context_length")
	id.Vision = infer.Vision{
		PatchSize: number("vision.patch_size"), MergeSize: number("vision.spatial_merge_size"),
		ShortestEdge: number("vision.shortest_edge"), MaxPixels: number("vision.max_pixels"),
	}
	readModelfile(show.Modelfile, &id)
	id.ContentDigest = contentDigest(show, id.Renderer, id.Parser)
	return id, nil
}

// aboutModel classifies an error of a question about the model: there is no
// task yet whose fault it could be.
func aboutModel(model string, err error) error {
	err = classify(model, err)
	var f *infer.Failure
	if errors.As(err, &f) && f.Class == infer.ClassTask {
		f.Class = infer.ClassFatal
	}
	return err
}

// unreachable explains a server that did not answer its first question.
func (c *Client) unreachable(err error) error {
	var auth api.AuthorizationError
	if errors.As(err, &auth) {
		return &infer.Failure{
			Class: infer.ClassFatal, Status: auth.StatusCode,
			Err:  fmt.Errorf("%s wants authorisation: it answered %d %s", c.Endpoint(), auth.StatusCode, http.StatusText(auth.StatusCode)),
			Hint: "give what it wants in the address (--host http://user:password@host:port), or name another server with --host",
		}
	}
	var status api.StatusError
	if errors.As(err, &status) {
		err = fmt.Errorf("answered %w", brief(status))
	}
	return &infer.Failure{
		Class: infer.ClassFatal,
		Err:   fmt.Errorf("no Ollama server at %s: %w%w", c.Endpoint(), err, unsaid{infer.ErrNoServer}),
		Hint:  "start one (export OLLAMA_HOST=$(scripts/ollama.sh start), or docker compose up) or name it with --host or OLLAMA_HOST",
	}
}

// unsaid marks an error without adding to its text.
type unsaid struct{ mark error }

func (unsaid) Error() string   { return "" }
func (u unsaid) Unwrap() error { return u.mark }

func (c *Client) listed(ctx context.Context, model string) (api.ListModelResponse, error) {
	list, err := c.api.List(ctx)
	if err != nil {
		return api.ListModelResponse{}, err
	}
	for _, m := range list.Models {
		if sameModel(m.Model, model) || sameModel(m.Name, model) {
			return m, nil
		}
	}
	return api.ListModelResponse{}, nil
}

// sameModel compares names as the server does: what is left out of a name
// (registry, namespace, tag) means the default, and case does not matter.
func sameModel(a, b string) bool {
	return model.ParseName(a).EqualFold(model.ParseName(b))
}

// readModelfile takes from the Modelfile what servers do not tell otherwise:
// the digest of the weights, and the renderer and parser.
func readModelfile(text string, id *infer.Identity) {
	if blobs := blobsOf(text, "FROM"); len(blobs) > 0 {
		id.WeightsDigest = blobs[0]
	}
	for word, rest := range commands(text) {
		switch word {
		case "RENDERER":
			id.Renderer = rest
		case "PARSER":
			id.Parser = rest
		}
	}
}

// commands are a Modelfile's, in capitals, with what follows on their lines.
// Texts in triple quotes (template, system, licence) are skipped: their lines
// are no commands.
func commands(text string) iter.Seq2[string, string] {
	return func(yield func(word, rest string) bool) {
		quoted := false
		for line := range strings.Lines(text) {
			inside := quoted
			if strings.Count(line, `"""`)%2 == 1 {
				quoted = !quoted
			}
			if inside {
				continue
			}
			word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if !yield(strings.ToUpper(word), strings.Trim(strings.TrimSpace(rest), `"`)) {
				return
			}
		}
	}
}

// Residency reports where the server holds the model, from its process list.
func (c *Client) Residency(ctx context.Context, model string) (infer.Residency, error) {
	call, cancel := c.withDeadline(ctx)
	defer cancel()
	ps, err := c.api.ListRunning(call)
	if ctx.Err() != nil {
		return infer.Residency{}, ctx.Err()
	}
	if err != nil {
		return infer.Residency{}, classify(model, err)
	}
	for _, m := range ps.Models {
		if sameModel(m.Model, model) || sameModel(m.Name, model) {
			return infer.Residency{Loaded: true, Size: m.Size, SizeVRAM: m.SizeVRAM, ContextLength: m.ContextLength}, nil
		}
	}
	return infer.Residency{}, nil
}

// Release asks the server to unload the model once the requests in flight at
// it have ended. It is loaded again by the next request.
func (c *Client) Release(ctx context.Context, model string) error {
	ctx, cancel := c.withDeadline(ctx)
	defer cancel()
	stream := false
	err := c.api.Generate(ctx, &api.GenerateRequest{Model: model, Stream: &stream, KeepAlive: &api.Duration{}},
		func(api.GenerateResponse) error { return nil })
	if err != nil {
		return classify(model, err)
	}
	return nil
}
