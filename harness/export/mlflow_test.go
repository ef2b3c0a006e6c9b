package export_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"candor/harness/export"
	"candor/harness/run"
)

// summary writes a summary.json beside a run's traces.
func summary(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, run.SummaryFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func figures() string {
	return fmt.Sprintf(`{"n":%d,"accuracy":0.5,"auroc":null,"ci":{"accuracy":[0.25,0.75],"auroc":null,"coverage_at_risk@0.01":[0,1]},"ece_floor":{"p95":0.125},"sources":{"consistency:5":{"n":3}},"rule":"brier","levels":[{"n":1}]}`, len(odd))
}

// A real MLflow server holds the run once, however often it is exported, with
// every figure. CANDOR_PEERS_MLFLOW names a Python interpreter that has MLflow,
// as "scripts/record.sh mlflow" prints it.
func TestPeersMLflow(t *testing.T) {
	python := os.Getenv("CANDOR_PEERS_MLFLOW")
	if python == "" {
		t.Skip("needs CANDOR_PEERS_MLFLOW, a Python interpreter with MLflow")
	}
	url := mlflowServer(t, python)
	dir := oddRun(t)
	summary(t, dir, figures())
	to, err := export.New("mlflow", export.Options{URL: url, Experiment: "a 'test'"})
	if err != nil {
		t.Fatal(err)
	}
	first := write(t, to, dir)
	if again := write(t, to, dir); again != first {
		t.Errorf("exported again it is %s; was %s", again, first)
	}
	// What is too much for one request, or too long, reaches it too.
	heavy := heavyRun(t, "http://first")
	into := export.MLflow{URL: url, Experiment: "heavy"}
	write(t, into, heavy)
	goesOn(t, heavy, "http://second")
	write(t, into, heavy)
	checkHeavy(t, heavy, held(t, python, url, "heavy"))

	runs := held(t, python, url, "a 'test'")
	if len(runs) != 1 || runs[0].Name != "odd" || runs[0].Status != "FAILED" || runs[0].Tags["candor.run_id"] != read(t, dir).ID {
		t.Fatalf("the server holds %+v", runs)
	}
	r := runs[0]
	want := map[string]float64{"n": float64(len(odd)), "accuracy": .5, "accuracy_lo": .25, "accuracy_hi": .75, "ece_floor_p95": .125, "coverage_at_risk_0.01_lo": 0, "coverage_at_risk_0.01_hi": 1, "sources_consistency_5_n": 3}
	if len(r.Metrics) != len(want) {
		t.Errorf("metrics %v; want %v", r.Metrics, want)
	}
	for name, v := range want {
		if r.Metrics[name] != v || r.Histories[name] != 1 {
			t.Errorf("%s is %v, %d times; want %v once", name, r.Metrics[name], r.Histories[name], v)
		}
	}
	if r.Params["model"] != "qwen:=4b" || r.Params["seed"] != "9007199254740993" || r.Params["top_k"] != "20" || r.Params["confidence"] != `["verbal","logprob","consistency:5"]` {
		t.Errorf("parameters %v", r.Params)
	}
	if r.Files[run.SummaryFile] != figures() || !strings.Contains(r.Files[run.ManifestFile], `"qwen:=4b"`) {
		t.Errorf("artifacts %v", r.Files)
	}
	if strings.Contains(fmt.Sprint(runs), "pass-word") {
		t.Error("the server was told a password")
	}
}

// held is what the server holds in an experiment, by MLflow's own client.
func held(t *testing.T, python, url, experiment string) []tracked {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("..", "..", "scripts", "record", "tracked.py"), url, experiment)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var runs []tracked
	if err := json.Unmarshal(out, &runs); err != nil {
		t.Fatal(err)
	}
	return runs
}

// mlflowServer starts a server of its own, with an empty store.
func mlflowServer(t *testing.T, python string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	cmd := exec.Command(filepath.Join(filepath.Dir(python), "mlflow"), "server", "--host", "127.0.0.1", "--port", port, "--workers", "1")
	cmd.Dir = t.TempDir()
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endGroup(cmd) })
	url := "http://127.0.0.1:" + port
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		if resp, err := http.Get(url + "/health"); err == nil {
			resp.Body.Close()
			return url
		}
	}
	t.Fatal("the MLflow server did not come up")
	return ""
}

// Each row is what a server answers, or that there is none, and what is said.
func TestMLflowErrors(t *testing.T) {
	dir := oddRun(t)
	for _, row := range []struct {
		status     int
		body, want string
	}{
		{401, "", "MLFLOW_TRACKING_TOKEN"},
		{500, `{"error_code":"INTERNAL_ERROR","message":"no disk"}`, "500 no disk"},
		{200, "<html>", "does not answer as an MLflow server"},
		{200, `{"experiment":{"experiment_id":"1","lifecycle_stage":"deleted"}}`, "--experiment"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if u, p, _ := r.BasicAuth(); u != "me" || p != "pass-word" {
				t.Errorf("no password was sent")
			}
			w.WriteHeader(row.status)
			fmt.Fprint(w, row.body)
		}))
		summary(t, dir, figures())
		m := export.MLflow{URL: s.URL, Username: "me", Password: "pass-word"}
		if err := exported(m, read(t, dir)); err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "pass-word") {
			t.Errorf("%d %s: %v; want %q", row.status, row.body, err, row.want)
		}
		s.Close()
		if err := exported(m, read(t, dir)); err == nil || !strings.Contains(err.Error(), "start one with mlflow server") {
			t.Errorf("no server: %v", err)
		}
	}
	m := export.MLflow{URL: "http://127.0.0.1:1"}
	summary(t, dir, `{"n":1}`)
	if err := exported(m, read(t, dir)); err == nil || !strings.Contains(err.Error(), "candor eval --resume") {
		t.Errorf("an old summary: %v", err)
	}
	os.Remove(filepath.Join(dir, run.SummaryFile))
	if err := exported(m, read(t, dir)); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "candor eval --resume") {
		t.Errorf("no summary: %v", err)
	}
}
