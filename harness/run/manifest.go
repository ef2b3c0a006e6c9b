package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"candor/harness/regular"
	"candor/infer"
	"candor/infer/preflight"
	"candor/scoring"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// State is how far a run has come.
type State string

const (
	Running     State = "running" // also what a killed run says
	Finished    State = "finished"
	Interrupted State = "interrupted"
	Failed      State = "failed" // stopped by a fault; resumable
)

// Manifest is run.json: everything needed to know what a run's figures mean
// and to go on with it.
type Manifest struct {
	Candor         string            `json:"candor"` // version
	State          State             `json:"state"`
	Error          string            `json:"error,omitempty"` // why it failed
	Config         Config            `json:"config"`
	ConfigHash     string            `json:"config_hash"`
	Hashed         map[string]string `json:"hashed"` // what the hash covers
	Dataset        DatasetInfo       `json:"dataset"`
	Labels         []LabelsInfo      `json:"labels"` // sets beside the data's own
	Model          infer.Identity    `json:"model"`
	Options        infer.Options     `json:"options"`
	Prompt         PromptInfo        `json:"prompt"`
	Tasks          int               `json:"tasks"`
	Blind          Blind             `json:"blind"` // what can be had without the images
	Preflight      *preflight.Report `json:"preflight"`
	Questioned     []string          `json:"questioned"`            // endpoints that the preflight is of
	Parallel       int               `json:"parallel"`              // requests in flight at each endpoint
	Limits         map[string]int    `json:"limits,omitempty"`      // what the preflight found for each
	TextTokens     map[string]int    `json:"text_tokens,omitempty"` // of the first task's text, without its image, at each endpoint
	Endpoints      []string          `json:"endpoints"`
	Warnings       []scoring.Warning `json:"warnings"`
	ServerChanges  []ServerChange    `json:"server_changes"`
	EndpointFaults []EndpointFault   `json:"endpoint_faults"`
	Sessions       []Session         `json:"sessions"`
}

// DatasetInfo says what was asked about.
type DatasetInfo struct {
	Name      string `json:"name"`
	Revision  string `json:"revision"`
	Split     string `json:"split"`
	Partition string `json:"partition"`
	Images    int    `json:"images"`
	// Files are those that the set was read from; absent of one that is made, or
	// of the Hub.
	Files []DataFile `json:"files,omitempty"`
}

// DataFile is a file of a data set.
type DataFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// PromptInfo identifies the template.
type PromptInfo struct {
	Version string `json:"version"`
	Hash    string `json:"hash"`
}

// ServerChange records another server version or model digest than the one
// before: of the server on which a run was resumed, by --accept-server-change,
// or, with Endpoint, of one that changed while it was asked.
type ServerChange struct {
	At       time.Time `json:"at"` // when it was noticed
	What     string    `json:"what"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	Endpoint string    `json:"endpoint,omitempty"`
}

// Session is one stretch of asking, between a start and a stop; one that was
// killed leaves none.
type Session struct {
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	Tasks   int       `json:"tasks"` // asked and recorded in it
}

// LoadManifest reads the manifest of the run in dir. One that is there but
// cannot be read is a *DamagedError.
func LoadManifest(dir string) (Manifest, error) {
	var m Manifest
	name := filepath.Join(dir, ManifestFile)
	b, err := regular.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s is no run: it has no %s", dir, ManifestFile)
	}
	if err == nil {
		err = m.read(b)
	}
	if err != nil {
		return Manifest{}, &DamagedError{Name: name, Err: err}
	}
	return m, nil
}

func (m *Manifest) read(b []byte) error {
	var keys struct{ Config *json.RawMessage }
	if err := json.Unmarshal(b, m); err != nil {
		return err
	}
	if json.Unmarshal(b, &keys) != nil || keys.Config == nil {
		return errors.New("it holds no configuration")
	}
	return nil
}

// DamagedError is a run's file that cannot be read as what it was written.
type DamagedError struct {
	Name string // of the file
	Err  error
}

// Error names the file and says what to do.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: %v; the file was changed or damaged, restore it or start a new run", e.Name, e.Err)
}

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

func (m Manifest) save(dir string) error { return saveJSON(filepath.Join(dir, ManifestFile), m) }

// saveJSON replaces a file at once, so that a reader or a crash finds either
// the old one or the new one.
func saveJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(name, append(b, '\n'), 0o644)
}

// lock keeps a second writer out of dir. The lock dies with its process.
func lock(dir string) (*flock.Flock, error) {
	name := filepath.Join(dir, lockFile)
	if err := regular.Check(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l := flock.New(name)
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	if !ok {
		return nil, fmt.Errorf("another candor is writing to %s; wait for it, or give this run another --out", dir)
	}
	return l, nil
}

// adopt compares a manifest with the plan that would resume it, and refuses
// one whose answers would not belong together. The server's version and the
// model's digest may change when the user accepts that; it is recorded.
func (m *Manifest) adopt(essence map[string]string, accept bool, now time.Time) error {
	var refused []string
	for _, key := range slices.Sorted(maps.Keys(essence)) {
		was, is := m.Hashed[key], essence[key]
		if was == is {
			continue
		}
		server := key == "model_digest" || key == "server_version"
		if server && accept {
			m.ServerChanges = append(m.ServerChanges, ServerChange{At: now, What: key, From: was, To: is})
			continue
		}
		line := fmt.Sprintf("%s: %s", key, changed(was, is))
		if key == "tasks" {
			line += " (the hash of claims, labels, images and their choice by split, partition, num-tasks and seed)"
		}
		if server {
			line += " (--accept-server-change goes on all the same, and the report will say so)"
		}
		refused = append(refused, line)
	}
	if len(refused) > 0 {
		return usagef("the configuration is not the one this run was started with:\n  %s\nresume with the same, or start a new run with another --out", strings.Join(refused, "\n  "))
	}
	m.Hashed, m.ConfigHash = essence, hashOf(essence)
	return nil
}

// changed tells what is new: of two JSON objects, such as the options, only
// the members that differ.
func changed(was, is string) string {
	var before, after map[string]json.RawMessage
	whole := fmt.Sprintf("was %s, is %s", was, is)
	if json.Unmarshal([]byte(was), &before) != nil || json.Unmarshal([]byte(is), &after) != nil {
		return whole
	}
	all := map[string]json.RawMessage{}
	maps.Copy(all, before)
	maps.Copy(all, after)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if b, a := string(before[name]), string(after[name]); b != a {
			lines = append(lines, fmt.Sprintf("%s was %s, is %s", name, cmp.Or(b, "absent"), cmp.Or(a, "absent")))
		}
	}
	return cmp.Or(strings.Join(lines, "; "), whole)
}
