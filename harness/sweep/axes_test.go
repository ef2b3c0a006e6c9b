package sweep_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/harness/sweep"
	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/faultserver"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quiet is told of cells and does not listen.
type quiet struct{}

func (quiet) Planned([]sweep.Planned) {}
func (quiet) Cell(int, []run.Trace)   {}
func (quiet) Done(int, run.Summary)   {}

// bed is a folder with a small data set, and a server for it.
type bed struct {
	*testing.T
	dir     string
	servers []*faultserver.Server
	deps    run.Dependencies
}

// newBed has claims of two splits about ten images.
func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{T: t, dir: t.TempDir()}
	for _, split := range []string{"random", "popular"} {
		var rows strings.Builder
		for i := range 10 {
			for k, object := range []string{"dog", "car"} {
				fmt.Fprintf(&rows, `{"question_id": %d, "image": "%d.png", "text": "Is there a %s in the image?", "label": %q}`+"\n", 2*i+k, i, object, []string{"yes", "no"}[(i+k)%2])
			}
		}
		b.write("coco_pope_"+split+".json", rows.String())
	}
	for i := range 10 {
		img := image.NewPaletted(image.Rect(0, 0, 64, 64), color.Palette{color.RGBA{uint8(20 * i), 99, 7, 255}})
		var buf bytes.Buffer
		if err := png.Encode(&buf, img); err != nil {
			t.Fatal(err)
		}
		b.write(fmt.Sprintf("%d.png", i), buf.String())
	}
	b.write("short.tmpl", `{{define "system"}}Say what is true; {{.Rule}} pays, ABSTAIN {{.Abstain}}.{{end}}{{define "user"}}Claim: {{.Claim}}{{end}}`)
	var mu sync.Mutex
	var opened []*ollama.Client
	b.deps = run.Dependencies{Version: "test", Connect: func(host string) (infer.Backend, error) {
		c, err := ollama.New(host)
		mu.Lock()
		defer mu.Unlock()
		opened = append(opened, c)
		return c, err
	}}
	t.Cleanup(func() {
		for _, c := range opened {
			c.Close()
		}
	})
	return b
}

func (b *bed) write(name, text string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

// sweep carries a file out against a server of its own.
func (b *bed) sweep(name string, bootstrap int, text string, opts ...faultserver.Option) (*sweep.Table, *faultserver.Server) {
	b.Helper()
	f, err := sweep.Parse(name+".toml", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	s := faultserver.New(b, opts...)
	cells, err := f.Cells(func(c *run.Config, given func(string) bool) {
		c.Hosts, c.Dataset, c.Images, c.Preflight = []string{s.URL}, b.dir, b.dir, false
		c.Parallel, c.Bootstrap, c.NumTasks = "1", bootstrap, 3
		if !given("partition") {
			c.Partition = "all"
		}
		if !given("split") {
			c.Split = "random"
		}
		if !given("model") {
			c.Model = faultserver.Model
		}
		if c.Prompt == "short" {
			c.Prompt = filepath.Join(b.dir, "short.tmpl")
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	table, err := f.Run(b.Context(), cells, filepath.Join(b.dir, name), b.deps, quiet{})
	if err != nil {
		b.Fatal(err)
	}
	return table, s
}

// told is what of a cell's traces an axis decides.
func (b *bed) told(sweep string, table *sweep.Table, of func(run.Trace) string) []string {
	b.Helper()
	var out []string
	for _, c := range table.Cells {
		traces, err := run.ReadTraces(filepath.Join(b.dir, sweep, c.Dir))
		if err != nil {
			b.Fatal(err)
		}
		seen := map[string]bool{}
		for _, t := range traces {
			seen[of(t)] = true
		}
		out = append(out, strings.Join(slices.Sorted(maps.Keys(seen)), " "))
	}
	return out
}

// checkTasks checks the axes that choose tasks and seeds.
func (b *bed) checkTasks(axis string, table *sweep.Table, requests []*faultserver.Request) {
	b.Helper()
	ids := b.told(axis, table, func(t run.Trace) string { return t.TaskID })
	seeds := map[int64]int{}
	for _, r := range requests {
		if strings.Contains(r.Prompt, "There is a") {
			seeds[r.Seed()]++
		}
	}
	switch axis {
	case "split":
		if got := b.told(axis, table, func(t run.Trace) string { return t.Split }); !slices.Equal(got, []string{"random", "popular"}) || len(table.Groups) != 2 {
			b.Errorf("splits %q in %d groups", got, len(table.Groups))
		}
	case "partition":
		sides := b.told(axis, table, func(t run.Trace) string { return fmt.Sprint(claim.InEval(t.ImageSource)) })
		if !slices.Equal(sides, []string{"true", "false"}) || len(table.Groups) != 2 {
			b.Errorf("in the eval partition: %q, in %d groups", sides, len(table.Groups))
		}
	case "seed":
		if ids[0] == ids[1] || len(seeds) < 6 || len(table.Groups) != 2 {
			b.Errorf("tasks %q, seeds %v, %d groups", ids, seeds, len(table.Groups))
		}
	case "replicate": // the same tasks, drawn anew
		if ids[0] != ids[1] || len(seeds) != 6 || len(table.Groups) != 1 {
			b.Errorf("tasks %q, seeds %v, %d groups", ids, seeds, len(table.Groups))
		}
	}
}

// Whatever may be an axis makes cells that are asked differently, in just that:
// each row is an axis's two values, what of a request about a claim they decide,
// and what is there in the requests of both cells.
func TestAxes(t *testing.T) {
	b := newBed(t)
	option := func(name string) func(*faultserver.Request) any {
		return func(r *faultserver.Request) any { return r.Options[name] }
	}
	words := func(list ...string) func(*faultserver.Request) any {
		return func(r *faultserver.Request) any {
			return slices.IndexFunc(list, func(w string) bool { return strings.Contains(r.System+r.Prompt, w) })
		}
	}
	rows := map[string]struct {
		values string
		of     func(*faultserver.Request) any
		want   []any
	}{
		"model":             {`["fake:latest", "other:1b"]`, func(r *faultserver.Request) any { return r.Model }, []any{"fake:latest", "other:1b"}},
		"profile":           {`["greedy", "qwen3.5-instruct-reasoning"]`, option("top_k"), []any{1., 40.}},
		"temperature":       {`[0.1, 1]`, option("temperature"), []any{.1, 1.}},
		"top-p":             {`[0.5, 1.0]`, option("top_p"), []any{.5, 1.}},
		"top-k":             {`[3, 4]`, option("top_k"), []any{3., 4.}},
		"min-p":             {`[0, 0.1]`, option("min_p"), []any{0., .1}},
		"presence-penalty":  {`[0, 1]`, option("presence_penalty"), []any{0., 1.}},
		"frequency-penalty": {`[0, 0.5]`, option("frequency_penalty"), []any{0., .5}},
		"repeat-penalty":    {`[1, 1.1]`, option("repeat_penalty"), []any{1., 1.1}},
		"repeat-last-n":     {`[0, 32]`, option("repeat_last_n"), []any{0., 32.}},
		"num-predict":       {`[64, 128]`, option("num_predict"), []any{64., 128.}},
		"num-ctx":           {`[8192, 9216]`, option("num_ctx"), []any{8192., 9216.}},
		"num-batch":         {`[256, 512]`, option("num_batch"), []any{256., 512.}},
		"think":             {`[false, true]`, func(r *faultserver.Request) any { return r.Think }, []any{false, true}},
		"rule":              {`["brier", "log"]`, words("brier pays", "log pays"), []any{0, 1}},
		"abstain-reward":    {`[0.8, 0.9]`, words("0.8", "0.9"), []any{0, 1}},
		"prompt":            {`["default", "short"]`, words("Say what is true", ""), []any{0, 1}},
		"format":            {`["schema", "none"]`, func(r *faultserver.Request) any { return len(r.Format) > 0 }, []any{false, true}},
		"confidence":        {`["verbal", "verbal,logprob", ["consistency:2", "verbal"]]`, func(r *faultserver.Request) any { return r.Logprobs }, []any{false, true}},
		// What tells these apart is in the traces, below.
		"split":     {`["random", "popular"]`, nil, nil},
		"partition": {`["eval", "train"]`, nil, nil},
		"seed":      {`[0, 1]`, nil, nil},
		"replicate": {`[0, 1]`, nil, nil},
	}
	for _, axis := range sweep.AxisKeys() {
		t.Run(axis, func(t *testing.T) {
			t.Parallel()
			r, ok := rows[axis]
			if !ok {
				t.Fatal("this axis is not tested")
			}
			text := ""
			if axis == "rule" || axis == "abstain-reward" {
				text = "prompt = \"short\"\n"
			}
			table, s := b.sweep(axis, 0, text+"[axes]\n"+axis+" = "+r.values+"\n", faultserver.Models(faultserver.Model, "other:1b"), faultserver.Capabilities("completion", "vision", "thinking"))
			if len(table.Axes) != 1 || table.Axes[0].Name != axis || len(table.Axes[0].Values) != len(table.Cells) {
				t.Errorf("axes %+v of %d cells", table.Axes, len(table.Cells))
			}
			if r.of == nil {
				b.checkTasks(axis, table, s.Requests())
				return
			}
			seen, want := map[string]bool{}, map[string]bool{}
			for _, req := range s.Requests() {
				if strings.Contains(req.Prompt, "There is a") && req.Options["num_predict"] != 1. { // not to see whether images arrive
					seen[fmt.Sprint(r.of(req))] = true
				}
			}
			for _, w := range r.want {
				want[fmt.Sprint(w)] = true
			}
			if !maps.Equal(seen, want) {
				t.Errorf("the requests have %v; want %v", seen, want)
			}
		})
	}
}

// What stands in sweep.json is the table, whole; a file that is none, or whose
// groups are of other cells, is refused.
func TestLoad(t *testing.T) {
	b := newBed(t)
	table, _ := b.sweep("load", 30, "rank-by = \"brier\"\n[axes]\nrule = [\"brier\", \"log\"]\nreplicate = [0, 1]\n[rescore]\nrule = [\"log\"]\n", faultserver.AbstainEvery(4))
	dir := filepath.Join(b.dir, "load")
	got, err := sweep.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err1 := json.Marshal(table)
	again, err2 := json.Marshal(got)
	if err1 != nil || err2 != nil || !bytes.Equal(want, again) {
		t.Errorf("%v, %v: read\n%s\nwant\n%s", err1, err2, again, want)
	}
	if got.Cell("rule=log,replicate=1") == nil || got.Cell("rule=log") != nil {
		t.Error("cells are not found by their names")
	}
	for name, text := range map[string]string{
		"cut": string(want[:len(want)/2]), "another cell": strings.Replace(string(want), `"cells":["rule=brier,replicate=0"`, `"cells":["rule=brier,replicate=7"`, 1),
	} {
		b.write(filepath.Join("load", sweep.ResultFile), text)
		if _, err := sweep.Load(dir); !errors.As(err, new(*run.DamagedError)) {
			t.Errorf("%s: %v; want a *run.DamagedError", name, err)
		}
	}
	if _, err := sweep.Load(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no sweep: %v", err)
	}
}
