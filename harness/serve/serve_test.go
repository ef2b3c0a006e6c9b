package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"candor/harness/claim"
	"candor/harness/env/selective"
	"candor/harness/openenv"
	"candor/harness/run"
	"candor/harness/serve"

	"github.com/coder/websocket"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open serves number-sort until the test ends, orderly.
func open(t *testing.T, cfg serve.Config) *serve.Service {
	t.Helper()
	return openAs(t, "number-sort", cfg)
}

// openAs serves any environment.
func openAs(t *testing.T, name string, cfg serve.Config) *serve.Service {
	t.Helper()
	opened, err := serve.Environment(t.Context(), name, serve.Options{Selective: selective.DefaultConfig()})
	if err != nil {
		t.Fatal(err)
	}
	service, err := serve.Open(cfg, opened.Spec)
	if err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan struct{}), make(chan error)
	go func() { ended <- service.Run(context.Background(), stop) }()
	t.Cleanup(func() {
		close(stop)
		if err := <-ended; err != nil {
			t.Errorf("the server ended in %v", err)
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return service
}

// get asks without keeping the connection, which would outlive the test.
func get(t *testing.T, url string, headers ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Close = true
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// Every environment that there is can be made and served as its options stand.
func TestEnvironments(t *testing.T) {
	for _, name := range serve.Names() {
		cfg := selective.DefaultConfig()
		opened, err := serve.Environment(t.Context(), name, serve.Options{Selective: cfg, Loader: claim.Loader{}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := openenv.NewServer(opened.Spec, openenv.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := opened.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var usage *run.UsageError
	if _, err := serve.Environment(t.Context(), "numbersort", serve.Options{}); !errors.As(err, &usage) || !strings.Contains(err.Error(), `did you mean "number-sort"?`) {
		t.Errorf("a misspelt environment: %v", err)
	}
}

// A port that is taken is told, and no mistake of the command line.
func TestPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	opened, err := serve.Environment(t.Context(), "number-sort", serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var usage *run.UsageError
	for _, cfg := range []serve.Config{{Addr: taken.Addr().String(), MetricsAddr: "127.0.0.1:0"}, {Addr: "127.0.0.1:0", MetricsAddr: taken.Addr().String()}} {
		_, err := serve.Open(cfg, opened.Spec)
		if err == nil || errors.As(err, &usage) || !strings.Contains(err.Error(), "another program listens there; 127.0.0.1:0 takes a free port") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

// The token is asked of everything but the health, metrics included; any
// other is as good as none.
func TestToken(t *testing.T) {
	service := open(t, serve.Config{Addr: "127.0.0.1:0", Token: "open-sesame", Metrics: true})
	for _, row := range []struct {
		path, authorization string
		status              int
	}{
		{"/health", "", 200},
		{"/schema", "", 401},
		{"/metrics", "", 401},
		{"/ws", "", 401},
		{"/nothing", "", 401}, // what there is, is nobody's business either
		{"/schema", "Bearer open-sesame", 200},
		{"/schema", "bearer open-sesame", 200}, // schemes have no case
		{"/metrics", "Bearer open-sesame", 200},
		{"/schema", "Bearer open-sesam", 401},
		{"/schema", "Bearer open-sesamee", 401},
		{"/schema", "Bearer ", 401},
		{"/schema", "Basic open-sesame", 401},
		{"/schema", "open-sesame", 401},
	} {
		if status, _ := get(t, service.URL()+row.path, "Authorization", row.authorization); status != row.status {
			t.Errorf("%s with %q: %d, want %d", row.path, row.authorization, status, row.status)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	address := strings.Replace(service.URL(), "http", "ws", 1) + "/ws"
	if _, response, err := websocket.Dial(ctx, address, nil); err == nil || response.StatusCode != 401 {
		t.Errorf("a WebSocket without a token: %v", err)
	}
	client, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer open-sesame"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
}

// Without a token nobody reaches the server by a name of their own, and no page
// of another site at all.
func TestHostAndOrigin(t *testing.T) {
	local := open(t, serve.Config{Addr: "127.0.0.1:0", MetricsAddr: "127.0.0.1:0"})
	open2 := open(t, serve.Config{Addr: "127.0.0.1:0", Insecure: true})
	for _, row := range []struct {
		url          string
		host, origin string
		status       int
	}{
		{local.URL() + "/health", "localhost:8000", "", 200},
		{local.URL() + "/health", "[::1]:8000", "", 200},
		{local.URL() + "/health", "127.0.0.2", "", 200},
		{local.URL() + "/health", "evil.example:8000", "", 403},
		{local.URL() + "/health", "127.0.0.1.evil.example", "", 403},
		{local.URL() + "/health", "evil.example", "http://evil.example", 403}, // rebound
		{local.URL() + "/health", "localhost:8000", "http://localhost:8000", 200},
		{local.URL() + "/health", "localhost:8000", "http://evil.example", 403},
		{local.URL() + "/health", "localhost:8000", "null", 403},
		{local.MetricsURL(), "evil.example", "", 403},
		{local.MetricsURL(), "localhost", "", 200},
		{open2.URL() + "/health", "proxy.example", "", 200}, // allowed
		{open2.URL() + "/health", "proxy.example", "http://evil.example", 403},
	} {
		headers := []string{"Host", row.host}
		if row.origin != "" {
			headers = append(headers, "Origin", row.origin)
		}
		if status, body := get(t, row.url, headers...); status != row.status {
			t.Errorf("%+v: %d %s", row, status, body)
		}
	}
}

// Metrics are there only if asked for, and count what happened.
func TestMetrics(t *testing.T) {
	if status, _ := get(t, open(t, serve.Config{Addr: "127.0.0.1:0"}).URL()+"/metrics"); status != 404 {
		t.Errorf("metrics that nobody asked for: %d", status)
	}
	service := open(t, serve.Config{Addr: "127.0.0.1:0", Metrics: true})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client, _, err := websocket.Dial(ctx, strings.Replace(service.URL(), "http", "ws", 1)+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseNow()
	for _, text := range []string{`{"type":"reset"}`, `{"type":"step","data":{"values":[1]}}`, `{"type":"step","data":{"values":5}}`, `{`} {
		if err := client.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, reply, err := client.Read(ctx); err != nil || !json.Valid(reply) {
			t.Fatal(string(reply), err)
		}
	}
	_, body := get(t, service.MetricsURL())
	for _, want := range []string{
		`candor_openenv_sessions_active{environment="number_sort"} 1`,
		`candor_openenv_call_seconds_count{environment="number_sort",method="step"} 2`,
		`candor_openenv_errors_total{code="VALIDATION_ERROR",environment="number_sort"} 1`,
		`candor_openenv_errors_total{code="INVALID_JSON",environment="number_sort"} 1`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in\n%s", want, body)
		}
	}
}

// The health that a container asks for is an error wherever there is none.
func TestCheck(t *testing.T) {
	service := open(t, serve.Config{Addr: "127.0.0.1:0", Token: "t"})
	if err := serve.Check(t.Context(), service.URL()+"/"); err != nil {
		t.Error(err)
	}
	if err := serve.Check(t.Context(), service.URL()+"/schema"); err == nil {
		t.Error("what is no server's address is well")
	}
	if err := serve.Check(t.Context(), "http://127.0.0.1:1"); err == nil {
		t.Error("where nobody listens all is well")
	}
}

// What is the environment author's concern is in the log; a session that is
// not in a step ends at once when the server does, by its context as well.
func TestStopAtOnce(t *testing.T) {
	var log bytes.Buffer
	opened, err := serve.Environment(t.Context(), "number-sort", serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service, err := serve.Open(serve.Config{Addr: "127.0.0.1:0", MetricsAddr: "127.0.0.1:0", Log: slog.New(slog.NewTextHandler(&log, nil))}, opened.Spec)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- service.Run(ctx, make(chan struct{})) }()
	client, _, err := websocket.Dial(ctx, strings.Replace(service.URL(), "http", "ws", 1)+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseNow()
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("it ended in %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it did not end")
	}
	if log.Len() > 0 {
		t.Errorf("it logs %s", log.String())
	}
}
