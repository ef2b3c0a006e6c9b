package infer

import "strings"

// PrefixBatch is the num_batch (tokens) with which engines keep an image's
// prompt prefix for the next question about it, of prompts that begin with the
// image and whose smallest image costs fewest tokens. 0 is the engine's own:
// the architecture needs none, or none helps.
//
// The recurrent architectures can resume a prompt only where the first of its
// batches of 16 tokens or more ended (Ollama v0.17 to v0.24,
// kvcache/recurrent_checkpoints.go). An image is never cut over two batches: it
// has one of its own, and that batch ends with it, if it fills one. So the
// batch must be no larger than the smallest image; and it is as large as that
// allows, since the text behind the image is read in batches of it too. It is a
// power of two, so that few different ones make a server load the model anew.
func PrefixBatch(architecture string, fewest int) int {
	const least, engines = 16, 512
	if !recurrent(architecture) || fewest < least {
		return 0
	}
	n := least
	for n*2 <= min(fewest, engines) {
		n *= 2
	}
	return n
}

func recurrent(architecture string) bool {
	return strings.HasPrefix(architecture, "qwen35") || architecture == "qwen3next"
}
