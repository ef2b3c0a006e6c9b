package run_test

import (
	"errors"
	"slices"
	"testing"

	"candor/infer"
	"candor/infer/ollama/faultserver"
)

// Without a preflight too a server that drops the images of prompts with many
// words is found out by its first answer, and nothing is recorded of it.
func TestImagesDroppedWithoutPreflight(t *testing.T) {
	for name, when := range map[string]faultserver.Match{"always": faultserver.Always, "later": faultserver.After(10, tasks)} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, faultserver.On(when, faultserver.DropImage()))
			b.cfg.Parallel = "1"
			if name == "always" {
				err := b.fails(false, "without the image")
				if !errors.Is(err, infer.ErrImageDropped) || len(b.traces()) != 0 || len(asked(b.server)) > 1 {
					t.Errorf("%v; %d traces, %d asked", err, len(b.traces()), len(asked(b.server)))
				}
				return
			}
			res := b.run()
			if s := res.Summary; s.N != 10 || s.Errors != pictures*perImage-10 {
				t.Errorf("n %d, errors %d; want what came without its image in error", s.N, s.Errors)
			}
		})
	}
	b, bad := pair(t, faultserver.On(faultserver.Always, faultserver.DropImage()))
	res := b.run()
	b.complete(res)
	if !slices.Equal(faults(res), []string{"endpoint_out " + bad.URL}) {
		t.Errorf("faults %+v", res.Manifest.EndpointFaults)
	}
}

// With a preflight a server that drops images from the start is found out too.
func TestImagesDroppedFromTheStart(t *testing.T) {
	b := newBench(t, faultserver.On(faultserver.Always, faultserver.DropImage()))
	b.cfg.Preflight = true
	b.fails(false, "without the image")
	if n := len(b.traces()); n != 0 {
		t.Errorf("%d traces", n)
	}
}

// The text is counted once at a server, also over a resumption; a server whose
// counts tell nothing, or that answers no prompt without an image, is not
// refused, but said.
func TestTextCounted(t *testing.T) {
	noImage := func(r *faultserver.Request) bool { return r.ImageSHA256 == "" }
	tests := []struct {
		name   string
		opt    faultserver.Option
		counts int
		warned bool
	}{
		{"healthy", faultserver.Latency(0), 1, false},
		{"one count for all", faultserver.On(faultserver.Always, faultserver.Change(func(_ *faultserver.Request, rep *faultserver.Reply) { rep.PromptTokens = 900 })), 2, true},
		{"images only", faultserver.On(noImage, faultserver.Status(400, "an image is required")), 1, true},
		// Half of each image and a bit: it resizes in its own way.
		{"smaller images", faultserver.On(faultserver.Not(noImage), faultserver.Change(func(_ *faultserver.Request, rep *faultserver.Reply) { rep.PromptTokens -= 30 })), 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, tt.opt)
			res := b.run()
			b.complete(res)
			if n := len(b.server.Requests()) - len(asked(b.server)); n != tt.counts {
				t.Errorf("%d requests beside the tasks, want %d", n, tt.counts)
			}
			if got := slices.Contains(codes(res.Summary), "endpoint_uncounted"); got != tt.warned || (res.Manifest.TextTokens[b.server.URL] > 0) == tt.warned {
				t.Errorf("warnings %v, text tokens %v", codes(res.Summary), res.Manifest.TextTokens)
			}
		})
	}
	b := half(t)
	before := len(b.server.Requests()) - len(asked(b.server))
	b.complete(b.resume())
	if n := len(b.server.Requests()) - len(asked(b.server)); n != before {
		t.Errorf("%d requests beside the tasks after the resumption, %d before", n, before)
	}
}
