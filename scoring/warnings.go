package scoring

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The codes of warnings.
const (
	WarnIncomplete    = "incomplete"              // some tasks ended in error
	WarnNoTasks       = "no_tasks"                // nothing to score
	WarnNoAnswers     = "no_answers"              // tasks, but none answered
	WarnSmallN        = "small_n"                 // too few answers for the bins
	WarnOneConfidence = "one_distinct_confidence" // the confidence says nothing about single tasks
	WarnConstant      = "constant_verdict"        // the same verdict whatever the claim
	WarnSingleLabel   = "single_label"            // the same label on every claim
	WarnSingleClass   = "single_class"            // all right or all wrong
	WarnLogClipped    = "log_clipped"             // confidences where the log rule is not proper
	WarnNoImages      = "no_image_clusters"       // rows without an image
	WarnFewImages     = "few_images"              // too few images to resample
	WarnUndefined     = "undefined_replicates"    // replicates dropped
	WarnDegenerate    = "degenerate_interval"     // an interval of no width
)

const (
	answersPerBin = 5  // below this many answers to a bin asked for, ECE is mostly noise
	constantFrom  = 10 // answers after which one verdict only is no accident
	fewestImages  = 20 // below this many images percentile intervals are too narrow
)

// warnings lists what a reader must know, always in the same order.
func warnings(s *Summary, smp *sample, t *tally, pay Payment, opt Options, v intervals) []Warning {
	out := notes{}
	out.add(s.Errors > 0, WarnIncomplete, "%d of %s ended in error, not scored: figures cover the other %d", s.Errors, count(s.Errors+s.N, "task"), s.N)
	out.add(s.N == 0, WarnNoTasks, "no task to score")
	out.add(s.N > 0 && t.answered == 0, WarnNoAnswers, "none of %s was answered: calibration is undefined", count(s.N, "task"))
	out.answers(t, opt)
	if l, ok := pay.Rule.(Log); ok {
		n := improper(t.levels, l)
		out.add(n > 0, WarnLogClipped, "%s at confidences so extreme that the clipped log rule no longer rewards the truth there", count(n, "answer"))
	}
	if opt.Bootstrap > 0 {
		out.intervals(smp, opt, v)
	}
	return out
}

type notes []Warning

func (n *notes) add(when bool, code, format string, args ...any) {
	if when {
		*n = append(*n, Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

func (n *notes) answers(t *tally, opt Options) {
	m := t.answered
	if m == 0 {
		return
	}
	n.add(m < answersPerBin*opt.Bins, WarnSmallN, "%s for %s: read the ECE against its calibrated floor", count(m, "answer"), count(opt.Bins, "bin"))
	n.add(m > 1 && len(t.levels) == 1, WarnOneConfidence, "all %d answers state confidence %v: it cannot tell right from wrong", m, t.levels[0].Confidence)
	n.add(m >= constantFrom && t.supported == m, WarnConstant, "all %d answers are SUPPORTED: does the model see the image?", m)
	n.add(m >= constantFrom && t.supported == 0, WarnConstant, "all %d answers are REFUTED: does the model see the image?", m)
	n.add(t.truths == 0 || t.truths == m, WarnSingleLabel, "%s", oneLabel(m))
	n.add(t.correct == m, WarnSingleClass, "%s right and none wrong: AUROC is undefined", count(m, "answer"))
	n.add(t.correct == 0, WarnSingleClass, "%s wrong and none right: AUROC is undefined", count(m, "answer"))
}

// oneLabel says what m answered claims of one label leave undefined, and from
// how many on that is no accident.
func oneLabel(m int) string {
	undefined := "balanced accuracy is undefined"
	if m < constantFrom {
		return count(m, "answered claim") + " of one label: " + undefined
	}
	return fmt.Sprintf("all %d answered claims have one label: accuracy cannot tell seeing from always saying the same; %s", m, undefined)
}

func (n *notes) intervals(smp *sample, opt Options, v intervals) {
	n.clusters(len(smp.images), smp.bare, "row")
	n.undefined("figure", opt, v.dropped)
	n.add(len(v.constant) > 0, WarnDegenerate, "the same in every replicate, so the interval's width says nothing: %s", someOf(v.constant))
}

// clusters tells what the images, or the want of them, do to intervals; bare
// counts the rows or tasks, by that noun, that have none.
func (n *notes) clusters(images, bare int, noun string) {
	n.add(bare > 0, WarnNoImages, "%s without an image, each taken for an image of its own: if they share images the intervals are too narrow", count(bare, noun))
	n.add(images == 1, WarnFewImages, "one image only: nothing can be had from resampling it")
	n.add(images > 1 && images < fewestImages, WarnFewImages, "%d images: intervals from resampling so few are too narrow", images)
}

// undefined tells the figures whose replicates were dropped, those first that
// lost the most.
func (n *notes) undefined(what string, opt Options, dropped []lost) {
	slices.SortStableFunc(dropped, func(a, b lost) int { return cmp.Compare(b.replicates, a.replicates) })
	var names []string
	told := map[figure]bool{}
	for _, d := range dropped {
		if !told[d.figure] { // of several runs, the one that lost the most
			names = append(names, fmt.Sprintf("%s in %d", d.figure.words(), d.replicates))
		}
		told[d.figure] = true
	}
	n.add(len(names) > 0, WarnUndefined, "some of %d replicates leave a %s undefined and were dropped (over 5 %%: no interval): %s",
		opt.Bootstrap, what, someOf(names))
}

// someOf lists at most three names.
func someOf(names []string) string {
	const most = 3
	if rest := len(names) - most; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), rest)
	}
	return strings.Join(names, ", ")
}

// improper counts the answers outside the range where the log rule is proper.
func improper(levels []Level, l Log) int {
	n := 0
	for _, at := range levels {
		if !l.proper(at.Confidence) {
			n += at.N
		}
	}
	return n
}

// count is a number of things; one of them stands in the singular.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
