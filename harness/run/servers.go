package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"candor/imageproc"
	"candor/infer"
)

// servers are the endpoints of a run, known to serve one and the same model,
// and those of several that did not answer so far.
type servers struct {
	backends []infer.Backend
	identity infer.Identity
	of       string // the endpoint that identity is of
	lacking  []Lack // where a bundled model would have to be registered

	mu      sync.Mutex
	known   map[string]infer.Identity // what each endpoint said of the model
	away    map[string]error          // why an endpoint did not answer
	refused map[string]bool           // endpoints that get no tasks at all
}

// connect identifies the model at every host, without inference. A model that
// comes with the program is registered where it is not if change is set, but
// only once all hosts are known to fit together. One of several hosts that does
// not answer is kept for when it does.
func connect(ctx context.Context, cfg Config, deps Dependencies, change bool) (*servers, error) {
	s := &servers{known: map[string]infer.Identity{}, away: map[string]error{}, refused: map[string]bool{}}
	hosts := deps.hosts(cfg.Hosts)
	for _, h := range hosts {
		b, err := s.open(h, deps)
		if err != nil {
			return s, usage(err)
		}
		s.backends = append(s.backends, b)
		id, lack, err := deps.look(ctx, b, cfg.Model)
		if errors.Is(err, infer.ErrNoServer) && len(hosts) > 1 && ctx.Err() == nil {
			s.lose(b, err)
			continue
		}
		if err == nil {
			err = s.fits(b, id, cfg)
		}
		if err != nil {
			return s, err
		}
		if lack != nil {
			s.lacking = append(s.lacking, *lack)
		} else {
			s.present(b, id)
		}
		if s.of == "" || lack == nil && s.lacks(s.of) != nil { // better one that has the model
			s.identity, s.of = id, b.Endpoint()
		}
	}
	if change {
		if err := s.supply(ctx, cfg, deps); err != nil {
			return s, err
		}
	}
	return s, s.some(deps)
}

// supply registers the model wherever it is lacking.
func (s *servers) supply(ctx context.Context, cfg Config, deps Dependencies) error {
	for _, b := range s.backends {
		lack := s.lacks(b.Endpoint())
		if lack == nil {
			continue
		}
		id, err := deps.register(ctx, b, cfg.Model, lack)
		if err == nil {
			err = s.fits(b, id, cfg)
		}
		if err != nil {
			return err
		}
		if s.lacks(s.of) != nil {
			s.identity, s.of = id, b.Endpoint()
		}
		s.lacking = slices.DeleteFunc(s.lacking, func(l Lack) bool { return l.Endpoint == b.Endpoint() })
		s.present(b, id)
	}
	return nil
}

// lacks is what an endpoint has instead of the model, nil if it has the model.
func (s *servers) lacks(endpoint string) *Lack {
	if i := slices.IndexFunc(s.lacking, func(l Lack) bool { return l.Endpoint == endpoint }); i >= 0 {
		l := s.lacking[i]
		return &l
	}
	return nil
}

// fits refuses a server whose model cannot do the task, or is not that of the
// servers before it.
func (s *servers) fits(b infer.Backend, id infer.Identity, cfg Config) error {
	if err := usable(id, cfg); err != nil {
		return fmt.Errorf("%s: %w", b.Endpoint(), err)
	}
	return s.agrees(b, id, cfg)
}

// some refuses endpoints of which none answers, and names those that do not.
func (s *servers) some(deps Dependencies) error {
	for _, b := range s.backends {
		err := s.absent(b)
		if err == nil {
			continue
		}
		if len(s.away) == len(s.backends) {
			return err
		}
		deps.Observer.Notice(fmt.Sprintf("%s takes no part until it answers: %v", b.Endpoint(), err))
	}
	return nil
}

// hosts are those named, a list by commas being several; none is the default.
func (d Dependencies) hosts(named []string) []string {
	var hosts []string
	for _, h := range named {
		hosts = append(hosts, strings.Split(h, ",")...)
	}
	if len(hosts) == 0 && d.DefaultHosts != nil {
		hosts = d.DefaultHosts()
	}
	if len(hosts) == 0 {
		hosts = []string{""}
	}
	return hosts
}

func (s *servers) open(host string, deps Dependencies) (infer.Backend, error) {
	b, err := deps.Connect(host)
	if err == nil && slices.ContainsFunc(s.backends, func(o infer.Backend) bool { return o.Endpoint() == b.Endpoint() }) {
		err = fmt.Errorf("--host %s is named twice: %s", host, b.Endpoint())
	}
	return b, err
}

// agrees refuses a server that differs from those before it. A model that a
// client made has another manifest on each server's disk; where all else that
// the servers show of it is equal, the user may accept that.
func (s *servers) agrees(b infer.Backend, id infer.Identity, cfg Config) error {
	was := s.identity
	one := was.ServerVersion == "" || id.ServerVersion == was.ServerVersion
	alike := id.ContentDigest != "" && id.ContentDigest == was.ContentDigest
	if one && (was.ServerVersion == "" || digest(id) == digest(was) || alike && cfg.AcceptServer) {
		return nil
	}
	err := fmt.Errorf("%s serves %s of digest %.12s on version %s, but %s serves %.12s on %s; one run needs one model and one version",
		b.Endpoint(), id.Model, digest(id), id.ServerVersion, s.of, digest(was), was.ServerVersion)
	if digest(id) == digest(was) {
		err = fmt.Errorf("%s runs version %s, but %s runs %s; one run needs one model and one version", b.Endpoint(), id.ServerVersion, s.of, was.ServerVersion)
	}
	if one && alike {
		err = fmt.Errorf("%w. Weights, template and parameters are equal: if it was made at each server, by ollama create, --accept-server-change takes it for one", err)
	}
	return err
}

// present notes what an endpoint says of the model.
func (s *servers) present(b infer.Backend, id infer.Identity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.away, b.Endpoint())
	if _, ok := s.known[b.Endpoint()]; !ok {
		s.known[b.Endpoint()] = id
	}
}

func (s *servers) lose(b infer.Backend, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away[b.Endpoint()] = err
}

// refuse puts an endpoint aside for good.
func (s *servers) refuse(endpoint string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[endpoint] = true
}

// serves tells whether an endpoint may get tasks, now or when it answers.
func (s *servers) serves(endpoint string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.refused[endpoint]
}

// absent is why an endpoint did not answer so far, nil if it did.
func (s *servers) absent(b infer.Backend) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.away[b.Endpoint()]
}

// said is what an endpoint said of the model when it was first asked.
func (s *servers) said(b infer.Backend) (infer.Identity, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok := s.known[b.Endpoint()]
	return id, ok
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

// family is the model's image family, with what its metadata says. For an
// architecture that is not known it is Qwen3.5's, whose limits suit most
// servers, and ok is false.
func family(id infer.Identity) (f imageproc.Family, ok bool) {
	if f, ok = imageproc.FamilyOf(id.Architecture); ok {
		v := id.Vision
		return f.As(imageproc.Metadata{PatchSize: v.PatchSize, SpatialMergeSize: v.MergeSize, ShortestEdge: v.ShortestEdge, MaxPixels: v.MaxPixels}), true
	}
	f, _ = imageproc.FamilyOf("qwen35")
	return f, false
}
