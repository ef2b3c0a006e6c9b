package openenv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/coder/websocket"
)

// The codes of JSON-RPC.
const (
	rpcParse    = -32700
	rpcInvalid  = -32600
	rpcNoMethod = -32601
	rpcParams   = -32602
	rpcInternal = -32603
	rpcServer   = -32000
)

// An rpcError is what a request ended in.
type rpcError struct {
	code    int
	message string
	data    json.RawMessage
}

func rpcReply(id, result json.RawMessage, failed *rpcError) json.RawMessage {
	if id == nil {
		id = json.RawMessage("null")
	}
	if failed == nil {
		return object("jsonrpc", "2.0", "id", id, "result", result)
	}
	data := failed.data
	if data == nil {
		data = json.RawMessage("null")
	}
	return object("jsonrpc", "2.0", "id", id, "error", object("code", failed.code, "message", failed.message, "data", data))
}

// remoteCall answers a JSON-RPC request that is valid JSON: one of a session,
// or of none.
func (s *Server) remoteCall(ctx context.Context, input json.RawMessage, one *session) json.RawMessage {
	var p problems
	request := mustMembers(s.forms.rpc.check(&p, input, nil))
	if len(p.list) > 0 {
		return rpcReply(nil, nil, &rpcError{code: rpcInvalid, message: "Invalid request: " + p.text("JsonRpcRequest")})
	}
	params := mustMembers(lookup(request, "params"))
	result, failed := s.method(ctx, text(lookup(request, "method")), params, one)
	return rpcReply(lookup(request, "id"), result, failed)
}

func (s *Server) method(ctx context.Context, method string, params []member, one *session) (json.RawMessage, *rpcError) {
	switch method {
	case "openenv/session/create":
		return s.remoteCreate(ctx, one)
	case "openenv/session/close":
		return s.remoteClose(params, one)
	}
	if id := lookup(params, "session_id"); one == nil && truthy(id) {
		if failed := s.touch(pythonStr(id)); failed != nil {
			return nil, failed
		}
	}
	// The environments of this package have actions and no tools.
	switch method {
	case "tools/list":
		return nil, &rpcError{code: rpcInternal, message: "Environment does not support MCP"}
	case "tools/call":
		if !truthy(lookup(params, "name")) {
			return nil, &rpcError{code: rpcParams, message: "Missing 'name' in params"}
		}
		return nil, &rpcError{code: rpcInternal, message: "Environment does not support MCP"}
	}
	return nil, &rpcError{code: rpcNoMethod, message: "Method not found: " + abridged(method)}
}

// truthy is Python's notion of a value that is something.
func truthy(raw json.RawMessage) bool {
	if raw == nil {
		return false
	}
	switch string(raw) {
	case "null", "false", "0", "0.0", `""`, "[]", "{}":
		return false
	}
	return true
}

func (s *Server) remoteCreate(ctx context.Context, one *session) (json.RawMessage, *rpcError) {
	if one == nil {
		var err error
		if one, err = s.begin(ctx); err != nil {
			s.options.Meter.Refused(codeOf(err))
			return nil, noSession(err)
		}
		s.manage(one)
	}
	return object("session_id", one.id), nil
}

// noSession tells why a session could not begin.
func noSession(err error) *rpcError {
	failed := &rpcError{code: rpcServer, message: err.Error()}
	var full *capacityError
	var broken *factoryError
	switch {
	case errors.As(err, &full):
		failed.data = object("active_sessions", full.active, "max_sessions", full.limit)
	case errors.As(err, &broken):
		failed.data = object("factory_name", broken.name)
	}
	return failed
}

func (s *Server) remoteClose(params []member, mine *session) (json.RawMessage, *rpcError) {
	wanted := lookup(params, "session_id")
	if !truthy(wanted) {
		return nil, &rpcError{code: rpcParams, message: "Invalid params - 'session_id' is required"}
	}
	id := pythonStr(wanted)
	if mine != nil && id == mine.id {
		return nil, &rpcError{code: rpcInvalid, message: "Cannot close active WebSocket-managed session via MCP method"}
	}
	t := &s.sessions
	t.mu.Lock()
	one, failed := t.managed(id)
	attached := failed == nil && one.attached
	if attached {
		one.closing = true
	}
	t.mu.Unlock()
	switch {
	case failed != nil:
		return nil, failed
	case attached:
		return object("session_id", id, "closed", false, "closing", true), nil
	}
	s.end(one)
	return object("session_id", id, "closed", true), nil
}

// managed finds a session that HTTP requests may name. The table is locked.
// Those of WebSockets are their own affair and unknown to others.
func (t *sessions) managed(id string) (*session, *rpcError) {
	one, known := t.all[id]
	switch {
	case known && one == nil:
		return nil, &rpcError{code: rpcInvalid, message: fmt.Sprintf("Session %s is still initializing; retry shortly", id)}
	case !known || one.idle == nil || one.ending:
		return nil, &rpcError{code: rpcParams, message: fmt.Sprintf("Unknown session_id: %.100s", id)}
	}
	return one, nil
}

// touch notes that a session was asked for.
func (s *Server) touch(id string) *rpcError {
	t := &s.sessions
	t.mu.Lock()
	defer t.mu.Unlock()
	one, failed := t.managed(id)
	if failed == nil && !one.attached {
		one.idle.Reset(s.options.Limits.Idle)
	}
	return failed
}

// postRPC is POST /mcp. Its answer is 200 whatever it says.
func (s *Server) postRPC(w http.ResponseWriter, r *http.Request) {
	body, release, ok := s.body(w, r)
	if !ok {
		return
	}
	defer release()
	reply := rpcReply(nil, nil, &rpcError{code: rpcParse, message: "Parse error"})
	if input, why := readJSON(bytes.TrimPrefix(body, []byte("\uFEFF"))); why == nil && kindOf(input) == kindObject {
		reply = s.remoteCall(r.Context(), input, nil)
	}
	s.send(w, http.StatusOK, reply)
}

// serveRPC is the WebSocket /mcp: JSON-RPC of a session of its own.
func (s *Server) serveRPC(w http.ResponseWriter, r *http.Request) {
	s.accept(w, r, func(ctx context.Context, c *wire) ending {
		one, leave, err := s.enter(ctx, "")
		if err != nil {
			s.options.Meter.Refused(codeOf(err))
			_ = c.write(pythonDump(rpcReply(nil, nil, noSession(err))))
			return farewell
		}
		defer leave()
		return c.serve(func(m incoming) (ending, bool) {
			reply, more := s.rpcExchange(ctx, m, one)
			return farewell, c.write(pythonDump(reply)) == nil && more
		})
	})
}

func (s *Server) rpcExchange(ctx context.Context, m incoming, one *session) (json.RawMessage, bool) {
	input, why := readJSON(m.text)
	switch {
	case m.kind == websocket.MessageBinary:
		return rpcReply(nil, nil, &rpcError{code: rpcServer, message: "'text'"}), false
	case why != nil:
		return rpcReply(nil, nil, &rpcError{code: rpcParse, message: "Parse error: " + why.Error()}), true
	case kindOf(input) != kindObject:
		return rpcReply(nil, nil, &rpcError{code: rpcServer,
			message: fmt.Sprintf("JsonRpcRequest() argument after ** must be a mapping, not %s", pythonType(m.text))}), false
	}
	return s.remoteCall(ctx, input, one), true
}
