// Package lqs is the mathematics of the Learning Quality Score: how much of
// what an agent earned shows that it learned something.
//
// [Learned] is the score as Candor defines it. From [Unit]s, what is known of
// an agent at one seed each, [Measure] reads off how competent the agent is
// (K), how well that carries over to unseen seeds (G), how steadily it decides
// (C), how far it exploits the reward (H) and how well it reasons (R):
//
//	raw   = K·√(G·C)
//	trust = 1 − √H
//	LQS   = clamp₀₁(raw·trust + 0.15·R·trust where raw ≥ 0.05)
//
// What could not be measured is NaN here, and never a neutral one half.
//
// [Published] and the functions of a [Release] are the same quantities as the
// Python package learnlens-rl computes them, for comparison with figures that
// it gave. They know no competence, so an agent that always answers wrongly,
// and always in the same way, is a perfect learner to them.
package lqs
