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

// The published profiles are those of Qwen3.5's card.
func TestProfilesAsPublished(t *testing.T) {
	for name, want := range map[string]struct {
		temperature, topP float64
		topK              int
		presence          float64
		think             bool
	}{
		"qwen3.5-instruct":           {.7, .8, 20, 1.5, false}, // instruct, general
		"qwen3.5-instruct-reasoning": {1, 1, 40, 2, false},
		"qwen3.5-thinking":           {1, .95, 20, 1.5, true}, // thinking, general
		"qwen3.5-thinking-precise":   {.6, .95, 20, 0, true},
	} {
		o, err := infer.Profile(name)
		if err != nil {
			t.Fatal(err)
		}
		if o.Temperature != want.temperature || o.TopP != want.topP || o.TopK != want.topK || o.PresencePenalty != want.presence || o.Think != want.think {
			t.Errorf("%s: %+v; want %+v", name, o, want)
		}
		if o.MinP != 0 || o.RepeatPenalty != 1 || o.FrequencyPenalty != 0 {
			t.Errorf("%s: min_p %v, repeat_penalty %v, frequency_penalty %v; want 0, 1, 0", name, o.MinP, o.RepeatPenalty, o.FrequencyPenalty)
		}
	}
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
