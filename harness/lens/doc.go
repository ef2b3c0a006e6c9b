// Package lens measures what an agent has learned, and not only how much
// reward it collects, in any environment that speaks OpenEnv:
//
//	report, err := lens.Wrap("https://my-space.hf.space").Evaluate(ctx, agent, lens.Options{})
//	report.Print(os.Stdout)
//
// It follows the published LearnLens (package compat has that to the digit),
// whose score is √(G·C)·(1 − √H) plus a bonus for reasoning. Those probes
// measure sameness, and never whether the agent can do the task: one that
// always answers wrongly, and always in the same way, is a perfect learner to
// them. Here
//
//	raw = K·√(G·C)    trust = 1 − √H    LQS = clamp(raw·trust + 0.15·R·trust)
//
// with the following quantities, all in [0, 1]; package scoring/lqs computes
// them.
//
//   - K, competence: (r̄ − r₀)/(r₁ − r₀), clamped. r̄ is the mean total reward
//     of the agent's episodes, r₀ that of a random or of a no-op policy on the
//     same seeds, whichever is better, and r₁ the best there is as declared, or
//     else the best that anybody was seen to earn.
//     Undeclared, the random policy draws by the schema of actions. Where that
//     has nothing to draw from but the agent's own words, and no no-op is
//     declared, K and LQS are upper bounds, and marked.
//   - G, generalization: competence on unseen seeds as a share of that on the
//     base seeds, at most 1: to do better there is no fault. Not measured where
//     the environment ignores its seeds.
//   - C, consistency: (A_same − A_diff)/(1 − A_diff), at least 0. A is the mean
//     pairwise agreement of actions, as parsed: over renderings of one state
//     (see [Renderings]), and over different states shown in the same way. So
//     an agent that always does the same is not consistent; it is not measured.
//     The states are one of each base episode, from its middle. Not measured
//     with more than [MaxMissing] of the questions unanswered.
//   - H, hack index: where the environment tells an independent check t of each
//     step, the mean of max(0, r̃ − t)/max(r̃, 1e-9), r̃ being the reward on a
//     scale from the least to the greatest there is. Else the share of steps in
//     which the agent does what a planted policy does, one that exploits the
//     reward, less the share in which that policy solves an episode, as those
//     may be right: (share − solved)/(1 − solved). Of several policies the
//     largest counts. A policy that earns no more than r₀ exploits nothing.
//   - R, reasoning: a judge's mean score of the agent's reasons, asked twice.
//
// The metadata of a step is for who measures: where a server puts it into the
// observation, as those from OpenEnv 0.4 on do, it is taken out before the agent
// or a policy sees that. The published packages show it.
//
// Exploitability is the scaled reward of the best planted policy. It says
// something of the environment, and nothing of the agent.
//
// Nothing unknown is a half: what was not measured is null, with the reason. A
// score that needs it is null as well, but for three rules: K = 0 makes LQS 0
// whatever else is known; without H the LQS is an upper bound, and marked;
// without R there is no bonus. What broke around the agent, and rewards that
// are null, no number or outside of what is declared, are missing and never
// bad; [Report.Missing] counts them. There is no verdict on less than
// [MinEpisodes] episodes of a kind, or with more than [MaxMissing] of them
// missing.
package lens
