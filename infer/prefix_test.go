package infer_test

import (
	"testing"

	"candor/infer"
)

func TestPrefixBatch(t *testing.T) {
	tests := []struct {
		architecture string
		fewest, want int
	}{
		{"qwen35", 300, 256},
		{"qwen35", 64, 64}, // an image that fills a batch exactly ends it
		{"qwen35", 63, 32},
		{"qwen35moe", 5000, 512}, // the engine's own is small enough
		{"qwen3next", 16, 16},
		{"qwen35", 15, 0}, // too short to be resumed behind
		{"qwen35", 0, 0},
		{"qwen3vl", 300, 0}, // keeps any prefix
		{"qwen25vl", 300, 0},
		{"", 300, 0},
	}
	for _, tt := range tests {
		if got := infer.PrefixBatch(tt.architecture, tt.fewest); got != tt.want {
			t.Errorf("PrefixBatch(%q, %d) = %d, want %d", tt.architecture, tt.fewest, got, tt.want)
		}
	}
}
