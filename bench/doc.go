// Package bench holds benchmarks that set Candor's ways of computing beside
// others, in one process and one run, so that the ratios can be trusted where
// the times of a shared machine cannot:
//
//	go test -bench . ./bench
//	go test -bench . -tags openblas ./bench
//	scripts/bench-numpy.sh
//	scripts/bench-pillow.sh
//	scripts/bench-load.sh
//	scripts/bench-openenv.sh
//
// The journal's is beside it: go test -bench Journal ./harness/run.
//
// Ratios are named by what the time is divided by: x-product 1.1 takes 1.1
// times as long as the bare matrix product, x-textbook-loop 0.2 a fifth of the
// textbook's loop. They are of the least times of several tries in turn.
//
// # The scheduler
//
// A server in a process of its own that serves each request in 200 ms in so many
// slots, 123 KiB a request with its image, six claims an image. Wall time over
// that of slots that are never idle, on two cores with nothing else to do (Zen 4,
// go1.26.8; two runs some hours and many changes apart, where they differ both):
//
//	slots                    1       4            16           64
//	× ideal                  1.001   1.001–1.002  1.003–1.005  1.006–1.007
//	  with none waiting      1.004   1.004–1.005  1.004–1.006  1.009–1.010
//	client's processor time  .8–1.6  .4–.6        .3–.4        .23–.3 ms a task
//
// While other programs kept the cores busy (load 6 to 10) it was 1.01 to 1.02 at
// 64 slots. The client's own work for a task with an image is 1.4 to 1.6 times
// that of posting the same bytes, encoded beforehand, by net/http alone.
//
// The tiny models on the real engine (v0.24.0, one thread, 640×480, eight tokens
// out; three runs): claim after claim of one image takes .40 to .42 (Qwen3-VL) and
// .41 to .42 (Qwen3.5) of the time of a random order, and .88 to .97 of what an
// engine is expected to need that looks at each image once. Two servers on one
// model store take .57 to .60 and .58 to .63 of the time of one on the same two
// cores; the answers are the same, task by task.
//
// # A whole run, the journal, the load generator
//
// A run of the demo, 960 tasks, at a server of 200 ms in 16 slots: the asking, with
// each answer on disk before it counts, took 1.04 times as long as slots that are
// never idle, and the whole run, with the drawing and checking of the images
// before and the intervals after, 1.4 times. The run has no preflight, and so
// begins with a first answer and a request that looks whether images arrive, one
// after the other: .4 of the 12 seconds. Before it did that, it took 1.005 times.
//
// The journal syncs what finishes together at once. 512 tasks, beside each line
// written and synced on its own, and beside no sync at all (two runs):
//
//	askers            1        4        16       64
//	× sync each       .99–1.0  .65–.74  .16–.25  .06–.08
//	× unsynced        33–42    26–27    6.4      2.5–3.2
//
// How long a sync takes is the disk's matter: on a busy machine they took ten
// times as long, and the first row stayed within a factor of two.
//
// candor bench in a closed loop beside Locust 2.47 (FastHttpUser, one process),
// one after the other with requests of the same size (the last of two runs):
//
//	service, slots, at once    200 ms, 4, 4    200 ms, 16, 32    0 ms, 64, 8
//	answers/s                  19.9            79.7              13 400
//	Locust's                   20.3            81.5              10 800
//	× Locust                   .98             .98               1.2
//
// Four slots of 200 ms give 20 answers a second and sixteen 80: Locust's count
// is above that, since it has answers in it of requests sent before it began to
// count, and no end of the load is cut off. Candor's window opens and closes
// with an answer.
//
// # OpenEnv servers
//
// LearnLens's number-sort, served by Candor and by OpenEnv in Python (0.10.0, and
// 0.3.0), to the same clients on the same two cores, in turns; a step is an
// episode, with its reset and two checked messages. One run, with nothing else to
// do:
//
//	sessions at once                  1         128
//	steps/s                           4300      13 300
//	× OpenEnv 0.10.0                  2.2       4.0
//	× OpenEnv 0.3.0                   2.2       4.0
//	server's processor time a step    158 µs    86 µs
//	  OpenEnv 0.10.0                  367 µs    331 µs
//
// While other programs kept the cores busy (load 9 to 15) it was 1.9 to 2.3 and 2.7
// to 3.7 times.
//
// Clients and server share the cores, so that the ratio of steps understates how
// much more the server alone could do; that of processor time does not.
//
// # Replicates of ratio metrics
//
// 64 runs × 2000 tasks × 8 metrics × 10 000 replicates are one product and
// little beside it. Measured on two shared cores (Zen 4, go1.26.8, least of
// four runs under changing load):
//
//	                      gonum             OpenBLAS
//	                      images   rows     images   rows
//	× bare product        1.0–1.2  0.9–1.2  1.7–2.4  1.2–1.7
//	× loop, draws shared  0.4      0.5      0.1–0.2  0.1–0.2
//	× textbook's loop     0.17     0.2      0.04–.07 0.03–.04
//	seconds               0.19     1.6      0.05     0.27
//
// Both loops run on one core. Resampling the 334 images instead of the 2000
// rows takes a fifth to a seventh of the time, and it is also the right
// interval, since claims about one image are not independent.
//
// Under OpenBLAS the product over images is so short (334 multiplications and
// additions to each sum, 32 ms in all) that what surrounds it shows: by the
// profile three fifths of the processor's time are the product, over a quarter
// the 5.8 million divisions and the storing of their 46 MB, a tenth drawing
// weights, the rest the graph and the sums over images. Over rows, where the
// product is six times longer, it is four fifths.
//
// Memory beyond the results (8 bytes to a replicate of a metric of a run) is
// one block of 256 replicates to a core, whatever their number.
//
// The Gorgonia graph that pays answers takes two to five times as long as a
// plain loop, each operation being a pass over memory: some milliseconds for
// 128 000 answers. It is there to be one expression over the whole tensor, not
// to be fast.
//
// # The full summary of one run
//
// 9000 tasks about 500 images, every metric, 10 000 replicates (smooth ECE:
// 1000) and 10 000 draws of the calibrated floor, in plain Go: confidences
// sorted once, each replicate one pass over them with new weights. Beside it
// scripts/bench-numpy.sh does the same with numpy, scipy and scikit-learn in
// two ways, by hand over whole blocks of replicates and replicate by replicate
// with the public functions (that one without smooth ECE). One run, nothing else
// running; busier ones gave 11 to 26 times by hand:
//
//	             Go      by hand         public functions
//	101 levels   0.11 s  1.5 s    14 ×   51 s   470 ×
//	continuous   1.2 s   14 s     13 ×   56 s   48 ×
//
// It allocates 13 MB at 101 levels and 18 MB at continuous confidences.
//
// # Images
//
// From the file of a photo of some 100 KB to the bytes that are sent, checked by
// decoding every pixel, in processor time; beside it Pillow in the version that
// the recordings name (scripts/bench-pillow.sh). Go's own decoder and encoder,
// and imaging's resize. Three runs, nothing else running:
//
//	                            ms       claims/s a core  × Pillow
//	resized, 640×427 → 640×416  27–28    210–220          1.5
//	passed through, 640×480     3.7–4.1  1470–1630        1.8–1.9
//
// A core so prepares the images of 210 claims a second at six claims an image,
// and of 1500 where they pass through; once checked, an image that passes
// through is had again for 1.0 to 1.7 times what reading its file and header
// takes. Two cores take 1.01 to 1.02 times the processor time of one, and come to .97 to .98 of
// linear in wall time.
package bench
