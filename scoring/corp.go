package scoring

// brierParts is the Brier score's exact split, Brier = mcb − dsc + unc, by
// isotonic regression (CORP: Dimitriadis, Gneiting & Jordan 2021).
type brierParts struct{ mcb, dsc, unc float64 }

// corp splits the Brier score of m ≥ 1 tasks. Each block of the isotonic fit
// leaves k(1 − k/n) of the error that no monotone relabelling could remove.
func corp(levels []Level, m, correct int, brier float64, buf []bin) (brierParts, []bin) {
	blocks := isotonic(levels, buf)
	rest := 0.0
	for _, b := range blocks {
		rest += float64(b.correct) * float64(b.n-b.correct) / float64(b.n)
	}
	rest /= float64(m)
	rate := float64(correct) / float64(m)
	unc := rate * (1 - rate)
	// Both parts are ≥ 0 but for rounding in the last place.
	return brierParts{mcb: max(0, brier-rest), dsc: max(0, unc-rest), unc: unc}, blocks
}

// isotonic pools adjacent violators: the blocks' rates rise strictly. The
// comparison is between integers, so pooling never hangs on rounding.
func isotonic(levels []Level, buf []bin) []bin {
	blocks := buf[:0]
	for _, l := range levels {
		b := bin{n: l.N, correct: l.Correct}
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			if last.correct*b.n < b.correct*last.n {
				break
			}
			b.n += last.n
			b.correct += last.correct
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	return blocks
}
