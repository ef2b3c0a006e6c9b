package openenv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Health asks the server whether it is well.
func (r *Remote) Health(ctx context.Context) error {
	text, err := r.get(ctx, "/health")
	if err != nil {
		return err
	}
	var said struct {
		Status *string `json:"status"`
	}
	// That it answered is what counts; only its own word against it does, too.
	if json.Unmarshal(text, &said) == nil && said.Status != nil && *said.Status != "healthy" {
		return fmt.Errorf("%v/health says %q", r, shown(*said.Status))
	}
	return nil
}

// Schemas asks the server what its actions, observations and states look like.
// Servers of OpenEnv 0.1 cannot tell.
func (r *Remote) Schemas(ctx context.Context) (Schemas, error) {
	text, err := r.get(ctx, "/schema")
	if err != nil {
		return Schemas{}, err
	}
	var schemas Schemas
	err = eachMember(text, func(key string, value json.RawMessage) error {
		switch key {
		case "action":
			schemas.Action = value
		case "observation":
			schemas.Observation = value
		case "state":
			schemas.State = value
		}
		return nil
	})
	if err != nil {
		return Schemas{}, fmt.Errorf("%v/schema: %w", r, err)
	}
	return schemas, nil
}

// Metadata asks the server what it serves: a JSON object with name,
// description, readme_content, version, author and documentation_url.
func (r *Remote) Metadata(ctx context.Context) (json.RawMessage, error) {
	text, err := r.get(ctx, "/metadata")
	if err != nil {
		return nil, err
	}
	if err := eachMember(text, func(string, json.RawMessage) error { return nil }); err != nil {
		return nil, fmt.Errorf("%v/metadata: %w", r, err)
	}
	return text, nil
}

// get asks for one document.
func (r *Remote) get(ctx context.Context, path string) ([]byte, error) {
	transport, _ := r.transport()
	ctx, cancel := limited(ctx, r.options.ReplyTimeout, ErrReplyTimeout)
	defer cancel()
	text, err := r.ask(ctx, transport, http.MethodGet, path, nil)
	if err != nil {
		return nil, fmt.Errorf("%v%s: %w", r, path, err)
	}
	return text, nil
}

// A statusError is an HTTP reply other than 200.
type statusError struct {
	status int
	text   []byte // the beginning of what came with it
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%d %s %s", e.status, http.StatusText(e.status), shown(string(e.text)))
}

// ask makes an HTTP request and returns the body of a 200.
func (r *Remote) ask(ctx context.Context, transport http.RoundTripper, method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.at(path), bytes.NewReader(body))
	if err != nil {
		return nil, plain(err)
	}
	request.Header = r.header()
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := r.client(transport).Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ranOut(ctx, r.options.ReplyTimeout)
		}
		return nil, plain(err)
	}
	defer response.Body.Close()
	text, err := readAtMost(response.Body, r.options.MaxMessage)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ranOut(ctx, r.options.ReplyTimeout)
	case err != nil:
		return nil, err
	case response.StatusCode == http.StatusUnauthorized:
		return nil, ErrUnauthorized
	case response.StatusCode != http.StatusOK:
		return nil, &statusError{response.StatusCode, text}
	}
	return text, nil
}

func readAtMost(from io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = violation("a reply of more than %d bytes", limit)
	}
	return text, err
}

// A calls is a session with a server of OpenEnv 0.1, over HTTP. There is one
// environment, which everybody shares, and so nothing to connect or to end.
type calls struct {
	remote    *Remote
	transport *http.Transport

	mu    sync.Mutex
	stop  context.CancelCauseFunc // of the request under way
	cause error
}

// connectHTTP makes sure that the server is one of OpenEnv 0.1.
func (r *Remote) connectHTTP(ctx context.Context) (*calls, error) {
	if err := r.Health(ctx); err != nil {
		return nil, err
	}
	// From 0.2 on the HTTP form makes a new environment for every request.
	if _, err := r.get(ctx, "/schema"); err == nil {
		return nil, ErrStateless
	}
	transport, _ := r.transport()
	transport.DisableKeepAlives = false
	return &calls{remote: r, transport: transport}, nil
}

func (c *calls) form() string { return FormHTTP }

func (c *calls) exchange(ctx context.Context, kind, _ string, data json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := limited(ctx, c.remote.options.ReplyTimeout, ErrReplyTimeout)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c.mu.Lock()
	c.stop = stop
	cause := c.cause
	c.mu.Unlock()
	if cause != nil {
		return nil, cause
	}
	text, err := c.call(ctx, kind, data)
	var status *statusError
	switch {
	case errors.As(err, &status):
		return nil, status.told()
	case err != nil:
		// Whether the request was carried out is not known.
		c.drop(err)
		return nil, err
	default:
		return text, nil
	}
}

func (c *calls) call(ctx context.Context, kind string, data json.RawMessage) ([]byte, error) {
	switch kind {
	case "state":
		return c.remote.ask(ctx, c.transport, http.MethodGet, "/state", nil)
	case "step":
		// As its own client says it.
		body := append(append([]byte(`{"action":`), data...), `,"timeout_s":`...)
		seconds := max(1, c.remote.options.ReplyTimeout/time.Second)
		return c.remote.ask(ctx, c.transport, http.MethodPost, "/step", append(strconv.AppendInt(body, int64(seconds), 10), '}'))
	default:
		return c.remote.ask(ctx, c.transport, http.MethodPost, "/reset", data)
	}
}

// told is what the server of a newer version would have said.
func (e *statusError) told() *Error {
	code := CodeExecution
	if e.status == http.StatusUnprocessableEntity {
		code = CodeValidation
	}
	return &Error{Code: code, Message: e.Error()}
}

func (c *calls) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

func (c *calls) drop(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		c.cause = cause
	}
	if c.stop != nil {
		c.stop(cause)
	}
}

func (c *calls) alive(context.Context) {}

func (c *calls) end(cause error) {
	c.drop(cause)
	c.transport.CloseIdleConnections()
}
