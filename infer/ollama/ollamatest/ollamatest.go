// Package ollamatest starts a real Ollama server for a test: on a free loopback
// port, with a model store, a home directory and a log of its own, and without
// access to the cloud. Tests that use it run when CANDOR_OLLAMA_BIN names the
// engine's binary, as scripts/test.sh arranges, and are skipped otherwise.
// Servers never outlive the test that started them, nor do their runners, even
// if the test process is killed. Linux only.
package ollamatest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"candor/infer/ollama/tinyvlm"
)

// Environment variables that name the binaries to test with.
const (
	BinaryVar    = "CANDOR_OLLAMA_BIN"     // the pinned engine
	OldBinaryVar = "CANDOR_OLLAMA_BIN_OLD" // v0.17.7, which honours presence_penalty
)

const (
	startTimeout = 30 * time.Second
	stopTimeout  = 15 * time.Second
)

// Server is a running Ollama server.
type Server struct {
	// URL is what OLLAMA_HOST would hold, such as http://127.0.0.1:40123.
	URL string

	t       testing.TB
	command *exec.Cmd
	exited  chan struct{} // closed when the server process is gone
	logPath string
}

type config struct {
	binaryVar string
	env       []string
}

// Option changes how a server is started.
type Option func(*config)

// Env adds environment variables of the form NAME=value, for example
// OLLAMA_MAX_QUEUE=2 or OLLAMA_NUM_PARALLEL=4.
func Env(vars ...string) Option {
	return func(c *config) { c.env = append(c.env, vars...) }
}

// Old selects the older engine of OldBinaryVar.
func Old() Option {
	return func(c *config) { c.binaryVar = OldBinaryVar }
}

// Start starts a server and waits until it answers. It skips the test when no
// binary is given and stops the server when the test ends.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	c := config{binaryVar: BinaryVar}
	for _, option := range options {
		option(&c)
	}
	binary := os.Getenv(c.binaryVar)
	if binary == "" {
		t.Skipf("needs a real engine: set %s to an ollama binary (scripts/test.sh does)", c.binaryVar)
	}
	s := &Server{t: t, exited: make(chan struct{})}
	if err := s.start(binary, c.env); err != nil {
		t.Fatalf("starting %s: %v", binary, err)
	}
	t.Cleanup(s.Stop)
	if err := s.await(); err != nil {
		t.Fatalf("%s does not answer: %v\n%s", binary, err, s.Log())
	}
	return s
}

// Client returns a client of the server.
func (s *Server) Client() *api.Client {
	base, err := url.Parse(s.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	return api.NewClient(base, http.DefaultClient)
}

// Install makes the tiny model of an architecture (seed 1), registers it and
// returns its name, candor-tiny-ARCHITECTURE.
func (s *Server) Install(architecture string) string {
	s.t.Helper()
	cfg := tinyvlm.Config{Architecture: architecture, Seed: 1}
	if err := tinyvlm.Install(context.Background(), s.Client(), cfg.ModelName(), cfg); err != nil {
		s.t.Fatal(err)
	}
	return cfg.ModelName()
}

// Log returns what the server and its runners have printed.
func (s *Server) Log() string {
	text, err := os.ReadFile(s.logPath)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *Server) start(binary string, env []string) error {
	// Not t.TempDir: that one fails the test when a runner still writes while
	// it is removed.
	dir, err := os.MkdirTemp("", "ollamatest-")
	if err != nil {
		return err
	}
	s.t.Cleanup(func() { os.RemoveAll(dir) })
	s.logPath = filepath.Join(dir, "serve.log")
	log, err := os.Create(s.logPath)
	if err != nil {
		return err
	}
	defer log.Close()
	s.command = exec.Command(binary, "serve")
	s.command.Env = append(os.Environ(),
		"HOME="+dir,
		"OLLAMA_HOST=127.0.0.1:0", // any free port; the log says which
		"OLLAMA_MODELS="+filepath.Join(dir, "models"),
		"OLLAMA_NO_CLOUD=1",
		"OLLAMA_CONTEXT_LENGTH=4096",
		"GIN_MODE=release",
	)
	s.command.Env = append(s.command.Env, env...)
	s.command.Stdout, s.command.Stderr = log, log
	s.command.SysProcAttr = &syscall.SysProcAttr{
		Setpgid: true, // so that its runners can be found even without it
		// On the death of the test the server ends its runners and itself;
		// SIGKILL would leave the runners behind.
		Pdeathsig: syscall.SIGTERM,
	}
	if err := s.command.Start(); err != nil {
		return err
	}
	go func() {
		_ = s.command.Wait() // its status says nothing: we end it by a signal
		close(s.exited)
	}()
	return nil
}

// await waits until the server says its address and answers there.
func (s *Server) await() error {
	deadline := time.Now().Add(startTimeout)
	for time.Now().Before(deadline) {
		if found := listening.FindStringSubmatch(s.Log()); found != nil {
			s.URL = "http://" + found[1]
			ctx, cancel := context.WithDeadline(context.Background(), deadline)
			defer cancel()
			return s.Client().Heartbeat(ctx)
		}
		select {
		case <-s.exited:
			return errors.New("it has exited")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return fmt.Errorf("its log names no address after %v", startTimeout)
}

// listening is how the server's log names its address.
var listening = regexp.MustCompile(`Listening on (127\.0\.0\.1:[0-9]+)`)
