package export_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/export"
)

// The folder's bytes do not change unnoticed, and hold no password.
func TestVerifiers(t *testing.T) {
	place := write(t, export.Verifiers{}, oddRun(t))
	if !strings.HasSuffix(place, "odd-verifiers") {
		t.Errorf("it lies at %s", place)
	}
	for _, name := range []string{"configs/eval.json", "configs/resolved/eval.json", "traces.jsonl", "tasks.jsonl"} {
		golden(t, filepath.Join(place, name), filepath.Join("verifiers", name))
		if b, _ := os.ReadFile(filepath.Join(place, name)); bytes.Contains(b, []byte("pass-word")) {
			t.Errorf("%s holds a password", name)
		}
	}
}

// Each row is what stands where the folder would, and what is wrong with it; ""
// if it may be replaced.
func TestReplaceFolder(t *testing.T) {
	dir := oddRun(t)
	r := read(t, dir)
	other := *r
	other.ID = strings.Repeat("0", 32)
	for _, row := range []struct {
		what  string
		there func(name string) error
		want  string
	}{
		{"the same export", func(name string) error { return exported(export.Verifiers{Out: name}, r) }, ""},
		{"one of another run", func(name string) error { return exported(export.Verifiers{Out: name}, &other) }, "is of another run"},
		{"an export with logs of a resumption", func(name string) error {
			if err := exported(export.Verifiers{Out: name}, r); err != nil {
				return err
			}
			return os.Mkdir(filepath.Join(name, "logs"), 0o755)
		}, "it holds logs"},
		{"an empty folder", func(name string) error { return os.Mkdir(name, 0o755) }, "is no export in this form"},
		{"a file", func(name string) error { return os.WriteFile(name, nil, 0o644) }, "is no export in this form"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		if err := row.there(out); err != nil {
			t.Fatal(err)
		}
		err := exported(export.Verifiers{Out: out}, r)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("over %s: %v; want %q", row.what, err, row.want)
		}
		if left, _ := os.ReadDir(filepath.Dir(out)); len(left) != 1 {
			t.Errorf("over %s: %v is left", row.what, left)
		}
	}
}

// The real verifiers reads the folder and loses nothing of it, and its --resume
// finds nothing to do: that of the newest release and that of the one before,
// which looks elsewhere for its configuration. CANDOR_PEERS_VERIFIERS and
// CANDOR_PEERS_VERIFIERS_OLD name Python interpreters that have them, as
// "scripts/record.sh verifiers" and "scripts/record.sh verifiers-0.3" print them.
func TestPeersVerifiers(t *testing.T) {
	for _, peer := range []struct{ variable, version, command, config string }{
		{"CANDOR_PEERS_VERIFIERS", "0.4.0", "vf-eval", "configs/resolved/eval.json"},
		{"CANDOR_PEERS_VERIFIERS_OLD", "0.3.1", "eval", "configs/eval.json"},
	} {
		t.Run(peer.version, func(t *testing.T) {
			python := os.Getenv(peer.variable)
			if python == "" {
				t.Skipf("needs %s, a Python interpreter with verifiers", peer.variable)
			}
			dir := oddRun(t)
			r, place := read(t, dir), write(t, export.Verifiers{}, dir)
			if version := readByPeer(t, python, r, place); version != peer.version {
				t.Errorf("it is verifiers %s", version)
			}
			resumed(t, filepath.Join(filepath.Dir(python), peer.command), place, peer.config)
		})
	}
}

// readByPeer lets the package's own models read the folder; they must find in it
// what r holds. It returns the package's version.
func readByPeer(t *testing.T, python string, r *export.Run, place string) string {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", "..", "scripts", "record", "episodes.py"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, script, place)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Version  string
		Lost     []string
		Episodes []struct {
			Task, Text string
			Reward     float64
			Metrics    map[string]float64
			Tokens     int
		}
		Kept, Owed int
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatal(err)
	}
	if len(seen.Lost) > 0 || seen.Kept != len(r.Traces)-1 || seen.Owed != 1 || len(seen.Episodes) != len(r.Traces) {
		t.Fatalf("lost %v; kept %d and owed %d of %d", seen.Lost, seen.Kept, seen.Owed, len(seen.Episodes))
	}
	for i, e := range seen.Episodes {
		tr := r.Traces[i]
		if e.Task != tr.TaskID || e.Text != tr.Text || e.Reward != tr.Reward || e.Metrics["correct"] != float64(tr.Correct) || e.Tokens != tr.PromptTokens+tr.OutputTokens {
			t.Errorf("episode %d is %+v; want %+v", i, e, tr)
		}
	}
	return seen.Version
}

// resumed runs the real command line.
func resumed(t *testing.T, command, place, config string) {
	t.Helper()
	before, err := os.ReadFile(filepath.Join(place, "traces.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), command, "@", filepath.Join(filepath.Base(place), filepath.FromSlash(config)), "--resume")
	cmd.Dir, cmd.Env = filepath.Dir(place), append(os.Environ(), "PYTHONPATH="+place)
	out, err := cmd.CombinedOutput()
	after, _ := os.ReadFile(filepath.Join(place, "traces.jsonl"))
	if err != nil || !strings.Contains(string(out), "nothing to resume") || !bytes.Equal(before, after) {
		t.Errorf("eval --resume: %v, changed %v\n%s", err, !bytes.Equal(before, after), out)
	}
}
