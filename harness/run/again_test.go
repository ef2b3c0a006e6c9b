package run_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama/faultserver"
)

// A server that changes while it is asked is in the manifest and warned of
// when the session ends, whether with the run or before; each row is one
// change and what is noticed.
func TestServerChangesMeanwhile(t *testing.T) {
	other := strings.Repeat("1", 64)
	for name, row := range map[string]struct {
		change []faultserver.Option
		want   []string
	}{
		"nothing": {nil, nil},
		"version": {[]faultserver.Option{faultserver.Version("0.99.0")}, []string{"server_version"}},
		"digest":  {[]faultserver.Option{faultserver.Digest(other)}, []string{"model_digest"}},
		"both":    {[]faultserver.Option{faultserver.Version("0.99.0"), faultserver.Digest(other)}, []string{"model_digest", "server_version"}},
	} {
		for _, stopped := range []bool{false, true} {
			b := newBench(t)
			b.cfg.Parallel = "1"
			stop, n := make(chan struct{}), 0
			b.deps.Stop = stop
			b.deps.Observer = &hook{recorded: func(run.Trace) {
				switch n++; {
				case n == 3:
					b.server.Set(row.change...)
				case n == 9 && stopped:
					close(stop)
				}
			}}
			res, err := b.try(t.Context(), false)
			if errors.Is(err, run.ErrInterrupted) != stopped || !stopped && err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			m, err := run.LoadManifest(b.dir)
			if err != nil {
				t.Fatal(err)
			}
			var what []string
			for _, c := range m.ServerChanges {
				what = append(what, c.What)
				if c.Endpoint != b.server.URL || c.From == c.To || c.To == "" || c.From == "" {
					t.Errorf("%s: %+v", name, c)
				}
			}
			if !slices.Equal(what, row.want) {
				t.Errorf("%s, stopped %v: noticed %v; want %v", name, stopped, what, row.want)
			}
			warned := 0
			for _, w := range res.Summary.Warnings {
				if w.Code == "server_changed" && strings.Contains(w.Message, b.server.URL+" changed while it was asked") {
					warned++
				}
			}
			if warned != len(row.want) {
				t.Errorf("%s: warnings %v", name, res.Summary.Warnings)
			}
			if stopped && len(row.want) > 0 {
				b.deps.Stop, b.deps.Observer = nil, nil
				b.fails(true, "--accept-server-change")
			}
		}
	}
}

// One of several endpoints that changes is named; one that is gone by then is
// no change.
func TestEndpointChangesMeanwhile(t *testing.T) {
	b := newBench(t)
	second := faultserver.New(t)
	b.cfg.Hosts = append(b.cfg.Hosts, second.URL)
	b.deps.Observer = &hook{recorded: func(run.Trace) { second.Set(faultserver.Version("0.99.0")) }}
	res := b.run()
	if c := res.Manifest.ServerChanges; len(c) != 1 || c[0].Endpoint != second.URL || c[0].To != "0.99.0" {
		t.Errorf("%+v", c)
	}
	b = newBench(t)
	b.deps.Observer = &hook{recorded: func(run.Trace) { b.server.Set(faultserver.Models("another:1b")) }}
	b.cfg.Parallel, b.cfg.NumTasks = "1", 1
	if res := b.run(); len(res.Manifest.ServerChanges) != 0 {
		t.Errorf("%+v", res.Manifest.ServerChanges)
	}
}

// A server that tells no digest is said to, for then nothing can be noticed.
func TestNoDigest(t *testing.T) {
	b := newBench(t)
	if res := b.run(); slices.Contains(codes(res.Summary), "no_digest") {
		t.Error("a digest that is told is missed")
	}
	b = b.again()
	b.deps.Connect = func(host string) (infer.Backend, error) {
		m, err := b.opened.connect(host)
		return identified{m, func(id *infer.Identity) { id.Digest = "" }}, err
	}
	if res := b.run(); !slices.Contains(codes(res.Summary), "no_digest") || len(res.Manifest.ServerChanges) != 0 {
		t.Errorf("warnings %v, changes %v", codes(res.Summary), res.Manifest.ServerChanges)
	}
	b.cfg.Hosts = []string{"http://127.0.0.1:1"}
	b.deps.Connect = b.opened.connect
	if p, err := run.DryRun(t.Context(), b.cfg, b.deps); err != nil || len(p.Warnings) != 1 || p.Warnings[0].Code != "no_server" {
		t.Errorf("without a server: %v, %v", p.Warnings, err)
	}
}
