package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"

	"candor/harness/claim"
	"candor/harness/claim/scene"
	"candor/imageproc"
)

// job is which scenes to draw.
type job struct {
	seed      uint64
	n         int
	easyShare float64
}

func (j job) check() error {
	switch {
	case j.seed < reservedSeeds:
		return fmt.Errorf("seed %d: the seeds 0 to %d are kept for demo sets and evaluation; take one from %d", j.seed, reservedSeeds-1, reservedSeeds)
	case j.seed >= 1<<44:
		return fmt.Errorf("seed %d is too large: it must be below 2^44", j.seed)
	case j.n < 1 || j.n > 1<<20:
		return fmt.Errorf("%d scenes: from 1 to %d are possible, or one seed's would be another's", j.n, 1<<20)
	case !(j.easyShare >= 0 && j.easyShare <= 1):
		return fmt.Errorf("easy share %v is not between 0 and 1", j.easyShare)
	}
	return nil
}

// run draws the scenes on several processors and writes them in order.
func (j job) run(pixels, lines io.Writer, workers int) error {
	family, err := imageproc.FamilyByName("qwen3.5")
	if err != nil {
		return err
	}
	common, err := claim.DemoScenes(0)
	if err != nil {
		return err
	}
	asker := claim.NewAsker(j.seed, common)
	// A slot for each scene begun and not yet written keeps memory bounded.
	pending := make(chan chan result, 2*workers)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer close(pending)
		for i := range j.n {
			slot := make(chan result, 1)
			select {
			case pending <- slot:
			case <-stop:
				return
			}
			go func() { slot <- j.draw(i, family, asker) }()
		}
	}()
	offset, enc := int64(0), json.NewEncoder(lines)
	for slot := range pending {
		r := <-slot
		if r.err != nil {
			return fmt.Errorf("scene %d: %w", r.row.Index, r.err)
		}
		r.row.Offset = offset
		offset += int64(len(r.pixels))
		if _, err := pixels.Write(r.pixels); err != nil {
			return err
		}
		if err := enc.Encode(r.row); err != nil {
			return err
		}
	}
	return nil
}

type result struct {
	row    row
	pixels []byte
	err    error
}

// draw plans and draws the i-th scene, and prepares it.
func (j job) draw(i int, family imageproc.Family, asker *claim.Asker) result {
	r := result{row: row{Index: i}}
	s, err := scene.Generate(j.seed<<20+uint64(i), j.options(i))
	if err != nil {
		return result{row: r.row, err: err}
	}
	p, err := prepare(s, family)
	if err != nil {
		return result{row: r.row, err: err}
	}
	r.row = describe(i, s, p.Width, p.Height, asker.Ask(i, &s))
	r.pixels, r.err = rgbOf(p)
	return r
}

// options makes the scenes of the easy share easy.
func (j job) options(i int) scene.Options {
	rng := rand.New(rand.NewPCG(j.seed, uint64(i)))
	if rng.Float64() >= j.easyShare {
		return scene.Options{}
	}
	easy := .3 * rng.Float64()
	return scene.Options{Difficulty: &easy}
}
