package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"candor/harness/regular"
	"candor/harness/run"
)

// MLflow is a run of an MLflow tracking server, over its REST API: parameters,
// metrics, tags, and the summary and the manifest as artifacts. Exporting again
// finds the same MLflow run by its tag candor.run_id.
type MLflow struct {
	URL, Experiment           string
	Token, Username, Password string
	Client                    *http.Client // nil: http.DefaultClient
}

// The server's limits.
const (
	mostParams  = 100
	mostMetrics = 1000 - mostParams // a batch has 1000 things in all
	mostTags    = 100
	longest     = 5000 // characters of a value
	tagRun      = "candor.run_id"
)

// Export logs the run.
func (m MLflow) Export(ctx context.Context, r *Run) (string, error) {
	summary, metrics, at, err := r.figures()
	if err != nil {
		return m.URL, err
	}
	experiment, err := m.experiment(ctx)
	if err != nil {
		return m.URL, err
	}
	id, artifacts, err := m.find(ctx, experiment, r, at)
	if err != nil {
		return m.URL, err
	}
	if err := m.log(ctx, id, r, metrics, at); err != nil {
		return m.URL, err
	}
	manifest, err := json.MarshalIndent(r.Manifest, "", "  ")
	if err != nil {
		return m.URL, err
	}
	for name, b := range map[string][]byte{run.SummaryFile: summary, run.ManifestFile: append(manifest, '\n')} {
		if err := m.artifact(ctx, artifacts, name, b); err != nil {
			return m.URL, err
		}
	}
	err = m.call(ctx, "POST", "runs/update", map[string]any{"run_id": id, "status": "FINISHED", "end_time": at}, nil)
	return fmt.Sprintf("%s/#/experiments/%s/runs/%s", strings.TrimSuffix(withoutSecrets(m.URL), "/"), experiment, id), err
}

// figures are summary.json and the numbers in it by name, and when the run
// stopped in milliseconds.
func (r *Run) figures() (whole []byte, metrics map[string]float64, at int64, err error) {
	name := filepath.Join(r.Dir, run.SummaryFile)
	if whole, err = regular.ReadFile(name); err != nil {
		return nil, nil, 0, fmt.Errorf("%w; finish the run with candor eval --resume %s", err, r.Dir)
	}
	var s run.Summary
	var tree map[string]any
	if err := errors.Join(json.Unmarshal(whole, &s), json.Unmarshal(whole, &tree)); err != nil {
		return nil, nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	if s.N != len(r.Traces) {
		return nil, nil, 0, fmt.Errorf("%s is over %d tasks, but %d are recorded; finish the run with candor eval --resume %s", name, s.N, len(r.Traces), r.Dir)
	}
	metrics = map[string]float64{}
	for key, v := range tree {
		switch key {
		case "levels", "warnings", "by_split", "by_labels", "complete": // tables, texts
		case "ci", "spread":
			bounds(metrics, v)
		default:
			flatten(metrics, key, v)
		}
	}
	for _, session := range r.Manifest.Sessions {
		at = max(at, session.Started.UnixMilli()+int64(1000*session.Seconds))
	}
	return whole, metrics, at, nil
}

// bounds names the intervals' ends.
func bounds(into map[string]float64, v any) {
	of, _ := v.(map[string]any)
	for name, pair := range of {
		if p, ok := pair.([]any); ok && len(p) == 2 {
			flatten(into, name+"_lo", p[0])
			flatten(into, name+"_hi", p[1])
		}
	}
}

// flatten joins the keys of inner objects by "_"; null is left out.
func flatten(into map[string]float64, key string, v any) {
	switch v := v.(type) {
	case float64:
		into[strings.Map(allowed, key)] = v
	case map[string]any:
		for k, inner := range v {
			flatten(into, key+"_"+k, inner)
		}
	}
}

// allowed is a character of a name that every server takes, "_" for others such
// as the "@" and ":" in coverage_at_risk@0.01 and consistency:5.
func allowed(c rune) rune {
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-. /", c) {
		return c
	}
	return '_'
}

// experiment is the ID of the one by this name, made if there is none.
func (m MLflow) experiment(ctx context.Context) (string, error) {
	var got struct {
		Experiment struct {
			ID    string `json:"experiment_id"`
			Stage string `json:"lifecycle_stage"`
		}
		ID string `json:"experiment_id"`
	}
	name := cmp.Or(m.Experiment, "candor")
	err := m.call(ctx, "GET", "experiments/get-by-name?experiment_name="+url.QueryEscape(name), nil, &got)
	if e := (*ServerError)(nil); errors.As(err, &e) && e.Code == "RESOURCE_DOES_NOT_EXIST" {
		err = m.call(ctx, "POST", "experiments/create", map[string]any{"name": name}, &got)
		return got.ID, err
	}
	if err == nil && got.Experiment.Stage == "deleted" {
		err = fmt.Errorf("the experiment %q was deleted there; restore it, or name another with --experiment", name)
	}
	return got.Experiment.ID, err
}

type mlflowRun struct {
	Info struct {
		ID        string `json:"run_id"`
		Artifacts string `json:"artifact_uri"`
	}
}

// find is the MLflow run of r, made if there is none, and where its artifacts are.
func (m MLflow) find(ctx context.Context, experiment string, r *Run, at int64) (id, artifacts string, err error) {
	var found struct{ Runs []mlflowRun }
	err = m.call(ctx, "POST", "runs/search", map[string]any{
		"experiment_ids": []string{experiment}, "max_results": 1, "filter": fmt.Sprintf("tags.`%s` = '%s'", tagRun, r.ID),
	}, &found)
	if err != nil {
		return "", "", err
	}
	if len(found.Runs) > 0 {
		return found.Runs[0].Info.ID, found.Runs[0].Info.Artifacts, nil
	}
	start := at
	if len(r.Manifest.Sessions) > 0 {
		start = r.Manifest.Sessions[0].Started.UnixMilli()
	}
	var made struct{ Run mlflowRun }
	err = m.call(ctx, "POST", "runs/create", map[string]any{
		"experiment_id": experiment, "run_name": r.Name, "start_time": start, "tags": []pair{{tagRun, r.ID}},
	}, &made)
	return made.Run.Info.ID, made.Run.Info.Artifacts, err
}

type pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type metric struct {
	Key       string  `json:"key"`
	Value     float64 `json:"value"`
	Timestamp int64   `json:"timestamp"`
	Step      int     `json:"step"`
}

// log sends parameters, metrics and tags in batches. A metric of the same time
// and value is the same to the server, so that nothing is doubled.
func (m MLflow) log(ctx context.Context, id string, r *Run, metrics map[string]float64, at int64) error {
	var all []metric
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		all = append(all, metric{name, metrics[name], at, 0})
	}
	params, err := r.params()
	if err != nil {
		return err
	}
	send := func(what string, things any) error {
		return m.call(ctx, "POST", "runs/log-batch", map[string]any{"run_id": id, what: things}, nil)
	}
	for some := range slices.Chunk(params, mostParams) {
		if err := send("params", some); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(all, mostMetrics) {
		if err := send("metrics", some); err != nil {
			return err
		}
	}
	man := r.Manifest
	return send("tags", []pair{
		{tagRun, r.ID}, {"candor.version", man.Candor}, {"candor.state", string(man.State)}, {"candor.config_hash", man.ConfigHash},
		{"candor.model_digest", man.Model.Digest}, {"candor.server_version", man.Model.ServerVersion}, {"candor.prompt_hash", man.Prompt.Hash},
	})
}

// params are the configuration by its flags' names, with the options in effect.
func (r *Run) params() ([]pair, error) {
	var flat map[string]json.RawMessage
	for _, v := range []any{r.Manifest.Options, r.Manifest.Config} {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, &flat); err != nil {
			return nil, err
		}
	}
	var out []pair
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		value := strings.Trim(string(flat[name]), `"`)
		if value == "null" || value == "" {
			continue
		}
		if runes := []rune(value); len(runes) > longest {
			value = string(runes[:longest-1]) + "…"
		}
		out = append(out, pair{name, value})
	}
	return out, nil
}

// artifact uploads a file through the server's own store.
func (m MLflow) artifact(ctx context.Context, root, name string, b []byte) error {
	u, err := url.Parse(root)
	if err != nil || u.Scheme != "mlflow-artifacts" {
		return fmt.Errorf("the run's artifacts lie at %s, which cannot be reached through the server; start it with --serve-artifacts, or log %s yourself", withoutSecrets(root), name)
	}
	return m.send(ctx, "PUT", "/api/2.0/mlflow-artifacts/artifacts"+strings.TrimSuffix(u.Path, "/")+"/"+name, "application/json", b, nil)
}

func (m MLflow) call(ctx context.Context, method, path string, body, into any) error {
	var b []byte
	if body != nil {
		var err error
		if b, err = json.Marshal(body); err != nil {
			return err
		}
	}
	return m.send(ctx, method, "/api/2.0/mlflow/"+path, "application/json", b, into)
}

// ServerError is what the tracking server refused.
type ServerError struct {
	Status        int
	Code, Message string
}

// Error says what it was and, where that is known, what to do.
func (e *ServerError) Error() string {
	s := fmt.Sprintf("the MLflow server says %d %s", e.Status, cmp.Or(e.Message, e.Code))
	if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden {
		s += "; set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
	}
	return s
}

func (m MLflow) send(ctx context.Context, method, path, kind string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(m.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return errors.New("--url is no address; it should be like http://127.0.0.1:5000")
	}
	req.Header.Set("Content-Type", kind)
	if m.Token != "" {
		req.Header.Set("Authorization", "Bearer "+m.Token)
	} else if m.Username != "" {
		req.SetBasicAuth(m.Username, m.Password)
	}
	resp, err := cmp.Or(m.Client, http.DefaultClient).Do(req)
	if err != nil {
		if e := (*url.Error)(nil); errors.As(err, &e) {
			err = e.Err // names the URL, with its password
		}
		return fmt.Errorf("no MLflow server answers at %s: %w; start one with mlflow server, or name it with --url", withoutSecrets(m.URL), err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		told := struct {
			Code    string `json:"error_code"`
			Message string
		}{}
		_ = json.Unmarshal(b, &told) // else it is not MLflow that answers
		return &ServerError{resp.StatusCode, told.Code, cmp.Or(told.Message, http.StatusText(resp.StatusCode))}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s does not answer as an MLflow server does: %w", withoutSecrets(m.URL), err)
	}
	return nil
}
