package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// service is how long the stand-in serves a request.
const service = 200 * time.Millisecond

// slotsVar makes the test binary a server with so many slots, so that what the
// server takes of the processors is not counted as the client's.
const slotsVar, serviceVar = "CANDOR_BENCH_SLOTS", "CANDOR_BENCH_SERVICE"

func TestMain(m *testing.M) {
	if os.Getenv(openenvVar) != "" {
		fmt.Fprintln(os.Stderr, serveOpenEnv())
		os.Exit(1)
	}
	if slots, err := strconv.Atoi(os.Getenv(slotsVar)); err == nil {
		each, err := time.ParseDuration(os.Getenv(serviceVar))
		if err == nil {
			err = serve(slots, each)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serve answers every question after the same time in one of so many slots, says
// how long it slept in truth, and its address on standard output. It has no model: it is there
// to time those that ask.
func serve(slots int, each time.Duration) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	places := make(chan struct{}, slots)
	mux := http.NewServeMux()
	for path, says := range map[string]string{
		"/api/version": `{"version":"0.24.0"}`, "/api/tags": `{"models":[]}`, "/api/ps": `{"models":[]}`,
		"/api/show": `{"details":{},"model_info":{"general.architecture":"qwen35","qwen35.context_length":262144},"capabilities":["completion","vision"]}`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, says) })
	}
	mux.HandleFunc("POST /api/generate", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		places <- struct{}{}
		start := time.Now()
		time.Sleep(each)
		took := time.Since(start)
		<-places
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"model":"fixed","response":%s,"done":true,"done_reason":"stop","prompt_eval_count":400,"eval_count":12,"total_duration":%d}`,
			strconv.Quote(`{"verdict":"SUPPORTED","confidence":0.9}`), took)
	})
	return http.Serve(listener, mux)
}

// startServer runs serve in a process of its own until the benchmark ends.
func startServer(b *testing.B, slots int, each time.Duration) (url string) {
	b.Helper()
	return startSelf(b, slotsVar+"="+strconv.Itoa(slots), serviceVar+"="+each.String())
}

// startSelf runs the test binary as the server that the environment asks for,
// and returns the address that it says.
func startSelf(b *testing.B, environment ...string) (url string) {
	b.Helper()
	command := exec.CommandContext(b.Context(), os.Args[0])
	command.Env = append(os.Environ(), environment...)
	url, _ = start(b, command)
	return url
}

// start runs a server until the benchmark ends, and returns the address that it
// says first, and its process.
func start(b *testing.B, command *exec.Cmd) (url string, pid int) {
	b.Helper()
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	in, err := command.StdinPipe() // open as long as it is to serve
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line), command.Process.Pid
}

// post sends a ready body and reads the answer: the least that a client can do.
func post(b *testing.B, client *http.Client, url string, body []byte) {
	resp, err := client.Post(url+"/api/generate", "application/json", strings.NewReader(string(body)))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct{ Done bool }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || !answer.Done {
		b.Fatalf("no answer: %v", err)
	}
}
