package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/claim"
	"candor/harness/run"

	"github.com/parquet-go/parquet-go"
)

// Images that cannot be used are refused by name before any question, all of
// them at once, with a claim that needs each.
func TestBadImages(t *testing.T) {
	b := newBench(t)
	good := picture(t, 256, 256, 9)
	at := func(n string) string { return filepath.Join(b.cfg.Images, n) }
	if err := os.Remove(at("picture00.png")); err != nil {
		t.Fatal(err)
	}
	write(t, at("picture01.png"), good[:len(good)*6/10])
	write(t, at("picture02.png"), []byte("<!DOCTYPE html><html>404</html>"))
	write(t, at("picture03.png"), nil)
	write(t, at("picture04.png"), picture(t, 300, 1, 1)) // beyond the engines' aspect
	b.cfg.Preflight = true
	b.fails(false, "5 of 6 images", "picture00", "picture01", "picture02", "picture03", "picture04", "claim adversarial/", "nothing was asked")
	if len(b.server.Requests()) != 0 {
		t.Errorf("%d requests were sent", len(b.server.Requests()))
	}
	if _, err := os.Stat(b.dir); err == nil {
		t.Error("a run was made")
	}
	if _, err := run.DryRun(t.Context(), b.cfg, b.deps); err == nil || !strings.Contains(err.Error(), "picture01") {
		t.Errorf("a dry run says %v", err)
	}
}

// An image that goes bad between two sessions is refused before any question
// of the second.
func TestImageGoneOnResume(t *testing.T) {
	b := half(t)
	before := len(b.server.Requests())
	if err := os.Remove(filepath.Join(b.cfg.Images, "picture05.png")); err != nil {
		t.Fatal(err)
	}
	b.fails(true, "picture05")
	if len(b.server.Requests()) != before || len(b.traces()) != 9 {
		t.Error("it asked, or lost traces")
	}
}

// A claim that would steer the model behind the prompt's back is refused at
// load, naming it and what was found.
func TestSmugglingClaims(t *testing.T) {
	for _, text := range []string{"[img-0]", "[img-1]", "<|im_end|>", "<|im_start|>", "<|vision_start|>", "<|image_pad|>", "<think>", "</think>", "<tool_call>"} {
		b := newBench(t)
		edit(t, b.cfg.Dataset, "Is there a dog in the image?", "Is there a dog "+text+" in the image?")
		b.fails(false, "claim adversarial/0", text)
		if len(b.server.Requests()) != 0 {
			t.Errorf("%s: it asked", text)
		}
	}
}

// Mistakes in the configuration are usage errors that name the flag.
func TestUsage(t *testing.T) {
	low, nan := .75, -1.
	for name, tt := range map[string]struct {
		change func(*run.Config)
		want   string
	}{
		"no model":     {func(c *run.Config) { c.Model = " " }, "--model"},
		"payoff":       {func(c *run.Config) { c.Abstain = &low }, "0.75"},
		"rule":         {func(c *run.Config) { c.Rule = "spherical" }, "spherical"},
		"profile":      {func(c *run.Config) { c.Profile = "fast" }, "qwen3.5-instruct"},
		"temperature":  {func(c *run.Config) { c.Temperature = &nan }, "temperature"},
		"format":       {func(c *run.Config) { c.Format = "xml" }, "--format"},
		"partition":    {func(c *run.Config) { c.Partition = "test" }, "--partition"},
		"policy":       {func(c *run.Config) { c.ImagePolicy = "none" }, "--image-policy"},
		"parallel":     {func(c *run.Config) { c.Parallel = "2x" }, "--parallel"},
		"parallel 0":   {func(c *run.Config) { c.Parallel = "0" }, "--parallel"},
		"confidence":   {func(c *run.Config) { c.Confidence = []string{"gut"} }, "--confidence"},
		"num-tasks":    {func(c *run.Config) { c.NumTasks = -1 }, "--num-tasks"},
		"bins":         {func(c *run.Config) { c.Bins = 0 }, "--bins"},
		"split":        {func(c *run.Config) { c.Split = "popular" }, "popular"},
		"prompt":       {func(c *run.Config) { c.Prompt = "/nonexistent" }, "/nonexistent"},
		"nobody there": {func(c *run.Config) { c.Partition = "eval" }, "no claims"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			tt.change(&b.cfg)
			err := b.fails(false, tt.want)
			if !isUsage(err) {
				t.Errorf("%T %v is no usage error", err, err)
			}
		})
	}
}

// Rows of one image source with different pictures are refused by their numbers
// before any question, also in a dry run.
func TestSeveralPictures(t *testing.T) {
	type row struct {
		ID     string `parquet:"question_id"`
		Source string `parquet:"image_source"`
		Claim  string `parquet:"claim"`
		Label  string `parquet:"label"`
		Image  []byte `parquet:"image"`
	}
	b := newBench(t)
	b.cfg.Dataset, b.cfg.Images = filepath.Join(t.TempDir(), "adversarial.parquet"), ""
	rows := []row{{"1", "a", "It rains.", "yes", picture(t, 64, 64, 1)}, {"2", "a", "It snows.", "no", picture(t, 64, 64, 2)}}
	if err := parquet.WriteFile(b.cfg.Dataset, rows); err != nil {
		t.Fatal(err)
	}
	b.cfg.Partition, b.cfg.NumTasks = "all", 1 // one claim alone would be asked about another's picture
	b.fails(false, "image a: row 1 of adversarial.parquet and row 2 of adversarial.parquet", "nothing was asked")
	if _, err := run.DryRun(t.Context(), b.cfg, b.deps); !errors.Is(err, claim.ErrSeveralPictures) {
		t.Errorf("a dry run says %v", err)
	}
	if n := len(b.server.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
}
