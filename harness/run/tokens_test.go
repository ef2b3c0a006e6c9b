package run_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"candor/harness/run"
	"candor/imageproc"
	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/ollamatest"
)

// The visual tokens that imageproc predicts are those the engine reports, at
// any size and by either policy: sizes on the grid and off it, under the floor
// of pixels and above the cap, sides shorter than a patch, the longest shapes.
// Beside them stands what the template puts between image and question, the
// same at every size.
func TestEngineCountsTheTokensPredicted(t *testing.T) {
	sizes := [][2]int{
		{640, 480}, {640, 427}, {427, 640}, {528, 464}, {64, 48}, {100, 100}, {257, 27}, {305, 30}, {1, 1},
		{2000, 10}, {6600, 33}, {10, 1999}, {333, 500}, {2200, 1500},
	}
	for _, arch := range []string{"qwen35", "qwen3vl", "qwen25vl"} {
		t.Run(arch, func(t *testing.T) {
			s := ollamatest.Start(t)
			client, err := ollama.New(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			model := s.Install(arch)
			id, err := client.Identify(t.Context(), model)
			if err != nil {
				t.Fatal(err)
			}
			family, ok := imageproc.FamilyOf(arch)
			if !ok {
				t.Fatal("no family")
			}
			// The tiny Qwen2.5-VL has a cap of its own, as models may.
			family = family.As(imageproc.Metadata{
				PatchSize: id.Vision.PatchSize, SpatialMergeSize: id.Vision.MergeSize,
				ShortestEdge: id.Vision.ShortestEdge, MaxPixels: id.Vision.MaxPixels,
			})
			options, err := run.DefaultConfig().Options()
			if err != nil {
				t.Fatal(err)
			}
			options.NumPredict, options.NumCtx, options.NumThread = 1, 4096, 1
			req := infer.Request{Model: model, Prompt: "There is a dog in the image.", Options: options}
			spent := func(data []byte) int {
				req.Image = data
				resp, err := client.Ask(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				return resp.PromptTokens
			}
			text, between := spent(nil), -1
			for i, size := range sizes {
				policy := []imageproc.Policy{imageproc.PolicyReference, imageproc.PolicyServer}[i%2]
				p, err := imageproc.Prepare(grayPNG(t, size[0], size[1]), family, policy)
				if err != nil {
					t.Fatal(err)
				}
				got := spent(p.Data) - text - p.Tokens
				if between < 0 {
					between = got
				}
				if got != between || got < 0 || got > 2 {
					t.Errorf("%v by %s: %d tokens beyond the %d predicted, %d at the first size", size, policy, got, p.Tokens, between)
				}
			}
			t.Logf("%+v, %d sizes: as predicted, and %d between image and question", id.Vision, len(sizes), between)
		})
	}
}

func grayPNG(t *testing.T, width, height int) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
