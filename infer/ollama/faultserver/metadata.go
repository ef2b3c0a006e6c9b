package faultserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/types/model"
)

func (s *Server) version(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{"version": s.config().version})
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	var req struct{ Model, Name string }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	if s.showFails() {
		writeError(w, http.StatusInternalServerError, "unexpected EOF")
		return
	}
	c := s.config()
	name := req.Model + req.Name
	if !c.has(name) {
		writeError(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", name))
		return
	}
	writeJSON(w, map[string]any{
		"modelfile": c.creation(name).modelfile(), "template": c.creation(name).Template,
		"parameters": c.creation(name).Parameters, "system": c.creation(name).System,
		"details": c.details(),
		"model_info": map[string]any{
			// Servers delete general.name from what they show.
			"general.architecture": c.architecture, "general.basename": c.name,
			c.architecture + ".context_length": c.trained,
		},
		"capabilities": c.capabilities,
	})
}

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	c := s.config()
	models := []any{}
	for _, m := range c.models {
		models = append(models, c.entry(m))
	}
	writeJSON(w, map[string]any{"models": models})
}

func (s *Server) ps(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	c, loaded, ctx := s.conf, s.loaded, s.context
	s.mu.Unlock()
	if loaded == "" && c.loaded {
		loaded, ctx = c.models[0], 4096
	}
	models := []any{}
	if loaded != "" {
		e := c.entry(loaded)
		e["size_vram"], e["context_length"] = c.vram, ctx
		e["expires_at"] = time.Now().Add(time.Hour).Format(time.RFC3339Nano)
		models = append(models, e)
	}
	writeJSON(w, map[string]any{"models": models})
}

func (s *Server) config() config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conf
}

func (c *config) entry(model string) map[string]any {
	return map[string]any{
		"name": tagged(model), "model": tagged(model), "digest": c.manifestDigest(model), "size": c.size, "details": c.details(),
		"modified_at": "2026-01-02T03:04:05Z",
	}
}

func (c *config) details() map[string]any {
	return map[string]any{
		"format": "gguf", "family": c.architecture, "families": []string{c.architecture},
		"parameter_size": "4.0B", "quantization_level": "Q4_K_M",
	}
}

func (c *config) has(model string) bool {
	return slices.ContainsFunc(c.models, func(m string) bool { return strings.EqualFold(tagged(m), tagged(model)) })
}

func (c *config) can(capability string) bool { return slices.Contains(c.capabilities, capability) }

// tagged is a name without what is the default, but for its tag.
func tagged(name string) string { return model.ParseName(name).DisplayShortest() }

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(encode(v))
}
