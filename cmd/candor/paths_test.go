package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"candor/harness/claim"
)

// A configuration's paths hold from another directory, also those with commas;
// only a data set may be several.
func TestPathsHoldFromElsewhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wo,rk")
	for _, sub := range []string{"im,gs", "im"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.json", "b.json", "a,b.json", "pro,mpt.tmpl", "ids,txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for given, want := range map[string]string{
		"demo":             "demo",
		"a.json":           at("a.json"),
		"a,b.json":         at("a,b.json"),
		"a.json,b.json":    at("a.json") + "," + at("b.json"),
		"b.json, a,b.json": at("b.json") + "," + at("a,b.json"),
		"a.json,no.json":   "a.json,no.json", // for the message
		"no.json":          "no.json",
		"":                 "",
		at("a.json"):       at("a.json"),
	} {
		if cfg := (&evalCmd{Dataset: given}).config(); cfg.Dataset != want {
			t.Errorf("--dataset %q is %q; want %q", given, cfg.Dataset, want)
		}
	}
	both := claim.SplitList((&evalCmd{Dataset: "a,b.json,b.json"}).config().Dataset)
	if !slices.Equal(both, []string{at("a,b.json"), at("b.json")}) {
		t.Errorf("the list read again from elsewhere: %q", both)
	}
	cfg := (&evalCmd{Images: "im,gs", Prompt: "pro,mpt.tmpl", EvalIDs: "ids,txt"}).config()
	if cfg.Images != at("im,gs") || cfg.Prompt != at("pro,mpt.tmpl") || cfg.EvalIDs != at("ids,txt") {
		t.Errorf("--images %q, --prompt %q, --eval-ids %q", cfg.Images, cfg.Prompt, cfg.EvalIDs)
	}
	if cfg := (&evalCmd{Images: "im,im,gs", Prompt: "default"}).config(); cfg.Images != "im,im,gs" || cfg.Prompt != "default" {
		t.Errorf("two folders, and a name: %q, %q", cfg.Images, cfg.Prompt)
	}
}
