package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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

// The server's limits. A batch is at most 1 MB, too, which 100 parameters of
// this length stay under in any script.
const (
	mostParams   = 100
	mostMetrics  = 1000
	longestName  = 250 // characters
	longestValue = 500 // before MLflow 2.10; 6000 since, 8000 of a tag
	tagRun       = "candor.run_id"
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
	there, err := m.find(ctx, experiment, r, at)
	if err != nil {
		return m.URL, err
	}
	if err := m.log(ctx, there, r, metrics, at); err != nil {
		return m.URL, err
	}
	manifest, err := json.MarshalIndent(r.Manifest, "", "  ")
	if err != nil {
		return m.URL, err
	}
	for name, b := range map[string][]byte{run.SummaryFile: summary, run.ManifestFile: append(manifest, '\n')} {
		if err := m.artifact(ctx, there.Info.Artifacts, name, b); err != nil {
			return m.URL, err
		}
	}
	err = m.call(ctx, "POST", "runs/update", map[string]any{"run_id": there.Info.ID, "status": r.status(), "end_time": at}, nil)
	return fmt.Sprintf("%s/#/experiments/%s/runs/%s", strings.TrimSuffix(withoutSecrets(m.URL), "/"), experiment, there.Info.ID), err
}

// status is how the run ended, in the server's words: figures of a part of the
// tasks are not those of the run.
func (r *Run) status() string {
	if r.Missing() > 0 || len(r.Failed) > 0 {
		return "FAILED"
	}
	return "FINISHED"
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
		name := strings.Map(allowed, key) // of one byte a character
		into[name[:min(len(name), longestName)]] = v
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

// mlflowRun is what the server holds of a run.
type mlflowRun struct {
	Info struct {
		ID        string `json:"run_id"`
		Artifacts string `json:"artifact_uri"`
	}
	Data struct{ Params, Tags []pair }
}

// find is the MLflow run of r, made if there is none.
func (m MLflow) find(ctx context.Context, experiment string, r *Run, at int64) (mlflowRun, error) {
	var found struct{ Runs []mlflowRun }
	err := m.call(ctx, "POST", "runs/search", map[string]any{
		"experiment_ids": []string{experiment}, "max_results": 1, "filter": fmt.Sprintf("tags.`%s` = '%s'", tagRun, r.ID),
	}, &found)
	if err != nil {
		return mlflowRun{}, err
	}
	if len(found.Runs) > 0 {
		return found.Runs[0], nil
	}
	start := at
	if len(r.Manifest.Sessions) > 0 {
		start = r.Manifest.Sessions[0].Started.UnixMilli()
	}
	var made struct{ Run mlflowRun }
	err = m.call(ctx, "POST", "runs/create", map[string]any{
		"experiment_id": experiment, "run_name": r.Name, "start_time": start, "tags": []pair{{tagRun, r.ID}},
	}, &made)
	return made.Run, err
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
func (m MLflow) log(ctx context.Context, there mlflowRun, r *Run, metrics map[string]float64, at int64) error {
	var all []metric
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		all = append(all, metric{name, metrics[name], at, 0})
	}
	params, err := r.params()
	if err != nil {
		return err
	}
	params, tags := r.tags(params, there)
	send := func(what string, things any) error {
		return m.call(ctx, "POST", "runs/log-batch", map[string]any{"run_id": there.Info.ID, what: things}, nil)
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
	for some := range slices.Chunk(tags, mostParams) {
		if err := send("tags", some); err != nil {
			return err
		}
	}
	return nil
}

// tags are what identifies the run, and those of its parameters that the server
// holds, or held once, with another value: a parameter can never be changed
// there, but a run may go on at another host. It returns the rest beside them.
func (r *Run) tags(params []pair, there mlflowRun) (rest, tags []pair) {
	man := r.Manifest
	tags = []pair{
		{tagRun, r.ID}, {"candor.version", man.Candor}, {"candor.state", string(man.State)}, {"candor.config_hash", man.ConfigHash},
		{"candor.model_digest", man.Model.Digest}, {"candor.server_version", man.Model.ServerVersion}, {"candor.prompt_hash", man.Prompt.Hash},
		{"candor.failed", strconv.Itoa(len(r.Failed))}, {"candor.missing", strconv.Itoa(r.Missing())},
	}
	held, tagged := map[string]string{}, map[string]bool{}
	for _, p := range there.Data.Params {
		held[p.Key] = p.Value
	}
	for _, p := range there.Data.Tags {
		tagged[p.Key] = true
	}
	for _, p := range params {
		now := pair{"candor.now." + p.Key, p.Value}
		value, is := held[p.Key]
		if is && value != p.Value || tagged[now.Key] {
			tags = append(tags, now)
		} else {
			rest = append(rest, p)
		}
	}
	return rest, tags
}

// params are the configuration by its flags' names, with the options in effect.
func (r *Run) params() ([]pair, error) {
	var flat map[string]json.RawMessage
	for _, v := range []any{r.Manifest.Options, r.Manifest.Config} {
		var b bytes.Buffer
		if err := line(&b, v); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b.Bytes(), &flat); err != nil {
			return nil, err
		}
	}
	var out []pair
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		value := string(flat[name]) // numbers as they are spelled
		if value[0] == '"' {
			if err := json.Unmarshal(flat[name], &value); err != nil {
				return nil, err
			}
		}
		if value == "null" || value == "" {
			continue
		}
		out = append(out, pair{name, cut(value, longestValue)})
	}
	return out, nil
}

// cut shortens a text to at most n characters, and shows that it did.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// artifact uploads a file through the server's own store.
func (m MLflow) artifact(ctx context.Context, root, name string, b []byte) error {
	u, err := url.Parse(root)
	if err != nil || u.Scheme != "mlflow-artifacts" {
		return fmt.Errorf("the run's artifacts lie at %s, which cannot be reached through the server; start it with --serve-artifacts, or log %s yourself", withoutSecrets(root), name)
	}
	return m.send(ctx, "PUT", "/api/2.0/mlflow-artifacts/artifacts"+strings.TrimSuffix(u.Path, "/")+"/"+name, "application/json", b, nil)
}
