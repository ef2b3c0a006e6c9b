package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/infer/ollama/faultserver"
	"candor/infer/ollama/micro"

	"github.com/rogpeppe/go-internal/testscript"
)

type script = testscript.TestScript

// scriptCommands are the commands that the scripts have for candor.
func scriptCommands(t *testing.T) map[string]func(*script, bool, []string) {
	f := &faults{t: t, of: map[*script][]*faultserver.Server{}}
	return map[string]func(*script, bool, []string){
		"run":       runCandor,
		"fault":     f.start,
		"change":    f.change,
		"asked":     f.asked,
		"json":      checkJSON,
		"picture":   picture,
		"claims":    claims,
		"published": published,
		"lines":     countLines,
		"same":      sameJSON,
		"hub":       hubs{}.command,
		"created":   f.created,
	}
}

// runCandor is "run STATUS ARGS…": it runs candor and wants this exit status.
func runCandor(ts *script, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: run STATUS ARGS…")
	}
	got := 0
	err := ts.Exec("candor", args[1:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit status %d; want %s", got, args[0])
	}
}

// faults are the stand-in servers of the scripts, by script.
type faults struct {
	t  *testing.T
	mu sync.Mutex
	of map[*script][]*faultserver.Server
}

// start is "fault [-add] OPTION…": it starts a server and names it in
// OLLAMA_HOST; with -add in OTHER_HOST.
func (f *faults) start(ts *script, neg bool, args []string) {
	variable := "OLLAMA_HOST"
	if len(args) > 0 && args[0] == "-add" {
		variable, args = "OTHER_HOST", args[1:]
	}
	s := faultserver.New(f.t, faultOptions(ts, args)...)
	ts.Setenv(variable, s.URL)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of[ts] = append(f.of[ts], s)
}

// change is "change OPTION…": it changes the script's first server.
func (f *faults) change(ts *script, neg bool, args []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of[ts][0].Set(faultOptions(ts, args)...)
}

// asked is "asked N": the script's servers had N requests since the last time,
// those that only count a text left out.
func (f *faults) asked(ts *script, neg bool, args []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, s := range f.of[ts] {
		for _, r := range s.Requests() {
			if most, _ := r.Option("num_predict"); r.ImageSHA256 != "" || most > 1 {
				n++
			}
		}
	}
	before, _ := strconv.Atoi(ts.Getenv("ASKED"))
	ts.Setenv("ASKED", fmt.Sprint(n))
	if got := fmt.Sprint(n - before); len(args) != 1 || (got == args[0]) == neg {
		ts.Fatalf("%s requests; asked %v, negated %v", got, args, neg)
	}
}

// created is "created N": the script's servers were given N models so far.
func (f *faults) created(ts *script, neg bool, args []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, s := range f.of[ts] {
		n += len(s.Creations())
	}
	if neg || len(args) != 1 || fmt.Sprint(n) != args[0] {
		ts.Fatalf("%d models were created; want %v", n, args)
	}
}

func faultOptions(ts *script, args []string) []faultserver.Option {
	var out []faultserver.Option
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "abstain":
			out = append(out, faultserver.AbstainEvery(n))
		case "malformed":
			out = append(out, faultserver.MalformedEvery(n))
		case "latency":
			out = append(out, faultserver.Latency(time.Duration(n)*time.Millisecond))
		case "version":
			out = append(out, faultserver.Version(value))
		case "digest":
			out = append(out, faultserver.Digest(strings.Repeat(value, 64)[:64]))
		case "blind":
			out = append(out, faultserver.IgnoreImage())
		case "no-vision":
			out = append(out, faultserver.Capabilities("completion"))
		case "busy-first":
			out = append(out, faultserver.On(faultserver.First(n, nil), faultserver.Busy()))
		case "bad-images": // percent of the tasks
			out = append(out, faultserver.On(faultserver.Share(float64(n)/100, nil), faultserver.Status(500, "failed to process inputs: image: unknown format")))
		case "missing-after":
			out = append(out, faultserver.On(faultserver.After(n, func(r *faultserver.Request) bool { return r.ImageSHA256 != "" }), faultserver.ModelMissing()))
		case "refuse": // to take a model
			out = append(out, faultserver.RefuseModels(n, "not here"))
		case "has": // another model under the name of the embedded one
			out = append(out, faultserver.Has(faultserver.Creation{Model: micro.Name, Weights: "sha256:" + strings.Repeat(value, 64)[:64], Renderer: "qwen3.5", Parser: "qwen3.5"}))
		case "no-logprobs":
			out = append(out, faultserver.NoLogprobs())
		case "random":
			out = append(out, faultserver.Name("candor-tiny random qwen35"))
		default:
			ts.Fatalf("unknown fault option %q", a)
		}
	}
	return out
}

// checkJSON is "json FILE [PATH VALUE]…": FILE (or stdout) is exactly one JSON
// document, and what stands at each PATH, keys and list places joined by
// slashes, is VALUE: a number to 1e-7 or the JSON text; "len=N" is a length. The path "." is the whole.
func checkJSON(ts *script, neg bool, args []string) {
	if neg || len(args)%2 != 1 {
		ts.Fatalf("usage: json FILE [PATH VALUE]…")
	}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	var doc any
	ts.Check(dec.Decode(&doc))
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		ts.Fatalf("%s: something follows the JSON document (%v)", args[0], err)
	}
	for i := 1; i < len(args); i += 2 {
		if v := at(ts, doc, args[i]); !matches(v, args[i+1]) {
			text, _ := json.Marshal(v)
			ts.Fatalf("%s is %s; want %s", args[i], text, args[i+1])
		}
	}
}

func at(ts *script, v any, path string) any {
	if path == "." {
		return v
	}
	for key := range strings.SplitSeq(path, "/") {
		switch x := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = x[key]; !ok {
				ts.Fatalf("%s: no key %q", path, key)
			}
		case []any:
			n, err := strconv.Atoi(key)
			if err != nil || n >= len(x) {
				ts.Fatalf("%s: no place %q in a list of %d", path, key, len(x))
			}
			v = x[n]
		default:
			ts.Fatalf("%s: %q is inside no object", path, key)
		}
	}
	return v
}

func matches(v any, want string) bool {
	if n, ok := strings.CutPrefix(want, "len="); ok {
		list, isList := v.([]any)
		object, _ := v.(map[string]any)
		return fmt.Sprint(max(len(list), len(object))) == n && (isList || object != nil)
	}
	if x, ok := v.(float64); ok {
		f, err := strconv.ParseFloat(want, 64)
		return err == nil && math.Abs(x-f) <= 1e-7
	}
	if s, ok := v.(string); ok && s == want {
		return true
	}
	b, err := json.Marshal(v)
	return err == nil && string(b) == want
}

// picture is "picture KIND SHADE FILE…": it writes images as pictureBytes
// makes them.
func picture(ts *script, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: picture KIND SHADE FILE…")
	}
	shade, err := strconv.Atoi(args[1])
	ts.Check(err)
	for i, name := range args[2:] {
		b, err := pictureBytes(args[0], uint8(shade+i))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), b, 0o644))
	}
}

// claims is "claims DIR N": it writes N images with three claims each to DIR,
// and DIR.toml, the flags of a run over them.
func claims(ts *script, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: claims DIR N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(writeClaims(ts.MkAbs(args[0]), n))
}

// published is "published FILE": the answers of the published baseline's
// adversarial split, as far as its histogram tells them.
func published(ts *script, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: published FILE")
	}
	var b strings.Builder
	n := 0
	for _, l := range []struct {
		confidence float64
		n, wrong   int
	}{{.946, 140, 16}, {.98, 35, 2}, {.99, 17, 0}} {
		for i := range l.n {
			label, verdict := "SUPPORTED", "SUPPORTED"
			if n%2 == 0 {
				label, verdict = "REFUTED", "REFUTED"
			}
			if i < l.wrong {
				verdict = map[string]string{"SUPPORTED": "REFUTED", "REFUTED": "SUPPORTED"}[label]
			}
			fmt.Fprintf(&b, `{"id":"t%d","image":"%d","label":%q,"verdict":%q,"confidence":%v}`+"\n", n, n/3, label, verdict, l.confidence)
			n++
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}

// countLines is "lines N FILE": FILE has N lines.
func countLines(ts *script, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines N FILE")
	}
	if n := strings.Count(ts.ReadFile(args[1]), "\n"); fmt.Sprint(n) != args[0] {
		ts.Fatalf("%s has %d lines; want %s", args[1], n, args[0])
	}
}
