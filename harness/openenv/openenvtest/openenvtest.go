// Package openenvtest starts the Python servers of released OpenEnv packages,
// for tests that play with them or compare with what they say.
//
// The packages are in environments that scripts/record.sh makes. A test that
// needs them is skipped unless a variable names an interpreter that has one:
//
//	CANDOR_PEERS_OPENENV      the newest  scripts/record.sh openenv
//	CANDOR_PEERS_OPENENV_0_3  0.3         scripts/record.sh openenv-0.3, with LearnLens
//	CANDOR_PEERS_OPENENV_0_2  0.2         scripts/record.sh openenv-0.2
//	CANDOR_PEERS_OPENENV_0_1  0.1         scripts/record.sh openenv-0.1, HTTP only
package openenvtest

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The environments that a [Peer] can serve. scripts/record/openenv_server.py
// tells what they do.
const (
	Echo       = "echo"
	NumberSort = "number-sort" // not with 0.1
	Trial      = "trial"
)

// The versions of a [Peer].
const (
	V01    = "0.1"
	V02    = "0.2"
	V03    = "0.3"
	Newest = "newest"
)

// A Peer is a released OpenEnv.
type Peer struct {
	Version string // one of the above
	Python  string // an interpreter that has it
}

// Peers are the ones at hand, of the versions asked for or, where none are, of
// all. The test is skipped where there is none.
func Peers(t testing.TB, versions ...string) []Peer {
	t.Helper()
	if len(versions) == 0 {
		versions = []string{V01, V02, V03, Newest}
	}
	var peers []Peer
	var names []string
	for _, version := range versions {
		name := "CANDOR_PEERS_OPENENV"
		if version != Newest {
			name += "_" + strings.ReplaceAll(version, ".", "_")
		}
		names = append(names, name)
		if python := os.Getenv(name); python != "" {
			peers = append(peers, Peer{Version: version, Python: python})
		}
	}
	if len(peers) == 0 {
		t.Skip("needs a Python interpreter with OpenEnv, named by " + strings.Join(names, " or "))
	}
	return peers
}

// Serve starts a server of the environment, which ends with the test, and
// returns its URL. Flags are those of scripts/record/openenv_server.py.
func (p Peer) Serve(t testing.TB, environment string, flags ...string) string {
	t.Helper()
	script := filepath.Join(repository(t), "scripts", "record", "openenv_server.py")
	command := exec.Command(p.Python, append(append([]string{script}, flags...), environment)...)
	// Written to while the process runs, and read only when that has ended.
	var stderr bytes.Buffer
	command.Stderr = &stderr
	// It ends when its input does, also where this process is killed.
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("OpenEnv %s: %v", p.Version, err)
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	end := func() {
		stdin.Close()
		command.Wait() // its status says nothing: it is told to end
	}
	url := strings.TrimSpace(line)
	if !healthy(url) {
		end()
		t.Fatalf("OpenEnv %s cannot serve %s:\n%s", p.Version, environment, stderr.String())
	}
	t.Cleanup(end)
	return url
}

// healthy waits until a server answers.
func healthy(url string) bool {
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	for range 300 {
		if response, err := client.Get(url + "/health"); err == nil {
			response.Body.Close()
			return response.StatusCode == http.StatusOK
		} else if !strings.Contains(err.Error(), "refused") {
			return false
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}

// repository is the folder of go.mod, above the test's.
func repository(t testing.TB) string {
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		above := filepath.Dir(folder)
		if above == folder {
			t.Fatal("no go.mod above the test's folder")
		}
		folder = above
	}
}
