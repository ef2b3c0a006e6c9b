// Package scoring is the mathematics of honest confidence: it pays answers by
// a strictly proper scoring rule with a flat payoff for abstaining, and it
// measures, from rows of (outcome, confidence, correct), how well stated
// confidence matches the truth and how well it ranks right above wrong.
//
// The package does no I/O, draws randomness only from the seed it is given,
// and adds up in a fixed order, so that the same rows in any order give the
// same bytes. Confidences and rates lie in [0, 1]; a figure that is undefined
// (the AUROC of answers that are all right, say) is a nil pointer in a
// summary, null in JSON, never NaN there. Equal confidences are ties: no figure
// depends on the order of rows inside a tie.
//
// Start at [NewPayment] for rewards and thresholds, at [Summarize] for the
// metrics of a run, at [Compare] for the differences between runs of the same
// tasks, and at [WhatHonestyEarns] for what a run lost and to what. Single
// figures of bare confidences ([ECE], [SmoothECE], [AUROC], [AURC] and more) are
// plain functions: they are NaN where undefined, and take their arguments as
// [BrierScore] says. [ReliabilityCurve] and [ConsistencyBand] are for plots.
package scoring
