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
	lacking  []string // where a bundled model would have to be registered
}

// connect identifies the model at every host, without inference. A model that
// comes with the program is registered there first if change is set.
func connect(ctx context.Context, cfg Config, deps Dependencies, change bool) (servers, error) {
	var s servers
	hosts := cfg.Hosts
	if len(hosts) == 0 {
		hosts = []string{""}
	}
	for _, h := range hosts {
		b, err := s.open(h, deps)
		if err != nil {
			return s, usage(err)
		}
		id, lacks, err := deps.identify(ctx, b, cfg.Model, change)
		if err != nil {
			return s, err
		}
		if err := usable(id, cfg); err != nil {
			return s, fmt.Errorf("%s: %w", b.Endpoint(), err)
		}
		if lacks {
			s.lacking = append(s.lacking, b.Endpoint())
		} else if err := s.agrees(b, id); err != nil {
			return s, err
		}
		if s.identity.ServerVersion == "" { // none yet, or of a server that lacks the model
			s.identity = id
		}
		s.backends = append(s.backends, b)
	}
	return s, nil
}

func (s *servers) open(host string, deps Dependencies) (infer.Backend, error) {
	b, err := deps.Connect(host)
	if err == nil && slices.ContainsFunc(s.backends, func(o infer.Backend) bool { return o.Endpoint() == b.Endpoint() }) {
		err = fmt.Errorf("--host %s is named twice: %s", host, b.Endpoint())
	}
	return b, err
}

// agrees refuses a server that differs from those before it.
func (s *servers) agrees(b infer.Backend, id infer.Identity) error {
	was := s.identity
	if was.ServerVersion == "" || digest(id) == digest(was) && id.ServerVersion == was.ServerVersion {
		return nil
	}
	return fmt.Errorf("%s serves %s of digest %.12s on version %s, but %s serves %.12s on %s; one run needs one model and one version",
		b.Endpoint(), id.Model, digest(id), id.ServerVersion, s.backends[0].Endpoint(), digest(was), was.ServerVersion)
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
