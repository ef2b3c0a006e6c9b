package command_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"candor/harness/env/cooling"
	"candor/harness/env/numbersort"
	"candor/harness/lens"
	"candor/harness/lens/command"
	"candor/harness/lens/play"
	"candor/harness/openenv"
	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/micro"
	"candor/infer/ollama/ollamatest"
)

func dependencies() command.Dependencies {
	return command.Dependencies{
		Model:  func(host string) (infer.Model, error) { return ollama.New(host) },
		Getenv: func(string) string { return "" },
		Now:    func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		Log:    io.Discard,
	}
}

func TestMistakes(t *testing.T) {
	for _, row := range []struct {
		request command.Request
		says    string
	}{
		{command.Request{}, "which environment?"},
		{command.Request{Environment: "local:chess", Agent: "exec:x"}, "number-sort"},
		{command.Request{Environment: "local:cooling"}, "which agent?"},
		{command.Request{Environment: "local:cooling", Agent: "magic"}, "--agent"},
		{command.Request{Environment: "local:cooling", Agent: "exec: "}, "names no command"},
		{command.Request{Environment: "local:cooling", Agent: "local:cooling/lazy"}, "cooling/naive"},
		{command.Request{Environment: "local:cooling", Agent: "local:cooling/naive", Judge: "oracle:x"}, "--judge"},
		{command.Request{Environment: "local:cooling", Agent: "local:cooling/naive", Compat: "0.2.0"}, "--compat"},
		{command.Request{Environment: "local:cooling", Agent: "local:cooling/naive", Probes: []string{"luck"}}, `no probe "luck"`},
		{command.Request{Environment: "local:cooling", Agent: "local:cooling/naive", Episodes: -1}, "-1 episodes"},
		{command.Request{Environment: "http://127.0.0.1:1", Agent: "exec:x", Best: new(float64)}, "belong together"},
		{command.Request{Environment: "http://127.0.0.1:1", Agent: "exec:x", Best: new(float64), Worst: new(float64)}, "must be above"},
		{command.Request{Environment: "http://127.0.0.1:1", Agent: "exec:x", NoOp: "wait"}, "a JSON object such as"},
		{command.Request{Environment: "http://127.0.0.1:1", Agent: "exec:x", NoOp: "null"}, "a JSON object such as"},
		{command.Request{Environment: "local:cooling", Agent: "http:127.0.0.1:8765"}, "write http://HOST:PORT/PATH"},
		{command.Request{Environment: "local:cooling", Agent: "http://"}, "write http://HOST:PORT/PATH"},
		{command.Request{Environment: "local:cooling", Agent: "http://me:secret@127.0.0.1:1/"}, "stand in journals and reports"},
		{command.Request{Environment: "local:cooling", Agent: "http://127.0.0.1:1/?key=secret"}, "stand in journals and reports"},
		{command.Request{Environment: "https://127.0.0.1:1", CA: "none.pem", Agent: "exec:x"}, "--ca: open none.pem"},
		{command.Request{Environment: "local:cooling", Agent: "ollama:m", Profile: "wild"}, "--profile"},
	} {
		t.Chdir(t.TempDir())
		_, err := command.Run(t.Context(), row.request, dependencies())
		if !errors.As(err, new(*run.UsageError)) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%+v: %v", row.request, err)
		}
	}
}

// What was recorded gives the same report.
func TestRunAndReplay(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, compat := range []string{"none", "0.1.3", "0.2.1"} {
		r, err := command.Run(t.Context(), command.Request{Environment: "local:number-sort", Agent: "local:number-sort/greedy", Compat: compat, Journal: filepath.Join(compat, "j.jsonl")}, dependencies())
		if err != nil {
			t.Fatal(err)
		}
		again, err := command.Run(t.Context(), command.Request{Replay: r.Journal}, command.Dependencies{})
		if err != nil {
			t.Fatal(err)
		}
		if text(t, r) != text(t, again) {
			t.Errorf("%s\nnot\n%s", text(t, again), text(t, r))
		}
	}
}

func text(t *testing.T, r command.Result) string {
	t.Helper()
	var s string
	var err error
	if r.Report != nil {
		s, err = r.Report.JSON()
	} else {
		s, err = r.Compat.JSON()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A server whose certificate is only in a file of one's own is trusted by that
// file, and not without it.
func TestCustomCA(t *testing.T) {
	server, err := openenv.NewServer(cooling.Spec(cooling.Config{}), openenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	far := httptest.NewUnstartedServer(server)
	far.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of the refused handshake
	far.StartTLS()
	defer far.Close()
	t.Chdir(t.TempDir())
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: far.Certificate().Raw})
	if err := os.WriteFile("ca.pem", ca, 0o644); err != nil {
		t.Fatal(err)
	}
	r := command.Request{Environment: far.URL, Agent: "local:cooling/naive", Episodes: 1, Probes: []string{"hack_detection"}}
	if _, err := command.Run(t.Context(), r, dependencies()); err == nil {
		t.Error("a server that nobody vouches for was played")
	}
	r.CA, r.Journal = "ca.pem", "j"
	if got, err := command.Run(t.Context(), r, dependencies()); err != nil || got.Report.Missing.Scored != 1 {
		t.Errorf("%+v, %v", got.Report, err)
	}
}

// A server of our own is measured as the environment without one is: the same
// prompts, the same scores and notes but for that of where they are from.
func TestServedAsLocal(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, spec := range map[string]openenv.Spec{"cooling": cooling.Spec(cooling.Config{}), "number-sort-hard": numbersort.Spec(numbersort.Config{Task: numbersort.Hard})} {
		server, err := openenv.NewServer(spec, openenv.Options{})
		if err != nil {
			t.Fatal(err)
		}
		far := httptest.NewServer(server)
		measure := func(at, as string) (*lens.Report, []string) {
			agent, journal := "local:cooling/naive", name+as
			if name != "cooling" {
				agent = "local:number-sort/greedy"
			}
			r, err := command.Run(t.Context(), command.Request{Environment: at, Agent: agent, Journal: journal, Probes: []string{lens.Generalization, lens.Consistency, lens.HackDetection}}, dependencies())
			if err != nil {
				t.Fatal(err)
			}
			recording, err := play.ReadJournal(journal)
			if err != nil {
				t.Fatal(err)
			}
			var shown []string
			for _, e := range recording.Episodes() {
				shown = append(shown, e.Key, e.First)
				for _, s := range e.Steps {
					shown = append(shown, s.Observation, string(s.Sent))
				}
			}
			return r.Report, shown
		}
		near, shownNear := measure("local:"+name, "near")
		remote, shownFar := measure(far.URL, "far")
		far.Close()
		server.Close()
		if len(shownNear) == 0 || !slices.Equal(shownNear, shownFar) {
			t.Errorf("%s: not the same was shown and done", name)
		}
		if !strings.Contains(strings.Join(remote.Probes["competence"].Notes, ""), "the server says that it is "+spec.Name) {
			t.Errorf("%q", remote.Probes["competence"].Notes)
		}
		for _, r := range []*lens.Report{near, remote} {
			r.Environment, r.Timestamp = "", ""
			for key, s := range r.Probes {
				s.Cost.Seconds = 0
				if key == "competence" {
					s.Notes = nil
				}
				r.Probes[key] = s
			}
		}
		if a, b := text(t, command.Result{Report: near}), text(t, command.Result{Report: remote}); a != b {
			t.Errorf("%s:\n%s\nnot\n%s", name, b, a)
		}
	}
}

// What doing nothing is can be declared of any environment, and is played as it
// is declared.
func TestNoOpDeclared(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, noop := range map[string]string{"usual": "", "declared": `{"action": "cool A"}`} {
		r, err := command.Run(t.Context(), command.Request{Environment: "local:cooling", Agent: "local:cooling/constant", NoOp: noop, Journal: name}, dependencies())
		if err != nil || r.Report.Competence == nil {
			t.Fatalf("%+v, %v", r.Report, err)
		}
		recording, err := play.ReadJournal(name)
		if err != nil || !strings.Contains(string(recording.Header.Config), `"declared_noop":{"action":`) {
			t.Errorf("%s, %v", recording.Header.Config, err)
		}
		for _, e := range recording.Episodes() {
			if e.Actor == "noop" && noop != "" && string(e.Steps[0].Action) != noop {
				t.Errorf("%s was played for %s", e.Steps[0].Action, noop)
			}
		}
	}
}

func TestJournalsHaveNames(t *testing.T) {
	t.Chdir(t.TempDir())
	r, err := command.Run(t.Context(), command.Request{Environment: "local:number-sort", Agent: "exec:echo 'a/b'", Episodes: 1}, dependencies())
	if err != nil {
		t.Fatal(err)
	}
	if r.Journal != filepath.FromSlash("runs/lens/20260102-030405.000-local-number-sort-exec-echo--a-b-.jsonl") {
		t.Error(r.Journal)
	}
	if _, err := os.Stat(r.Journal); err != nil {
		t.Error(err)
	}
}

func TestDemo(t *testing.T) {
	shown, err := command.Demo(t.Context(), nil, 5, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := command.PrintDemo(&b, shown); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"number-sort/greedy             1.00    1.00", "number-sort/exploiting         0.70    0.00", "number-sort/random"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is not in\n%s", line, b.String())
		}
	}
	if _, err := command.Demo(t.Context(), []string{"local:selective"}, 5, time.Now); !errors.As(err, new(*run.UsageError)) {
		t.Errorf("%v", err)
	}
}

// A real model on a real engine acts and judges, and is told that it should not
// judge itself.
func TestModelOnARealEngine(t *testing.T) {
	server := ollamatest.Start(t)
	if _, err := micro.Install(t.Context(), server.Client()); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	name := "ollama:" + micro.Name
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := command.Run(ctx, command.Request{Environment: "local:selective", Agent: name, Judge: name, Episodes: 1, Probes: []string{"hack_detection", "reasoning"}, Host: server.URL, NumCtx: 4096, Threads: func(string) int { return 1 }}, dependencies())
	if err != nil {
		t.Fatal(err)
	}
	if r.Report.Missing.Scored != 1 || *r.Report.MeanReward < .5 || len(r.Report.Warnings) == 0 || !strings.Contains(strings.Join(r.Report.Warnings, "\n"), "the judge is the agent itself") {
		t.Errorf("%+v", r.Report)
	}
}
