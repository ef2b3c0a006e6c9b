// Package hubtest is a Hub for tests: a server with the addresses and headers of
// the Hugging Face Hub that huggingface_hub and package hub use, and with the
// faults that a real one shows. Large files lie at a second server, a storage
// host, as they do there.
package hubtest

import (
	"crypto/sha1" //nolint:gosec // git names content so
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Server is a Hub and its storage host.
type Server struct {
	URL     string // of the Hub: HF_ENDPOINT
	Storage string // of the storage host

	mu       sync.Mutex
	repos    map[string]*Repo
	renamed  map[string]string
	faults   []*Fault
	requests []Request
	blobs    map[string][]byte // sha256 → content of large files
	signed   int
	close    func()
}

// Repo is a data set.
type Repo struct {
	Revisions map[string]string          // branch or tag → commit
	Commits   map[string]map[string]File // commit → path → file
	Token     string                     // whom it is shown to, "" for all
	Gated     bool                       // its terms must be accepted, which nobody has
}

// File is a file of a commit.
type File struct {
	Content []byte
	Large   bool // lies at the storage host
}

// Request is one that a server was asked.
type Request struct {
	Storage       bool // the storage host was asked, not the Hub
	Method        string
	Path          string
	Range         string
	Authorization string
}

// New starts a Hub without data sets. It ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start is New for other programs than tests; the caller ends it.
func Start() *Server {
	s := &Server{repos: map[string]*Repo{}, renamed: map[string]string{}, blobs: map[string][]byte{}}
	hub, storage := httptest.NewServer(http.HandlerFunc(s.hub)), httptest.NewServer(http.HandlerFunc(s.storage))
	s.URL, s.Storage, s.close = hub.URL, storage.URL, func() { hub.Close(); storage.Close() }
	return s
}

// Close ends the servers.
func (s *Server) Close() { s.close() }

// Add gives the Hub a data set with one commit, as branch main. Files whose
// name ends in .parquet are large.
func (s *Server) Add(name string, files map[string][]byte) *Repo {
	r := &Repo{Revisions: map[string]string{}, Commits: map[string]map[string]File{}}
	s.mu.Lock()
	s.repos[name] = r
	s.mu.Unlock()
	s.Commit(name, files)
	return r
}

// Repo is a data set that was added.
func (s *Server) Repo(name string) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repos[name]
}

// Commit puts a commit on a data set's main, and returns its hash.
func (s *Server) Commit(name string, files map[string][]byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, sum := map[string]File{}, sha1.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := File{Content: files[path], Large: strings.HasSuffix(path, ".parquet")}
		if f.Large {
			s.blobs[f.Hash()] = f.Content
		}
		all[path] = f
		fmt.Fprintf(sum, "%s %s\n", path, f.Hash())
	}
	commit := hex.EncodeToString(sum.Sum(nil))
	s.repos[name].Commits[commit] = all
	s.repos[name].Revisions["main"] = commit
	return commit
}

// Rename makes one name of a data set lead to another.
func (s *Server) Rename(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renamed[from] = to
}

// Hash is the hash that the Hub names a file by: the sha256 of a large one,
// git's of a small one.
func (f File) Hash() string {
	if f.Large {
		sum := sha256.Sum256(f.Content)
		return hex.EncodeToString(sum[:])
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(f.Content))
	h.Write(f.Content)
	return hex.EncodeToString(h.Sum(nil))
}

// Requests are those asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Forget begins a new list of requests.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

func (s *Server) note(r *http.Request, storage bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{
		Storage: storage, Method: r.Method, Path: r.URL.Path,
		Range: r.Header.Get("Range"), Authorization: r.Header.Get("Authorization"),
	})
}

// Folder reads the files of a folder, for Add.
func Folder(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	return files, err
}
