package ollama

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"candor/infer"

	"github.com/ollama/ollama/api"
)

// Weights is a model in one GGUF file and the chat format in which it is
// asked: a renderer and a parser that servers have by these names, or a
// template.
type Weights struct {
	File             string // a file name, for the server
	GGUF             []byte
	Renderer, Parser string
	Template         string
}

// Digest is the file's, as servers name it: "sha256:" and hex digits.
func (w Weights) Digest() string { return fmt.Sprintf("sha256:%x", sha256.Sum256(w.GGUF)) }

// Registration says what Register found and did.
type Registration string

const (
	Present    Registration = "present"    // the server had that very model
	Registered Registration = "registered" // it had none of that name
	Replaced   Registration = "replaced"   // it had another one under that name
)

// Register makes the server have w under name. A server that has that very
// model already is left alone; another one of that name is replaced. Several
// may register the same model at once. What keeps a server from taking it is
// an *infer.Failure that says what to do.
func Register(ctx context.Context, client *api.Client, name string, w Weights) (Registration, error) {
	before, err := Look(ctx, client, name, w)
	if err != nil || before.Same() {
		return Present, err
	}
	after := before
	// More than once only where another one registers at the same moment.
	for try := 0; try < mostTries && !after.Same(); try++ {
		if err := upload(ctx, client, name, w); err != nil {
			return "", err
		}
		if after, err = Look(ctx, client, name, w); err != nil {
			return "", err
		}
	}
	if !after.Same() {
		return "", after.rejected(name)
	}
	if before.Missing {
		return Registered, nil
	}
	return Replaced, nil
}

const (
	mostTries = 4
	firstWait = 100 * time.Millisecond // between tries, doubled each time
)

func upload(ctx context.Context, client *api.Client, name string, w Weights) error {
	digest := w.Digest()
	if err := client.CreateBlob(ctx, digest, bytes.NewReader(w.GGUF)); err != nil {
		return refusedModel(name, "uploading its weights", err)
	}
	request := &api.CreateRequest{
		Model: name, Files: map[string]string{w.File: digest},
		Renderer: w.Renderer, Parser: w.Parser, Template: w.Template,
	}
	if err := client.Create(ctx, request, func(api.ProgressResponse) error { return nil }); err != nil {
		return refusedModel(name, "creating it", err)
	}
	return nil
}

// Found is what a server has under a name, beside what it should have.
type Found struct {
	Missing bool     // it has none of that name
	Differs []string // what is not as it should be, in words: "the weights"
}

// Same reports whether the server has that very model.
func (f Found) Same() bool { return !f.Missing && len(f.Differs) == 0 }

// rejected is the error of a server that took a model and has another.
func (f Found) rejected(name string) error {
	err := fmt.Errorf("the server took %s, but does not have it as it was given: %s", name, strings.Join(f.Differs, ", "))
	if f.Missing {
		err = fmt.Errorf("the server took %s, but does not have it", name)
	}
	return &infer.Failure{
		Class: infer.ClassFatal, Err: err,
		Hint: "it may be too old (v0.17.4 or newer is needed), or another program registers another model under that name",
	}
}

// Look compares what the server has under name with w, as Register does, and
// changes nothing. It looks again where the server fails for a moment: servers
// write the entry of a model in place, and half of one may be met.
func Look(ctx context.Context, client *api.Client, name string, w Weights) (Found, error) {
	for try := 0; ; try++ {
		shown, err := client.Show(ctx, &api.ShowRequest{Model: name})
		var status api.StatusError
		code := 0
		if errors.As(err, &status) {
			code = status.StatusCode
		}
		switch {
		case err == nil:
			return compare(shown, w), nil
		case code == http.StatusNotFound && !isWebPage(status.ErrorMessage):
			return Found{Missing: true}, nil
		case code < http.StatusInternalServerError || try == mostTries-1:
			return Found{}, refusedModel(name, "asking for it", err)
		}
		if err := sleep(ctx, firstWait<<try); err != nil {
			return Found{}, err
		}
	}
}

func compare(shown *api.ShowResponse, w Weights) Found {
	var id infer.Identity
	readModelfile(shown.Modelfile, &id) // servers tell the weights' digest nowhere else
	weights := "the weights"
	if id.WeightsDigest != "" {
		weights += fmt.Sprintf(" (%.19s…)", id.WeightsDigest)
	}
	var f Found
	for _, part := range []struct {
		name  string
		equal bool
	}{
		{weights, id.WeightsDigest == w.Digest()},
		{"the renderer", id.Renderer == w.Renderer},
		{"the parser", id.Parser == w.Parser},
		{"the template", w.Template == "" || shown.Template == w.Template},
		{"the parameters", shown.Parameters == ""},
		{"the system text", shown.System == ""},
		{"the messages before the question", len(shown.Messages) == 0},
	} {
		if !part.equal {
			f.Differs = append(f.Differs, part.name)
		}
	}
	return f
}

// refusals are the reasons for which servers do not take a model, by the
// texts that they give, in lower case.
var refusals = []struct{ text, hint string }{
	{"read-only file system", cannotWrite},
	{"permission denied", cannotWrite},
	{"no space left", "the disk of the server's model store is full"},
	{"modelfile are required", "the server is too old to be given this model: use Ollama v0.17.4 or newer (export OLLAMA_HOST=$(scripts/ollama.sh start) starts one)"},
}

const (
	cannotWrite = "the server cannot write to its model store: see its OLLAMA_MODELS, or use a server of your own (export OLLAMA_HOST=$(scripts/ollama.sh start))"
	noRights    = "this server lets you register no models: name one that it has with --model, or use a server of your own (export OLLAMA_HOST=$(scripts/ollama.sh start))"
)

// refusedModel says why a server does not take a model, and what to do.
func refusedModel(name, doing string, err error) error {
	f := &infer.Failure{Class: infer.ClassFatal, Err: fmt.Errorf("registering %s: %s: %w", name, doing, err)}
	var auth api.AuthorizationError
	var status api.StatusError
	if connectionLost(err) {
		f.Hint = "the server went away: start it again, then run the same command again"
	}
	if errors.As(err, &auth) {
		f.Status, f.Hint = auth.StatusCode, noRights
	}
	if errors.As(err, &status) {
		f.Status = status.StatusCode
		f.Err = fmt.Errorf("registering %s: %s: the server answered %w", name, doing, brief(status))
	}
	switch f.Status {
	case http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		f.Hint = noRights
	case http.StatusRequestEntityTooLarge:
		f.Hint = tooLarge
	}
	for _, r := range refusals {
		if strings.Contains(strings.ToLower(err.Error()), r.text) {
			f.Hint = r.hint
		}
	}
	return f
}

// connectionLost tells a connection that broke, or that none could be made,
// from an answer, a redirection and the caller's own end.
func connectionLost(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errRedirect) {
		return false
	}
	return errors.As(err, new(*net.OpError)) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
