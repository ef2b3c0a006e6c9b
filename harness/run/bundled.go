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
	// Register makes the server have it, and says in one word what it did; ""
	// when that server had it.
	Register func(ctx context.Context, b infer.Backend) (did string, err error)
}

// is reports whether model names it, as servers understand names.
func (b *Bundled) is(model string) bool {
	return b != nil && strings.EqualFold(strings.TrimSuffix(model, ":latest"), b.Identity.Model)
}

// identify asks a server about the run's model. One that comes with the
// program is registered there before if change is set; else lacks tells that
// it would be.
func (d Dependencies) identify(ctx context.Context, b infer.Backend, model string, change bool) (id infer.Identity, lacks bool, err error) {
	id, err = b.Identify(ctx, model)
	switch {
	case !d.Bundled.is(model) || err != nil && !missing(err):
		return id, false, err
	case change:
		id, err = d.register(ctx, b, model, id)
	case err != nil || id.WeightsDigest != d.Bundled.Identity.WeightsDigest:
		return d.Bundled.Identity, true, nil
	}
	id.Embedded = id.WeightsDigest == d.Bundled.Identity.WeightsDigest
	return id, false, err
}

// register makes the server have the model that comes with the program; was is
// what it has under that name.
func (d Dependencies) register(ctx context.Context, b infer.Backend, model string, was infer.Identity) (infer.Identity, error) {
	did, err := d.Bundled.Register(ctx, b)
	if err != nil {
		return was, fmt.Errorf("%s: %w", b.Endpoint(), err)
	}
	if did == "" {
		return was, nil
	}
	other := ""
	if was.WeightsDigest != "" {
		other = fmt.Sprintf(" in the place of another one (weights %.19s…)", was.WeightsDigest)
	}
	d.Observer.Notice(fmt.Sprintf("%s %s at %s%s", model, did, b.Endpoint(), other))
	return b.Identify(ctx, model)
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
