package openenv

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"unicode"
)

// metadata is what GET /metadata tells.
func (s *Server) metadata() json.RawMessage {
	orNull := func(text string) json.RawMessage {
		if text == "" {
			return json.RawMessage("null")
		}
		return encode(text)
	}
	description := s.spec.Description
	if description == "" {
		description = s.spec.Name + " environment"
	}
	return object("name", s.spec.Name, "description", description, "readme_content", orNull(s.spec.Readme),
		"version", orNull(s.spec.Version), "author", orNull(s.spec.Author), "documentation_url", orNull(s.spec.URL))
}

// complete gives schemas that lack one a title, and those that are absent
// their general form.
func (s Schemas) complete(name string) (Schemas, error) {
	for _, one := range []struct {
		schema         *json.RawMessage
		what, fallback string
	}{
		{&s.Action, "Action", `{"additionalProperties":true,"type":"object"}`},
		{&s.Observation, "Observation", `{"additionalProperties":true,"type":"object"}`},
		{&s.State, "State", `{"additionalProperties":true,"properties":{` +
			`"episode_id":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Episode Id"},` +
			`"step_count":{"default":0,"minimum":0,"title":"Step Count","type":"integer"}},"type":"object"}`},
	} {
		if len(*one.schema) == 0 {
			*one.schema = json.RawMessage(one.fallback)
		}
		schema, err := compactObject(*one.schema)
		if err != nil {
			return s, fmt.Errorf("schema of the %s: %w", strings.ToLower(one.what), err)
		}
		if lookup(mustMembers(schema), "title") == nil {
			schema = join(append(mustMembers(schema), member{"title", encode(camel(name) + one.what)}))
		}
		*one.schema = schema
	}
	return s, nil
}

// camel is a name as a class would have it: number-sort is NumberSort.
func camel(name string) string {
	var out strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		letters := []rune(word)
		letters[0] = unicode.ToUpper(letters[0])
		out.WriteString(string(letters))
	}
	return out.String()
}

// describe is the OpenAPI document: what there is at which path.
func (s *Server) describe() json.RawMessage {
	answer := func(description string, schema json.RawMessage) json.RawMessage {
		return object("200", object("description", description,
			"content", object("application/json", object("schema", schema))))
	}
	operation := func(summary string, body, responses json.RawMessage) json.RawMessage {
		pairs := []any{"summary", summary}
		if body != nil {
			pairs = append(pairs, "requestBody", object("content", object("application/json", object("schema", body))))
		}
		return object(append(pairs, "responses", responses)...)
	}
	anything := json.RawMessage(`{"type":"object","additionalProperties":true}`)
	observation := object("type", "object", "properties", object(
		"observation", anything,
		"reward", json.RawMessage(`{"type":["number","null"]}`),
		"done", json.RawMessage(`{"type":"boolean"}`),
		"metadata", json.RawMessage(`{"type":["object","null"],"additionalProperties":true}`)))
	reset := json.RawMessage(`{"type":"object","additionalProperties":true,"properties":{` +
		`"seed":{"type":["integer","null"],"minimum":0},"episode_id":{"type":["string","null"],"maxLength":255}}}`)
	step := json.RawMessage(`{"type":"object","additionalProperties":true,"required":["action"],"properties":{` +
		`"action":{"type":"object"},"timeout_s":{"type":["number","null"],"exclusiveMinimum":0},"request_id":{"type":["string","null"],"maxLength":255}}}`)
	rpc := json.RawMessage(`{"type":"object","required":["jsonrpc","method"],"properties":{` +
		`"jsonrpc":{"const":"2.0"},"method":{"type":"string"},"params":{"type":"object"},"id":{"type":["string","integer","null"]}}}`)
	return object("openapi", "3.1.0",
		"info", object("title", "OpenEnv Environment HTTP API", "version", "1.0.0",
			"description", "Sessions are WebSockets on /ws. Over HTTP every request has an environment of its own, which ends with it."),
		"paths", object(
			"/reset", object("post", operation("Begin an episode", reset, answer("The first observation", observation))),
			"/step", object("post", operation("Act", step, answer("What the action leads to", observation))),
			"/state", object("get", operation("The state of a new environment", nil, answer("The state", anything))),
			"/health", object("get", operation("Whether the server is well", nil, answer("It is", anything))),
			"/schema", object("get", operation("JSON Schemas of actions, observations and states", nil, answer("The schemas", anything))),
			"/metadata", object("get", operation("What the environment is", nil, answer("Name, description, version", anything))),
			"/mcp", object("post", operation("JSON-RPC 2.0", rpc, answer("The reply, errors too", anything))),
			"/list_environments", object("get", operation("The names of what is served", nil, answer("The names", json.RawMessage(`{"type":"array","items":{"type":"string"}}`)))),
		))
}

// page is /docs: a page for people, which loads nothing from elsewhere.
func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>%[1]s</title>
<style>body{font:16px/1.5 system-ui;max-width:44em;margin:3em auto;padding:0 1em}</style>
<h1>%[1]s</h1><p>%[2]s</p>
<p>An <a href="https://github.com/huggingface/OpenEnv">OpenEnv</a> server. Sessions are WebSockets on <code>/ws</code>.
<ul><li><a href="/schema">Schemas</a> of actions, observations and states
<li><a href="/metadata">Metadata</a> of the environment
<li><a href="/openapi.json">OpenAPI</a> document of the HTTP endpoints
<li><a href="/health">Health</a></ul></html>
`, html.EscapeString(s.spec.Name), html.EscapeString(s.spec.Description))
}

// taskRoute is the task API of servers from 0.4 on, which environments here do
// not have: 501, or 404 for another environment's.
func (s *Server) taskRoute(path string) (route, bool) {
	name, what, two := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if !two || name == "" {
		return route{}, false
	}
	unsupported := func(method string, form *schema) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if form != nil {
				_, release, ok := s.request(w, r, form, false)
				if !ok {
					return
				}
				release()
			}
			if !strings.EqualFold(name, s.spec.Name) {
				s.detail(w, http.StatusNotFound, "unknown environment "+quoted(name))
				return
			}
			s.detail(w, http.StatusNotImplemented, method+" is not supported for this environment")
		}
	}
	post := func(method string, form *schema) (route, bool) {
		return route{methods: map[string]http.HandlerFunc{"POST": unsupported(method, form)}}, true
	}
	switch what {
	case "splits":
		return route{methods: map[string]http.HandlerFunc{"GET": unsupported("list_splits", nil)}}, true
	case "tasks":
		return post("list_tasks", s.forms.splitRequest)
	case "num_tasks":
		return post("num_tasks", s.forms.splitRequest)
	case "task":
		return post("get_task", s.forms.indexRequest)
	case "task_range":
		return post("get_task_range", s.forms.rangeRequest)
	}
	return route{}, false
}
