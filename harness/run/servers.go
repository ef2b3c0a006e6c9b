package run

import (
	"context"
	"fmt"
	"slices"

	"candor/imageproc"
	"candor/infer"
)

// servers are the endpoints of a run, known to serve one and the same model.
type servers struct {
	backends []infer.Backend
	identity infer.Identity
}

// connect identifies the model at every host, without inference.
func connect(ctx context.Context, cfg Config, deps Dependencies) (servers, error) {
	var s servers
	hosts := cfg.Hosts
	if len(hosts) == 0 {
		hosts = []string{""}
	}
	for _, h := range hosts {
		b, err := deps.Connect(h)
		if err != nil {
			return s, usage(err)
		}
		if slices.ContainsFunc(s.backends, func(o infer.Backend) bool { return o.Endpoint() == b.Endpoint() }) {
			return s, usagef("--host %s is named twice: %s", h, b.Endpoint())
		}
		id, err := b.Identify(ctx, cfg.Model)
		if err != nil {
			return s, err
		}
		if err := usable(id, cfg); err != nil {
			return s, fmt.Errorf("%s: %w", b.Endpoint(), err)
		}
		if len(s.backends) > 0 && (id.Digest != s.identity.Digest || id.ServerVersion != s.identity.ServerVersion) {
			return s, fmt.Errorf("%s serves %s of digest %.12s on version %s, but %s serves %.12s on %s; one run needs one model and one version",
				b.Endpoint(), cfg.Model, id.Digest, id.ServerVersion, s.backends[0].Endpoint(), s.identity.Digest, s.identity.ServerVersion)
		}
		s.backends, s.identity = append(s.backends, b), id
	}
	return s, nil
}

// usable refuses a model that cannot do the task, before it is asked.
func usable(id infer.Identity, cfg Config) error {
	has := func(capability string) bool {
		return len(id.Capabilities) == 0 || slices.Contains(id.Capabilities, capability) // none: a server that tells nothing
	}
	if !has("vision") {
		return fmt.Errorf("model %s has no vision (capabilities: %v); choose a vision model, such as qwen3.5:4b", id.Model, id.Capabilities)
	}
	if o, err := cfg.Options(); err == nil && o.Think && !has("thinking") {
		return fmt.Errorf("model %s does not support thinking; choose a profile with thinking off, such as %s", id.Model, infer.DefaultProfile)
	}
	return nil
}

// family is the model's image family. For an architecture that is not known
// it is Qwen3.5's, whose limits suit most servers, and ok is false.
func family(id infer.Identity) (f imageproc.Family, ok bool) {
	if f, ok = imageproc.FamilyOf(id.Architecture); ok {
		return f, true
	}
	f, _ = imageproc.FamilyOf("qwen35")
	return f, false
}
