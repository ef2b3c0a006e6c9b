// Command scenes writes what a model learns from: scenes drawn by the project's
// generator, as pixels and as truth, never those of the demo sets.
//
// Every picture goes the way of the product's own images: drawn, encoded as
// JPEG, prepared for the models of the family qwen3.5 by the policy reference,
// and decoded again. PREFIX.rgb holds the pixels, one picture after another,
// three bytes a pixel, row by row; a line of PREFIX.jsonl says where a picture
// begins, how large it is, and what it shows.
//
// One seed gives the same files, however many processors work on them.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"candor/harness/claim"
)

// reservedSeeds are those of the demo sets and of the evaluation on them.
const reservedSeeds = claim.DemoSeeds

func main() {
	j := job{}
	out := flag.String("out", "", "write `PREFIX`.rgb and PREFIX.jsonl")
	flag.Uint64Var(&j.seed, "seed", 0, fmt.Sprintf("draw the scenes of this `number`, %d or more", reservedSeeds))
	flag.IntVar(&j.n, "n", 1000, "draw this `number` of scenes")
	flag.Float64Var(&j.easyShare, "easy-share", 0, "draw this `share` of the scenes, 0 to 1, easier than difficulty 0.3")
	flag.Parse()
	if err := write(j, *out); err != nil {
		fmt.Fprintln(os.Stderr, "scenes:", err)
		os.Exit(1)
	}
}

// write makes both files, with a word on how fast it went.
func write(j job, prefix string) error {
	if prefix == "" {
		return fmt.Errorf("give -out PREFIX, the beginning of the names of both files")
	}
	if err := j.check(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(prefix), 0o755); err != nil {
		return err
	}
	began := time.Now()
	err := create(prefix+".rgb", func(pixels *bufio.Writer) error {
		return create(prefix+".jsonl", func(lines *bufio.Writer) error {
			return j.run(pixels, lines, runtime.GOMAXPROCS(0))
		})
	})
	if err == nil {
		spent := time.Since(began).Seconds()
		fmt.Printf("%d images in %.1f s: %.1f images/s\n", j.n, spent, float64(j.n)/spent)
	}
	return err
}

func create(name string, fill func(*bufio.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
