package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"candor/infer"
)

// Bundled is a model that comes with the program: a run registers it with
// every server that is to be asked for it.
type Bundled struct {
	// Identity is what is known of it without a server.
	Identity infer.Identity
	// Is reports whether a name is its, as servers understand names.
	Is func(model string) bool
	// Differs tells in words in what the model that a server has under its name
	// differs from it, and changes nothing; none if it is that very model, or
	// if the server has none.
	Differs func(ctx context.Context, b infer.Backend) ([]string, error)
	// Register makes the server have it, and says in one word what it did; ""
	// when that server had it.
	Register func(ctx context.Context, b infer.Backend) (did string, err error)
}

func (b *Bundled) is(model string) bool { return b != nil && b.Is(model) }

// Lack is a server without the model that comes with the program.
type Lack struct {
	Endpoint string
	// Differs is in what that differs which it has under the name; nil if it
	// has none.
	Differs []string
}

// look asks a server about the run's model, and changes nothing. One that comes
// with the program and that the server lacks is told as it will be there.
func (d Dependencies) look(ctx context.Context, b infer.Backend, model string) (id infer.Identity, lack *Lack, err error) {
	id, err = b.Identify(ctx, model)
	if !d.Bundled.is(model) || err != nil && !missing(err) {
		return id, nil, err
	}
	lack = &Lack{Endpoint: b.Endpoint()}
	if err == nil {
		if lack.Differs, err = d.Bundled.Differs(ctx, b); err != nil {
			return id, nil, fmt.Errorf("%s: %w", b.Endpoint(), err)
		}
		if len(lack.Differs) == 0 {
			id.Embedded = true
			return id, nil, nil
		}
	}
	version := id.ServerVersion
	id = d.Bundled.Identity
	id.ServerVersion = version
	return id, lack, nil
}

// register makes a server have the model that it lacks, and says so.
func (d Dependencies) register(ctx context.Context, b infer.Backend, model string, lack *Lack) (infer.Identity, error) {
	did, err := d.Bundled.Register(ctx, b)
	if err != nil {
		return infer.Identity{}, fmt.Errorf("%s: %w", b.Endpoint(), err)
	}
	if did != "" {
		d.Observer.Notice(fmt.Sprintf("%s %s at %s%s", model, did, b.Endpoint(), lack.instead()))
	}
	id, err := b.Identify(ctx, model)
	id.Embedded = id.WeightsDigest == d.Bundled.Identity.WeightsDigest
	return id, err
}

func (l *Lack) instead() string {
	if len(l.Differs) == 0 {
		return ""
	}
	return ", in the place of another one; not the same were: " + strings.Join(l.Differs, ", ")
}

// missing tells a server that has no such model from one that cannot be asked.
func missing(err error) bool {
	var f *infer.Failure
	return errors.As(err, &f) && f.Status == http.StatusNotFound
}

// digest identifies a model wherever it is served. A server's manifest names
// the place of the weights on its disk if a client uploaded them, so that the
// manifests of two servers differ; of the embedded model the weights are
// compared, and registering it has seen to the rest.
func digest(id infer.Identity) string {
	if id.Embedded {
		return id.WeightsDigest
	}
	return id.Digest
}
