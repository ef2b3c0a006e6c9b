package hubtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// hub answers as the Hub does.
func (s *Server) hub(w http.ResponseWriter, r *http.Request) {
	s.note(r, false)
	if s.fault(w, r, false, nil) {
		return
	}
	// /datasets/ORG/NAME/resolve/REV/PATH, /api/datasets/ORG/NAME[/revision/REV|/tree/REV]
	escaped := strings.TrimPrefix(r.URL.EscapedPath(), "/api")
	parts := strings.Split(strings.TrimPrefix(escaped, "/datasets/"), "/")
	if !strings.HasPrefix(escaped, "/datasets/") || len(parts) < 2 {
		http.NotFound(w, r)
		return
	}
	name := parts[0] + "/" + parts[1]
	repo, renamed := s.find(name)
	if renamed != "" {
		w.Header().Set("Location", strings.Replace(r.URL.RequestURI(), name, renamed, 1))
		w.WriteHeader(http.StatusTemporaryRedirect)
		return
	}
	if !repo.allow(s.token(repo), w, r) {
		return
	}
	kind, revision, path := "revision", "main", ""
	if len(parts) > 3 {
		kind, path = parts[2], strings.Join(parts[4:], "/")
		revision, _ = url.PathUnescape(parts[3])
		path, _ = url.PathUnescape(path)
	}
	s.mu.Lock()
	commit, files := repo.at(revision)
	s.mu.Unlock()
	if files == nil {
		refuse(w, http.StatusNotFound, "RevisionNotFound", "Invalid rev id: "+revision)
		return
	}
	w.Header().Set("X-Repo-Commit", commit)
	switch kind {
	case "revision":
		writeInfo(w, name, commit, files)
	case "tree":
		writeTree(w, files, path, r.URL.Query().Get("recursive") == "true" || r.URL.Query().Get("recursive") == "True")
	case "paths-info":
		s.pathsInfo(w, r, files)
	case "resolve":
		s.file(w, r, files, path)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) find(name string) (repo *Repo, renamed string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repos[name], s.renamed[name]
}

func (r *Repo) at(revision string) (string, map[string]File) {
	commit := revision
	if c, ok := r.Revisions[revision]; ok {
		commit = c
	}
	return commit, r.Commits[commit]
}

// Protect shows a data set from now on to those with a token only.
func (s *Server) Protect(name, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repos[name].Token = token
}

func (s *Server) token(r *Repo) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r == nil {
		return ""
	}
	return r.Token
}

// allow refuses as the Hub does: whom a data set is not shown to is told that
// it is not there.
func (r *Repo) allow(wanted string, w http.ResponseWriter, req *http.Request) bool {
	token := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	switch {
	case r == nil, wanted != "" && token == "":
		refuse(w, http.StatusUnauthorized, "RepoNotFound", "Repository not found")
	case wanted != "" && token != wanted:
		refuse(w, http.StatusUnauthorized, "", "Invalid credentials in Authorization header")
	case r.Gated:
		refuse(w, http.StatusForbidden, "GatedRepo", "Access to this dataset is restricted")
	default:
		return true
	}
	return false
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	if code != "" {
		w.Header().Set("X-Error-Code", code)
	}
	w.Header().Set("X-Error-Message", message)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":%q}`, message)
}

func writeInfo(w http.ResponseWriter, name, commit string, files map[string]File) {
	siblings := []map[string]any{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		siblings = append(siblings, map[string]any{"rfilename": path, "size": len(files[path].Content), "blobId": files[path].Hash()[:40]})
	}
	author, _, _ := strings.Cut(name, "/")
	writeJSON(w, map[string]any{
		"_id": "0123456789abcdef01234567", "id": name, "author": author, "sha": commit, "private": false, "gated": false, "disabled": false,
		"lastModified": "2026-01-01T00:00:00.000Z", "downloads": 0, "likes": 0, "tags": []string{}, "siblings": siblings,
	})
}

// writeTree lists a folder, or all below it.
func writeTree(w http.ResponseWriter, files map[string]File, folder string, recursive bool) {
	tree := []map[string]any{}
	seen := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		rest, ok := strings.CutPrefix(path, folder)
		if rest = strings.TrimPrefix(rest, "/"); !ok {
			continue
		}
		base := strings.TrimSuffix(path, rest)
		parts := strings.Split(rest, "/")
		for i := 1; i < len(parts); i++ {
			if dir := base + strings.Join(parts[:i], "/"); !seen[dir] && (recursive || i == 1) {
				seen[dir] = true
				tree = append(tree, map[string]any{"type": "directory", "oid": strings.Repeat("0", 40), "size": 0, "path": dir})
			}
		}
		if recursive || len(parts) == 1 {
			tree = append(tree, entry(path, files[path]))
		}
	}
	writeJSON(w, tree)
}

func entry(path string, f File) map[string]any {
	e := map[string]any{"type": "file", "oid": f.Hash()[:40], "size": len(f.Content), "path": path}
	if f.Large {
		e["lfs"] = map[string]any{"oid": f.Hash(), "size": len(f.Content), "pointerSize": 130}
	}
	return e
}

// pathsInfo tells of the paths that are asked about, files or folders.
func (s *Server) pathsInfo(w http.ResponseWriter, r *http.Request, files map[string]File) {
	_ = r.ParseForm() // what cannot be read asks about nothing
	found := []map[string]any{}
	for _, path := range r.Form["paths"] {
		if f, ok := files[path]; ok {
			found = append(found, entry(path, f))
			continue
		}
		for name := range files {
			if strings.HasPrefix(name, path+"/") {
				found = append(found, map[string]any{"type": "directory", "oid": strings.Repeat("0", 40), "size": 0, "path": path})
				break
			}
		}
	}
	writeJSON(w, found)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// file serves a small file, and sends on to the storage host for a large one.
func (s *Server) file(w http.ResponseWriter, r *http.Request, files map[string]File, path string) {
	f, ok := files[path]
	if !ok {
		refuse(w, http.StatusNotFound, "EntryNotFound", "Entry not found")
		return
	}
	if !f.Large {
		w.Header().Set("ETag", `"`+f.Hash()+`"`)
		s.content(w, r, f.Content)
		return
	}
	s.mu.Lock()
	s.signed++
	signature := s.signed
	s.mu.Unlock()
	w.Header().Set("X-Linked-Etag", `"`+f.Hash()+`"`)
	if !s.has(NoSize) {
		w.Header().Set("X-Linked-Size", fmt.Sprint(len(f.Content)))
	}
	w.Header().Set("Location", fmt.Sprintf("%s/%s?X-Signature=secret%d", s.Storage, f.Hash(), signature))
	w.WriteHeader(http.StatusFound)
}

// storage answers as a storage host does: it knows content by its hash, and
// demands a signature.
func (s *Server) storage(w http.ResponseWriter, r *http.Request) {
	s.note(r, true)
	s.mu.Lock()
	content, ok := s.blobs[strings.TrimPrefix(r.URL.Path, "/")]
	s.mu.Unlock()
	switch {
	case !ok || !strings.HasPrefix(r.URL.Query().Get("X-Signature"), "secret"):
		http.Error(w, "AccessDenied", http.StatusForbidden)
	case !s.fault(w, r, true, content):
		w.Header().Set("ETag", `"of-the-storage-host"`)
		s.content(w, r, content)
	}
}
