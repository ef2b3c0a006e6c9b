package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"candor/harness/env/numbersort"
	"candor/harness/openenv"
)

// openenvVar makes the test binary an OpenEnv server.
const openenvVar = "CANDOR_BENCH_OPENENV"

// serveOpenEnv serves number-sort as candor serve does, under the same limits,
// and says its address on standard output.
func serveOpenEnv() error {
	server, err := openenv.NewServer(numbersort.Spec(numbersort.Config{}), openenv.Options{LocalOnly: true})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	return server.Serve(context.Background(), listener)
}

// BenchmarkOpenEnv is how many steps a second a server of the same environment,
// LearnLens's number-sort, gives to clients that act as soon as they are
// answered, Candor's server beside OpenEnv's own in Python, in turns. Each
// step is an episode, with the reset before it. The clients, in this process,
// are the same for both and share the processors with the server; cpu-µs/step is
// the server's processor time alone. x-python is Candor's steps over Python's.
// scripts/bench-openenv.sh names the interpreters.
func BenchmarkOpenEnv(b *testing.B) {
	const rounds, window = 5, time.Second
	for _, sessions := range []int{1, 128} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			servers := openEnvServers(b, sessions)
			for b.Loop() {
				for range rounds {
					for _, s := range servers {
						s.measure(b, sessions, window)
					}
				}
			}
			for i, s := range servers {
				b.ReportMetric(s.steps, s.name+"steps/s")
				b.ReportMetric(s.cpu*1e6, s.name+"cpu-µs/step")
				if i > 0 {
					b.ReportMetric(servers[0].steps/s.steps, "x-"+strings.TrimSuffix(s.name, "-"))
				}
			}
		})
	}
}

// openEnvServer is a server and what it was seen to do.
type openEnvServer struct {
	name       string // "" is Candor's
	url        string
	pid        int
	steps, cpu float64 // a second, and seconds a step: the best of all rounds
}

// openEnvServers starts Candor's, and those of the interpreters that are there.
func openEnvServers(b *testing.B, sessions int) []*openEnvServer {
	self := exec.CommandContext(b.Context(), os.Args[0])
	self.Env = append(os.Environ(), openenvVar+"=number-sort")
	commands := []*exec.Cmd{self}
	names := []string{""}
	for name, variable := range map[string]string{"python-": "CANDOR_PEERS_OPENENV", "python-0.3-": "CANDOR_PEERS_OPENENV_0_3"} {
		if python := os.Getenv(variable); python != "" {
			script := filepath.Join("..", "scripts", "bench-openenv.py")
			commands = append(commands, exec.CommandContext(b.Context(), python, "-B", script, "--sessions", strconv.Itoa(sessions), "number-sort"))
			names = append(names, name)
		}
	}
	var servers []*openEnvServer
	for i, command := range commands {
		s := &openEnvServer{name: names[i]}
		s.url, s.pid = start(b, command)
		if err := up(b.Context(), s.url); err != nil {
			b.Fatal(err)
		}
		servers = append(servers, s)
	}
	return servers
}

// up waits until a server answers.
func up(ctx context.Context, url string) error {
	remote, err := openenv.NewRemote(url, openenv.DialOptions{})
	if err != nil {
		return err
	}
	for range 300 {
		if err = remote.Health(ctx); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// measure plays at the server for a while.
func (s *openEnvServer) measure(b *testing.B, sessions int, window time.Duration) {
	b.Helper()
	steps, cpu := stepsPerSecond(b, s, sessions, window)
	s.steps = max(s.steps, steps)
	if cpu > 0 && (s.cpu == 0 || cpu < s.cpu) {
		s.cpu = cpu
	}
}

// used is the processor time of a process so far in seconds, where Linux tells
// it, in hundredths.
func used(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

// stepsPerSecond plays so many sessions at once. The clock runs when all of them
// have played an episode, and counts the steps answered before it ends. The
// second figure is the server's processor time a step, 0 where it is unknown.
func stepsPerSecond(b *testing.B, s *openEnvServer, sessions int, window time.Duration) (rate, cpu float64) {
	b.Helper()
	var ready, done sync.WaitGroup
	var steps atomic.Int64
	var over atomic.Bool
	failed := make(chan error, sessions)
	ready.Add(sessions)
	for i := range sessions {
		done.Go(func() {
			warm := sync.OnceFunc(ready.Done)
			defer warm()
			if err := play(b.Context(), s.url, int64(i), &over, func() { warm(); steps.Add(1) }); err != nil {
				failed <- err
			}
		})
	}
	ready.Wait()
	before, worked, start := steps.Load(), used(s.pid), time.Now()
	time.Sleep(window)
	counted, took := float64(steps.Load()-before), time.Since(start)
	worked = used(s.pid) - worked
	over.Store(true)
	done.Wait()
	select {
	case err := <-failed:
		b.Fatal(err)
	default:
	}
	return counted / took.Seconds(), worked / counted
}

// play plays episodes in one session until it is over.
func play(ctx context.Context, url string, seed int64, over *atomic.Bool, stepped func()) error {
	session, err := openenv.Dial(ctx, url, openenv.DialOptions{})
	if err != nil {
		return err
	}
	defer session.Close()
	for ; !over.Load(); seed++ {
		shown, err := session.Reset(ctx, openenv.Seeded(seed))
		if err != nil {
			return err
		}
		var asked struct {
			Numbers json.RawMessage `json:"numbers"`
		}
		if err := json.Unmarshal(shown.Observation, &asked); err != nil {
			return err
		}
		paid, err := session.Step(ctx, json.RawMessage(`{"values":`+string(asked.Numbers)+`}`))
		if err != nil {
			return err
		}
		if reward, ok := paid.Value(); !ok || reward <= 0 || !paid.Done {
			return fmt.Errorf("seed %d was paid %s", seed, paid.Reward)
		}
		stepped()
	}
	return nil
}
