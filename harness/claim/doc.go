// Package claim holds what a model is asked: sentences about images, each true
// or false, with the images they are about.
//
// A Set comes from POPE's files (LoadPOPE), from JSON Lines or tables of one's
// own in the same reader, or from Demo, which draws its images itself and needs
// no download; Load takes any of these by name. A LabelSet, from ReadLabels,
// labels the same claims otherwise. Select then picks the tasks of a
// run: by split, by the train or eval partition, and by a seeded sample that
// does not depend on the order of any file. SamplingSeed gives each task the
// seed it is asked with, the same for every model.
//
// Rows that are not understood are refused, naming file and line: a claim that
// is guessed at would be scored as if it had been read.
package claim
