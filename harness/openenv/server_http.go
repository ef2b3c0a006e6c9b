package openenv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// postReset begins an episode in an environment of its own, which ends with
// the request: HTTP has no sessions.
func (s *Server) postReset(w http.ResponseWriter, r *http.Request) {
	request, release, ok := s.request(w, r, s.forms.resetRequest, true)
	if !ok {
		return
	}
	defer release()
	options := resetOptions(request)
	s.once(w, r, "reset", func(ctx context.Context, env Environment) (json.RawMessage, error) {
		result, err := env.Reset(ctx, options)
		if err != nil {
			return nil, err
		}
		return observed(result, true)
	})
}

// postStep acts in an environment that was never reset.
func (s *Server) postStep(w http.ResponseWriter, r *http.Request) {
	request, release, ok := s.request(w, r, s.forms.stepRequest, false)
	if !ok {
		return
	}
	defer release()
	fields := mustMembers(request)
	action, err := s.actions(lookup(fields, "action"))
	if err != nil {
		s.fail(w, err)
		return
	}
	if limit, err := strconv.ParseFloat(string(lookup(fields, "timeout_s")), 64); err == nil {
		ctx, cancel := context.WithTimeout(r.Context(), time.Duration(min(limit, 1e6)*float64(time.Second)))
		defer cancel()
		r = r.WithContext(ctx)
	}
	s.once(w, r, "step", func(ctx context.Context, env Environment) (json.RawMessage, error) {
		result, err := env.Step(ctx, action)
		if err != nil {
			return nil, err
		}
		return observed(result, true)
	})
}

// getState is the state of an environment that was never reset.
func (s *Server) getState(w http.ResponseWriter, r *http.Request) {
	s.once(w, r, "state", func(ctx context.Context, env Environment) (json.RawMessage, error) {
		return stated(env.State(ctx))
	})
}

// once makes an environment, calls it once and closes it.
func (s *Server) once(w http.ResponseWriter, r *http.Request, method string, do func(context.Context, Environment) (json.RawMessage, error)) {
	reply, err := s.metered(method, func() (reply json.RawMessage, err error) {
		err = s.call(r.Context(), s.stray, func(ctx context.Context) error {
			env, err := s.spec.New(ctx)
			if err != nil {
				return &factoryError{s.spec.Name, err}
			}
			defer s.quietly(env.Close)
			reply, err = do(ctx, env)
			return err
		})
		return reply, err
	})
	if err != nil {
		s.fail(w, err)
		return
	}
	s.send(w, http.StatusOK, reply)
}

// fail tells an error: what is wrong with an action in full, of anything else
// that there is something, as Python servers do.
func (s *Server) fail(w http.ResponseWriter, err error) {
	if codeOf(err) == CodeValidation {
		data := errorData(err)
		detail := lookup(mustMembers(data), "errors")
		if detail == nil {
			detail = lookup(mustMembers(data), "message")
		}
		s.send(w, http.StatusUnprocessableEntity, object("detail", detail))
		return
	}
	if errors.Is(err, errBusy) {
		s.detail(w, http.StatusServiceUnavailable, "Too many requests wait already")
		return
	}
	cause := err
	var broken *factoryError
	if errors.As(err, &broken) { // whose own text is for clients
		cause = broken.err
	}
	s.options.Log.Warn("a request failed", "environment", s.spec.Name, "error", cause)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	s.write(w, http.StatusInternalServerError, []byte("Internal Server Error"))
}

// request reads a JSON body and checks its form. An optional one may be absent.
// The second result gives the body's memory back.
func (s *Server) request(w http.ResponseWriter, r *http.Request, form *schema, optional bool) (json.RawMessage, func(), bool) {
	body, release, ok := s.body(w, r)
	if !ok {
		return nil, nil, false
	}
	var p problems
	place := []any{"body"}
	input, why := readJSON(bytes.TrimPrefix(body, []byte("\uFEFF")))
	const noObject = "Input should be a valid dictionary or object to extract fields from"
	switch {
	case len(body) == 0 && optional:
		return json.RawMessage("{}"), release, true
	case len(body) == 0:
		p.add(place, json.RawMessage("null"), "missing", "Field required")
	case !isJSON(r.Header["Content-Type"]):
		p.add(place, encode(string(body)), "model_attributes_type", noObject)
	case !utf8.Valid(body) || why != nil && why.digits > 0:
		s.options.Meter.Refused(CodeValidation)
		s.detail(w, http.StatusBadRequest, "There was an error parsing the body")
		release()
		return nil, nil, false
	case why != nil:
		p.add([]any{"body", why.at}, json.RawMessage("{}"), "json_invalid", "JSON decode error", "error", why.what)
	case kindOf(input) != kindObject:
		p.add(place, input, "model_attributes_type", noObject)
	default:
		checked := form.check(&p, input, place)
		if len(p.list) == 0 {
			return checked, release, true
		}
	}
	s.options.Meter.Refused(CodeValidation)
	s.send(w, http.StatusUnprocessableEntity, object("detail", p.bare()))
	release()
	return nil, nil, false
}

// isJSON tells whether a body is to be read as JSON. One without a type is:
// some clients set none.
func isJSON(contentType []string) bool {
	if contentType == nil {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType[0])
	return err == nil && (kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}
