// Package batch measures many runs over the same tasks at once: stored answers
// become tensors [runs × tasks] with masks, one Gorgonia graph pays all of
// them, and one matrix product gives every bootstrap replicate of every metric
// that is a ratio of sums,
//
//	W[replicates × images] · V[images × (runs·columns)],
//
// in blocks of 256 replicates, so that memory for it does not grow with their
// number. Metrics that depend on the order of confidences (ECE, AURC, AUGRC,
// AUROC, …) are no matrix product; they are measured in plain Go, each run
// sorted once and only reweighted for a replicate, on all cores, under the
// very same weights. So all intervals are paired across runs and metrics.
//
// Weights, and with them results, are those of package scoring's own bootstrap
// for the same seed: a run that has a task on every image gets the figures of
// [scoring.Summarize], to rounding. Images are all those on which any run has
// a task that is not in error; a run with none on some of them is resampled
// over the shared set, so that it stays paired, and its intervals then differ
// from those it would get alone. The number of cores never shows.
//
// # BLAS
//
// The product runs on gonum's BLAS in pure Go. Built with -tags openblas it
// runs on OpenBLAS through cgo (Debian: libopenblas-dev), which package bench
// measures; results agree to rounding. Gorgonia's own cuda tag is not offered:
// it is tied to gorgonia.org/cu v0.9.4, which binds the CUDA of 2020 and builds
// only with the cuda.h and cudnn.h of that toolkit; and the product, all that
// it could speed up here, takes a fraction of a second for 64 runs.
package batch
