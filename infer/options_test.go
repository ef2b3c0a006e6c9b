package infer_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"candor/infer"
)

func ExampleProfile() {
	o, _ := infer.Profile(infer.DefaultProfile)
	fmt.Println(o.Temperature, o.TopP, o.TopK, o.PresencePenalty, o.Think)
	_, err := infer.Profile("qwen3.5")
	fmt.Println(err)
	// Output:
	// 0.7 0.8 20 1.5 false
	// unknown profile "qwen3.5"; known: greedy, qwen3.5-instruct, qwen3.5-instruct-reasoning, qwen3.5-thinking, qwen3.5-thinking-precise
}

// Every known profile is valid as it stands.
func TestProfilesValid(t *testing.T) {
	for _, name := range infer.ProfileNames() {
		o, err := infer.Profile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	tests := []struct {
		name string
		set  func(*infer.Options)
	}{
		{"temperature", func(o *infer.Options) { o.Temperature = -0.1 }},
		{"temperature", func(o *infer.Options) { o.Temperature = math.NaN() }},
		{"top_p", func(o *infer.Options) { o.TopP = 0 }},
		{"top_p", func(o *infer.Options) { o.TopP = 1.01 }},
		{"top_k", func(o *infer.Options) { o.TopK = -1 }},
		{"min_p", func(o *infer.Options) { o.MinP = 1 }},
		{"presence_penalty", func(o *infer.Options) { o.PresencePenalty = 2.5 }},
		{"frequency_penalty", func(o *infer.Options) { o.FrequencyPenalty = math.Inf(1) }},
		{"repeat_penalty", func(o *infer.Options) { o.RepeatPenalty = 0 }},
		{"num_predict", func(o *infer.Options) { o.NumPredict = 0 }},
		{"num_predict", func(o *infer.Options) { o.NumPredict = infer.MaxNumPredict + 1 }},
		{"num_predict", func(o *infer.Options) { o.NumPredict = math.MaxInt }},
		{"num_ctx", func(o *infer.Options) { o.NumCtx = -1 }},
		{"num_ctx", func(o *infer.Options) { o.NumCtx = math.MaxInt }},
		{"num_batch", func(o *infer.Options) { o.NumBatch = math.MaxInt }},
		{"num_thread", func(o *infer.Options) { o.NumThread = -1 }},
		{"num_thread", func(o *infer.Options) { o.NumThread = math.MaxInt }},
	}
	for _, tt := range tests {
		o, _ := infer.Profile(infer.DefaultProfile)
		tt.set(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), tt.name) {
			t.Errorf("%s out of range: error = %v; want one that names it", tt.name, err)
		}
	}
}
