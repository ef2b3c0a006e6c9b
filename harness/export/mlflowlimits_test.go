package export_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"candor/harness/export"
	"candor/harness/run"
)

// tracked is a run as an MLflow server holds it.
type tracked struct {
	Name, Status        string
	Params, Tags, Files map[string]string
	Metrics             map[string]float64
	Histories           map[string]int
}

// standIn is an MLflow server with the limits that real ones have, the narrowest
// of any release since 1.28 each, and one experiment.
type standIn struct {
	t *testing.T
	tracked
	batches int
}

func newStandIn(t *testing.T) (*standIn, string) {
	s := &standIn{t: t, tracked: tracked{Params: map[string]string{}, Tags: map[string]string{}, Files: map[string]string{}, Metrics: map[string]float64{}, Histories: map[string]int{}}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

type keyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	switch path := strings.TrimPrefix(r.URL.Path, "/api/2.0/mlflow/"); path {
	case "experiments/get-by-name":
		fmt.Fprint(w, `{"experiment":{"experiment_id":"1","lifecycle_stage":"active"}}`)
	case "runs/search":
		fmt.Fprint(w, s.search())
	case "runs/create":
		var asked struct {
			Name string `json:"run_name"`
			Tags []keyValue
		}
		s.decode(body, &asked)
		s.Name = asked.Name
		for _, tag := range asked.Tags {
			s.Tags[tag.Key] = tag.Value
		}
		fmt.Fprint(w, `{"run":`+s.stored()+`}`)
	case "runs/log-batch":
		if fault := s.log(body); fault != "" {
			w.WriteHeader(http.StatusBadRequest)
			json.NewEncoder(w).Encode(map[string]string{"error_code": "INVALID_PARAMETER_VALUE", "message": fault})
			return
		}
		fmt.Fprint(w, "{}")
	case "runs/update":
		var asked struct{ Status string }
		s.decode(body, &asked)
		s.Status = asked.Status
		fmt.Fprint(w, "{}")
	default:
		name, ok := strings.CutPrefix(path, "/api/2.0/mlflow-artifacts/artifacts/1/r/artifacts/")
		if !ok || r.Method != http.MethodPut {
			s.t.Errorf("%s %s", r.Method, r.URL)
		}
		s.Files[name] = string(body)
		fmt.Fprint(w, "{}")
	}
}

func (s *standIn) decode(body []byte, into any) {
	if err := json.Unmarshal(body, into); err != nil {
		s.t.Errorf("%v in %s", err, body)
	}
}

// search finds the run if there is one.
func (s *standIn) search() string {
	if s.Name == "" {
		return `{}`
	}
	return `{"runs":[` + s.stored() + `]}`
}

func (s *standIn) stored() string {
	var data struct {
		Params []keyValue `json:"params"`
		Tags   []keyValue `json:"tags"`
	}
	for k, v := range s.Params {
		data.Params = append(data.Params, keyValue{k, v})
	}
	for k, v := range s.Tags {
		data.Tags = append(data.Tags, keyValue{k, v})
	}
	b, err := json.Marshal(data)
	if err != nil {
		s.t.Error(err)
	}
	return `{"info":{"run_id":"r","artifact_uri":"mlflow-artifacts:/1/r/artifacts"},"data":` + string(b) + `}`
}

var goodName = regexp.MustCompile(`^[/\w.\- ]*$`)

// log takes a batch in, or tells what is wrong with it as the server does.
func (s *standIn) log(body []byte) string {
	s.batches++
	var b struct {
		Params, Tags []keyValue
		Metrics      []struct {
			Key   string
			Value *float64
		}
	}
	s.decode(body, &b)
	if len(body) > 1e6 || len(b.Params) > 100 || len(b.Tags) > 100 || len(b.Metrics) > 1000 || len(b.Params)+len(b.Tags)+len(b.Metrics) > 1000 {
		return fmt.Sprintf("a batch of %d bytes, %d params, %d tags, %d metrics", len(body), len(b.Params), len(b.Tags), len(b.Metrics))
	}
	for _, p := range append(b.Params, b.Tags...) {
		if !goodName.MatchString(p.Key) || len(p.Key) > 250 || utf8.RuneCountInString(p.Value) > 500 {
			return fmt.Sprintf("%s of %d characters", p.Key, utf8.RuneCountInString(p.Value))
		}
	}
	for _, p := range b.Params {
		if old, ok := s.Params[p.Key]; ok && old != p.Value {
			return "Changing param values is not allowed: " + p.Key
		}
		s.Params[p.Key] = p.Value
	}
	for _, p := range b.Tags {
		s.Tags[p.Key] = p.Value
	}
	for _, m := range b.Metrics {
		if m.Value == nil || !goodName.MatchString(m.Key) || len(m.Key) > 250 {
			return fmt.Sprintf("the metric %s is %v", m.Key, m.Value)
		}
		s.Metrics[m.Key] = *m.Value
		s.Histories[m.Key] = 1
	}
	return ""
}

// heavyRun is a run with more figures than a batch takes, names and values
// longer than a server stores, and characters that no name may have. All its
// tasks are answered.
func heavyRun(t *testing.T, host string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "schwere Läufe: 100 %")
	m := run.Manifest{State: run.Finished, Config: run.DefaultConfig(), Tasks: 1}
	m.Config.Hosts = []string{host}
	m.Config.Model = `a\b "c" <d> & é`
	m.Config.Labels = []string{"x=" + strings.Repeat("🂡", 9000)}
	m.Config.Images = strings.Repeat("i", 500)
	writeRun(t, dir, m, []run.Trace{oddTrace(0, "")})
	many := map[string]any{"n": 1, "auroc": nil, "sources": map[string]any{strings.Repeat("long:", 100): map[string]any{"n": 7}}}
	at := map[string]any{"é@": 3}
	for i := range 2100 {
		at[fmt.Sprint(i)] = float64(i) / 8
	}
	at["none"] = nil
	many["selective_accuracy"] = at
	b, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	summary(t, dir, string(b))
	return dir
}

// goesOn lets the run have gone on at another host.
func goesOn(t *testing.T, dir, host string) {
	t.Helper()
	name := filepath.Join(dir, run.ManifestFile)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	was := read(t, dir).Manifest.Config.Hosts[0]
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(b), was, host)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkHeavy: the server holds all that it can of the heavy run, exported from
// the first host and then from the second.
func checkHeavy(t *testing.T, dir string, runs []tracked) {
	t.Helper()
	if len(runs) != 1 {
		t.Fatalf("the server holds %d runs", len(runs))
	}
	r := runs[0]
	if r.Name != filepath.Base(dir) || r.Status != "FINISHED" {
		t.Errorf("it is %q, %s", r.Name, r.Status)
	}
	if len(r.Metrics) != 2103 || r.Metrics["selective_accuracy_2099"] != 2099./8 || r.Metrics["selective_accuracy___"] != 3 {
		t.Errorf("%d metrics, such as %v, %v", len(r.Metrics), r.Metrics["selective_accuracy_2099"], r.Metrics["selective_accuracy___"])
	}
	long := ("sources_" + strings.Repeat("long_", 100))[:250]
	if r.Metrics[long] != 7 {
		t.Errorf("the metric with a long name is %v", r.Metrics[long])
	}
	for name, want := range map[string]string{
		"model": `a\b "c" <d> & é`, "images": strings.Repeat("i", 500), "labels": `["x=` + strings.Repeat("🂡", 495) + "…", "host": `["http://first"]`,
	} {
		if r.Params[name] != want {
			t.Errorf("%s is %q; want %q", name, r.Params[name], want)
		}
	}
	if r.Tags["candor.now.host"] != `["http://second"]` || r.Tags["candor.failed"] != "0" {
		t.Errorf("tags %v", r.Tags)
	}
	if !strings.Contains(r.Files[run.ManifestFile], strings.Repeat("🂡", 9000)) {
		t.Error("what was cut is not whole in the artifact")
	}
}

// What is more or longer than one request may hold is logged in several; what
// a run changed when it went on is told beside what it was. Gone back to the
// first host, the tag says so: it is never older than the parameter.
func TestMLflowLimits(t *testing.T) {
	s, url := newStandIn(t)
	to := export.MLflow{URL: url}
	dir := heavyRun(t, "http://first")
	write(t, to, dir)
	if s.batches < 5 { // parameters, tags, and three of metrics
		t.Errorf("%d batches", s.batches)
	}
	if _, ok := s.Tags["candor.now.host"]; ok {
		t.Error("nothing has changed yet")
	}
	goesOn(t, dir, "http://second")
	write(t, to, dir)
	checkHeavy(t, dir, []tracked{s.tracked})
	goesOn(t, dir, "http://first")
	write(t, to, dir)
	if s.Params["host"] != s.Tags["candor.now.host"] {
		t.Errorf("the host is %s, and now %s", s.Params["host"], s.Tags["candor.now.host"])
	}
}

// A run that is not whole is no finished one on the server, and says how much
// is missing.
func TestMLflowIncomplete(t *testing.T) {
	for _, row := range []struct {
		tasks                   int
		errors                  string
		status, failed, missing string
	}{
		{len(odd), "", "FINISHED", "0", "0"},
		{len(odd) + 3, "", "FAILED", "0", "3"},
		{len(odd) + 3, `{"task_id":"x/1","attempt":1,"class":"retry","error":"e"}` + "\n", "FAILED", "1", "2"},
	} {
		s, url := newStandIn(t)
		dir := oddRun(t)
		m := read(t, dir).Manifest
		m.Tasks = row.tasks
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{run.ManifestFile: string(b), run.ErrorsFile: row.errors} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		summary(t, dir, figures())
		write(t, export.MLflow{URL: url}, dir)
		if s.Status != row.status || s.Tags["candor.failed"] != row.failed || s.Tags["candor.missing"] != row.missing {
			t.Errorf("%+v: %s, %s failed, %s missing", row, s.Status, s.Tags["candor.failed"], s.Tags["candor.missing"])
		}
	}
}
