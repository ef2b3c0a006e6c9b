package tinyvlm_test

import (
	"bytes"
	"fmt"
	"log"

	"candor/infer/ollama/tinyvlm"
)

// The same configuration always gives the same bytes.
func ExampleWrite() {
	var gguf bytes.Buffer
	info, err := tinyvlm.Write(&gguf, tinyvlm.Config{Architecture: "qwen35", Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d parameters, %d bytes\n", info.Name, info.Parameters, info.Size)
	// Output: candor-tiny random qwen35 seed 1: 229764 parameters, 834368 bytes
}
