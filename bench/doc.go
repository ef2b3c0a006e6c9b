// Package bench holds benchmarks that set Candor's ways of computing beside
// others, in one process and one run, so that the ratios can be trusted where
// the times of a shared machine cannot:
//
//	go test -bench . ./bench
//	go test -bench . -tags openblas ./bench
//	scripts/bench-numpy.sh
//
// Ratios are named by what the time is divided by: x-product 1.1 takes 1.1
// times as long as the bare matrix product, x-loop 0.2 a fifth of the plain
// loop.
//
// Replicates of ratio metrics (64 runs × 2000 tasks × 8 metrics × 10 000
// replicates) are a matrix product and cost little beside it. Resampling the
// 334 images instead of the 2000 rows makes that product six times smaller,
// and is also the right interval, since claims about one image are not
// independent.
//
// The full summary of one run is plain Go: confidences sorted once, each
// replicate one pass over them with new weights. scripts/bench-numpy.sh does
// the same work with numpy, scipy and scikit-learn, in two ways: replicate by
// replicate with the public functions, and by hand over whole blocks of
// replicates.
package bench
