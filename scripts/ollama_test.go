package scripts

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"candor/infer/ollama/ollamatest"
	"candor/infer/ollama/tinyvlm"
)

// shell runs scripts with a cache of its own.
type shell struct {
	t   *testing.T
	env []string
}

func newShell(t *testing.T, env ...string) *shell {
	base := append(os.Environ(), "OLLAMA_HOST=", "CANDOR_OLLAMA_VERSION=", "CANDOR_CACHE="+t.TempDir())
	return &shell{t: t, env: append(base, env...)}
}

// withEngine is a shell with the real engine on its PATH, whose server is gone
// when the test ends.
func withEngine(t *testing.T) *shell {
	binary := os.Getenv(ollamatest.BinaryVar)
	if binary == "" {
		t.Skipf("needs a real engine: set %s to an ollama binary (scripts/test.sh does)", ollamatest.BinaryVar)
	}
	folder := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(folder, "ollama")); err != nil {
		t.Fatal(err)
	}
	s := newShell(t, "PATH="+folder+":"+os.Getenv("PATH"))
	t.Cleanup(func() { s.run("ollama.sh", "stop") })
	return s
}

// result is what a script wrote and how it ended.
type result struct {
	stdout, stderr string
	status         int
}

func (s *shell) run(script string, args ...string) result {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.Command("./"+script, args...)
	command.Env = s.env
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return result{strings.TrimSpace(stdout.String()), stderr.String(), command.ProcessState.ExitCode()}
}

// ok runs ollama.sh, which must succeed, and returns its output.
func (s *shell) ok(args ...string) string {
	s.t.Helper()
	r := s.run("ollama.sh", args...)
	if r.status != 0 {
		s.t.Fatalf("ollama.sh %v: status %d: %s", args, r.status, r.stderr)
	}
	return r.stdout
}

// pid is the process that the script has on record.
func (s *shell) pid() int {
	s.t.Helper()
	// The last one counts, as it does for the script: the caller may have one too.
	for _, v := range slices.Backward(s.env) {
		if cache, ok := strings.CutPrefix(v, "CANDOR_CACHE="); ok {
			first, _, _ := strings.Cut(readFile(s.t, filepath.Join(cache, "server", "state")), "\n")
			pid, err := strconv.Atoi(first)
			if err != nil {
				s.t.Fatal(err)
			}
			return pid
		}
	}
	s.t.Fatal("no cache")
	return 0
}

// session counts the live processes of a server's session.
func session(t *testing.T, pid int) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		// After the name: state, parent, group, session (proc(5)).
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) > 3 && fields[3] == strconv.Itoa(pid) && fields[0] != "Z" && fields[0] != "X" {
			n++
		}
	}
	return n
}

func client(t *testing.T, address string) *api.Client {
	t.Helper()
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return api.NewClient(base, http.DefaultClient)
}

// load makes the server start a runner.
func load(t *testing.T, address string) {
	t.Helper()
	c, cfg := client(t, address), tinyvlm.Config{Architecture: "qwen35", Seed: 1}
	if err := tinyvlm.Install(context.Background(), c, "m", cfg); err != nil {
		t.Fatal(err)
	}
	request := &api.GenerateRequest{Model: "m", Options: map[string]any{"num_thread": 1}}
	if err := c.Generate(context.Background(), request, func(api.GenerateResponse) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// One server: started once, found again, stopped with its runners; stopping
// what does not run does no harm.
func TestServerStartStop(t *testing.T) {
	s := withEngine(t)
	if r := s.run("ollama.sh", "status"); r.status != 1 {
		t.Errorf("status %d before the start: %s", r.status, r.stdout)
	}
	address := s.ok("start")
	if again := s.ok("start"); again != address {
		t.Errorf("a second start gives %s after %s", again, address)
	}
	if !strings.Contains(s.ok("status"), address) {
		t.Error("status does not tell the address")
	}
	load(t, address)
	pid := s.pid()
	if n := session(t, pid); n != 2 {
		t.Errorf("%d processes, want server and runner", n)
	}
	s.ok("stop")
	if n := session(t, pid); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	s.ok("stop")
}

// After a server's violent death stop and start find that out, and remove the
// runner that it left behind.
func TestServerKilled(t *testing.T) {
	for _, next := range []string{"stop", "start"} {
		t.Run(next, func(t *testing.T) {
			s := withEngine(t)
			load(t, s.ok("start"))
			pid := s.pid()
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			for range 100 {
				if session(t, pid) == 1 {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			if n := session(t, pid); n != 1 {
				t.Fatalf("%d processes, want the orphaned runner", n)
			}
			if r := s.run("ollama.sh", "status"); r.status != 1 {
				t.Errorf("status %d after the death: %s", r.status, r.stdout)
			}
			s.ok(next)
			if n := session(t, pid); n != 0 {
				t.Errorf("%d processes are left", n)
			}
		})
	}
}

// run hands on address, output and exit status, and leaves nothing running.
func TestServerRun(t *testing.T) {
	s := withEngine(t)
	r := s.run("ollama.sh", "run", "bash", "-c", `echo "$OLLAMA_HOST"; exit 7`)
	if r.status != 7 || !strings.HasPrefix(r.stdout, "http://127.0.0.1:") {
		t.Errorf("status %d, output %q: %s", r.status, r.stdout, r.stderr)
	}
	if err := client(t, r.stdout).Heartbeat(context.Background()); err == nil {
		t.Error("the server still answers")
	}
}

// A request to end reaches the command, and the server ends after it.
func TestServerRunTerminated(t *testing.T) {
	s := withEngine(t)
	command := exec.Command("./ollama.sh", "run", "bash", "-c",
		`trap 'echo ended; exit 5' TERM; echo "$OLLAMA_HOST"; for i in {1..400}; do sleep 0.05; done`)
	command.Env = s.env
	pipe, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stdout := bufio.NewReader(pipe)
	address, err := stdout.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(stdout)
	if err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // its status is looked at next
	if status := command.ProcessState.ExitCode(); status != 5 || string(rest) != "ended\n" {
		t.Errorf("status %d, output %q", status, rest)
	}
	if err := client(t, address).Heartbeat(context.Background()); err == nil {
		t.Error("the server still answers")
	}
}

// A server that somebody asked for outlives a run that merely used it.
func TestServerRunLeavesOthers(t *testing.T) {
	s := withEngine(t)
	address := s.ok("start")
	if got := s.ok("run", "bash", "-c", `echo "$OLLAMA_HOST"`); got != address {
		t.Errorf("run used %s, %s was running", got, address)
	}
	if err := client(t, address).Heartbeat(context.Background()); err != nil {
		t.Errorf("it is gone: %v", err)
	}
}

// A server at OLLAMA_HOST is used if it answers, with curl or without.
func TestServerAtHost(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, `{"version":"1.2.3"}`)
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for name, env := range map[string][]string{
		"address":      {"OLLAMA_HOST=" + host},
		"URL":          {"OLLAMA_HOST=" + server.URL + "/"},
		"without curl": {"OLLAMA_HOST=" + host, "PATH=" + toolFolder(t)},
		"with a proxy": {"OLLAMA_HOST=" + host, "http_proxy=http://127.0.0.1:1"},
	} {
		s := newShell(t, env...)
		if got := s.ok("start"); got != server.URL {
			t.Errorf("%s: start gives %s, want %s", name, got, server.URL)
		}
		if got := s.ok("run", "bash", "-c", `echo "$OLLAMA_HOST"`); got != server.URL {
			t.Errorf("%s: run gives %s, want %s", name, got, server.URL)
		}
	}
}

// Replicas are servers of one store: what one is given all have, under one
// digest. They stop together.
func TestServerReplicas(t *testing.T) {
	s := withEngine(t)
	urls := strings.Split(s.ok("start", "--replicas", "2"), ",")
	if len(urls) != 2 || urls[0] == urls[1] {
		t.Fatalf("URLs %v", urls)
	}
	if first := s.ok("start"); first != urls[0] {
		t.Errorf("start gives %s, the first was %s", first, urls[0])
	}
	if again := s.ok("start", "--replicas=2"); again != strings.Join(urls, ",") {
		t.Errorf("a second start gives %s after %v", again, urls)
	}
	load(t, urls[0])
	var digests []string
	for _, url := range urls {
		list, err := client(t, url).List(context.Background())
		if err != nil || len(list.Models) != 1 {
			t.Fatalf("%s: models %v, %v", url, list, err)
		}
		digests = append(digests, list.Models[0].Digest)
	}
	if digests[0] != digests[1] {
		t.Errorf("digests %v", digests)
	}
	if status := s.ok("status"); strings.Count(status, "answers at") != 2 {
		t.Errorf("status %q", status)
	}
	s.ok("stop")
	for _, url := range urls {
		if err := client(t, url).Heartbeat(context.Background()); err == nil {
			t.Errorf("%s still answers", url)
		}
	}
}

// run stops the replicas that it started, and leaves those that were there.
func TestServerRunReplicas(t *testing.T) {
	s := withEngine(t)
	first := s.ok("start")
	r := s.run("ollama.sh", "run", "--replicas", "2", "bash", "-c", `echo "$OLLAMA_HOST"`)
	urls := strings.Split(r.stdout, ",")
	if r.status != 0 || len(urls) != 2 || urls[0] != first {
		t.Fatalf("status %d, %q after %s: %s", r.status, r.stdout, first, r.stderr)
	}
	if err := client(t, urls[0]).Heartbeat(context.Background()); err != nil {
		t.Errorf("the server that was there is gone: %v", err)
	}
	if err := client(t, urls[1]).Heartbeat(context.Background()); err == nil {
		t.Error("the replica still answers")
	}
	// A list in the environment is used as it is.
	both := s.ok("start", "--replicas", "2")
	listed := newShell(t, "OLLAMA_HOST="+both)
	if got := listed.ok("start"); got != both {
		t.Errorf("with OLLAMA_HOST=%s start gives %s", both, got)
	}
}

// A record of a process that is somebody else's by now does not hurt that one.
func TestServerStaleRecord(t *testing.T) {
	innocent := exec.Command("sleep", "60")
	innocent.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := innocent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = innocent.Process.Kill()
		_ = innocent.Wait()
	}()
	cache := t.TempDir()
	record := fmt.Sprintf("%d\n1\n/usr/bin/ollama\nhttp://127.0.0.1:1\nkept\n", innocent.Process.Pid)
	if err := os.Mkdir(filepath.Join(cache, "server"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cache, "server", "state"), []byte(record), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newShell(t, "CANDOR_CACHE="+cache)
	if r := s.run("ollama.sh", "status"); r.status != 1 {
		t.Errorf("status %d: %s", r.status, r.stdout)
	}
	s.ok("stop")
	if session(t, innocent.Process.Pid) != 1 {
		t.Error("the other process was killed")
	}
}

// What is missing is named, with a status of its own; wrong use is told apart.
func TestScriptsComplain(t *testing.T) {
	const usage, missing = 2, 4
	noGo, noCompiler := toolFolder(t), toolFolder(t, "go")
	for _, c := range []struct {
		script, args string
		env          []string
		status       int
		says         string
	}{
		{"ollama.sh", "", nil, usage, "usage"},
		{"ollama.sh", "stop it", nil, usage, "usage"},
		{"ollama.sh", "run", nil, usage, "usage"},
		{"ollama.sh", "start --replicas", nil, usage, "no number"},
		{"ollama.sh", "start --replicas 0", nil, usage, "no number"},
		{"ollama.sh", "start --replicas=two", nil, usage, "no number"},
		{"ollama.sh", "run --replicas 2", nil, usage, "usage"},
		{"ollama.sh", "stop --replicas 2", nil, usage, "usage"},
		{"ollama.sh", "path", []string{"CANDOR_OLLAMA_VERSION=latest"}, usage, "v0.24.0"},
		{"test.sh", "--all", nil, usage, "--peers"},
		{"quickstart.sh", "now", nil, usage, "usage"},
		{"ollama.sh", "path", []string{"PATH=" + noGo}, missing, "go.dev/dl"},
		{"ollama.sh", "start", []string{"PATH=" + noGo}, missing, "go.dev/dl"},
		{"test.sh", "", []string{"PATH=" + noGo}, missing, "go.dev/dl"},
		{"quickstart.sh", "", []string{"PATH=" + noGo}, missing, "go.dev/dl"},
		{"ollama.sh", "path", []string{"PATH=" + noCompiler}, missing, "C++ compiler"},
		// A compiler that finds no header, and no package manager to ask.
		{"ollama.sh", "path", []string{"PATH=" + noCompiler, "CC=true", "CXX=false"}, missing, "nlohmann-json3-dev"},
	} {
		r := newShell(t, c.env...).run(c.script, strings.Fields(c.args)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s %s with %v: status %d, want %d; stderr %q", c.script, c.args, c.env, r.status, c.status, r.stderr)
		}
	}
}

// toolFolder makes a folder with the common tools, those named, and no others.
func toolFolder(t *testing.T, more ...string) string {
	t.Helper()
	folder := t.TempDir()
	tools := strings.Fields("bash dirname env flock setsid sed head tail mkdir mktemp mv rm readlink sleep cut sha256sum grep uname timeout tr cat awk id")
	for _, tool := range append(tools, more...) {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(folder, tool)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
