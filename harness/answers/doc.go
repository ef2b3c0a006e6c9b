// Package answers reads anyone's answers for scoring: JSON Lines with one
// answered claim a line, as other tools write them or as a run's own
// traces.jsonl holds them.
//
// A line has label (SUPPORTED or REFUTED), verdict and confidence (the stated
// probability in [0, 1] that the verdict is right), and may have image, id,
// split, outcome, needed_repair and confidences (an object of further sources
// of confidence). Where image or id is absent a trace's image_source or task_id
// serves. Key names are exact; other keys are ignored.
//
// What the model did wrong is scored: a verdict that is null, absent or
// unknown, or a missing confidence, makes the row malformed. What the file
// does wrong is an error that names the line: text that is not JSON, an
// unknown label, a confidence that is no number in [0, 1] where it counts, a
// key or an id given twice.
package answers
