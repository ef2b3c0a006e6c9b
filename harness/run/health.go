package run

import (
	"sync"

	"candor/infer"
)

// health is how the endpoints of a session do, so that at its end a failure
// that lasts can be told from one that passed.
type health struct {
	mu sync.Mutex
	of map[string]*condition
}

type condition struct {
	answers int   // in all
	rests   int   // since the last answer
	cause   error // of the last rest
}

func (h *health) at(endpoint string) *condition {
	if h.of == nil {
		h.of = map[string]*condition{}
	}
	c := h.of[endpoint]
	if c == nil {
		c = &condition{}
		h.of[endpoint] = c
	}
	return c
}

func (h *health) answered(endpoint string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.at(endpoint)
	c.answers, c.rests, c.cause = c.answers+1, 0, nil
}

func (h *health) rested(e infer.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.at(e.Endpoint)
	c.rests, c.cause = c.rests+1, e.Err
}

// passing is how often in a row an endpoint may fail, after an answer, for that
// to be a matter of the moment.
const passing = 2

// failing is why an endpoint does not do its part, if it does not at all or
// failed more than in passing since its last answer.
func (h *health) failing(endpoint string) (answers int, cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.at(endpoint)
	if c.answers > 0 && c.rests <= passing {
		return c.answers, nil
	}
	return c.answers, c.cause
}
