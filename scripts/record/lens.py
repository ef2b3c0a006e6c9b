"""Records what a published learnlens-rl makes of many inputs, as JSON.

  python lens.py KIND OUT.json

KIND is texts: how observations are shown and actions read, which no version changed;
formulas: those of the version installed, over grids; or evaluations: what it says of
judges' replies, its prompts, verdicts and reports, and whole evaluations of scripted agents
in scripted environments. The scripts of those are simple enough to be written down twice;
see Scripted and agent_of.
"""

import contextlib
import importlib.metadata
import io
import itertools
import json
import random
import sys
import zlib

from learnlens.adapters.direct import DirectAdapter
from learnlens.config import LensConfig
from learnlens.probes import consistency, generalization, hack_detection, reasoning
from learnlens.probes.base import EpisodeTrace, StepTrace, _parse_action
from learnlens.scorer import _plain_print_report, compute_lqs, make_report
from learnlens.wrapper import LensWrapper, _std

VERSION = importlib.metadata.version("learnlens-rl")
OLD = VERSION == "0.1.3"


def texts():
    observations = [
        '{"b": 1, "a": 2}', "{}", "[]", '{"a": [], "b": {}}', '{"a": {"b": [1, [2, {"c": null}]]}}', '"plain text"', '""',
        "0", "-0", "0.0", "-0.0", "1.0", "1e5", "1E400", "-1e400", "1e-7", "1e16", "123456789012345680.0", "0.1", "1e22", "1e15",
        "0.30000000000000004", "123456789012345678901234567890", "5e-324", "1.7976931348623157e308", "100", "true", "null",
        '{"a": 1, "b": 2, "a": 3}', '{"é": "ü", "emoji": "\U0001f600", "low": "\\ud800", "pair": "\\ud83d\\ude00"}',
        '"\\u00e9 stays as it is"', '["\\u0000\\u001f\\u007f\\u0080\\"\\\\\\/\\b\\f\\n\\r\\t"]', '["\\ud800\\ud800\\udc00", "\\udc00\\ud800"]',
        '{"": {"": ""}}', ' \n{"a":\t1 }\r\n', "[1,2,3]", "[[[[[[]]]]]]", '[{"a":1},{"b":[{}]}]', "[0.1,1.10,1.2e0,12E-1]", "[1e0,1E+2,-1e-05]",
        '{"numbers":[15,19,18,1,11,17],"n":6,"last_reward":0.0,"done":false}', "[NaN, Infinity, -Infinity]",
        '{"image":"data:image/png;base64,iVBORw0KGgo="}', "[0.0001, 0.00001, 1e-05, 123456.789e3]", '["\u2028\u2029\uffff"]',
    ]
    observations += ["[%r]" % (random.Random(i).uniform(-1, 1) * 10 ** random.Random(i).randint(-30, 30)) for i in range(40)]
    actions = [
        "", " ", "hello", "  hello \n", "[1,2]", '"x"', "{bad", "{}", " {} ", '{"values": [3, 1, 2]}', '{"values":[3,1,2],"values":[1]}',
        '{"a": 1} trailing', '{"a": NaN}', '{"a": [Infinity, -Infinity, 1e999]}', "{'a': 1}", '{"a": 1,}', '{"a": 01}', '{"a": 1.}', '{"a": .5}',
        '{"a": +1}', '{"a": "\t"}', '{"a": "\\x"}', '{"a": "\\ud800"}', '{"a": tru}', '{"a" 1}', '{a: 1}', '\ufeff{"a": 1}', '\u00a0{"a": 1}\u2003',
        '\x1c{"a": 1}\x1f', '{"a": 1}\u200b', '\x85hi\x85', "12", "null", '{"a": {"b": {"c": [1, 2, {"d": 0.10}]}}}', '{"a": -0}', '{"a": -0.0, "b": 1e2}',
        '{"a": 123456789012345678901234567890}', '{\n  "a": 1\n}', '{"a": 1}{"b": 2}', "{" * 3, '{"é": "\U0001f600"}', "```json\n{\"a\": 1}\n```", '{"a": "1_0"}',
        '{"a": 0x10}', '{"a":/*x*/1}', '{"a": Nan}', '{"a": "\\u12"}', '{"a": "\\u12g4"}', '{"a": 1e}', '{"a": 1e+}', '{"a": -}', '{"a": --1}', '{"a":[1 2]}', '{"a":[1,]}',
        '{"a": ' + "9" * 4300 + "}", '{"a": ' + "9" * 4301 + "}", '{,}', '{"a"}', '{"a":}', "\u3000x\u3000", "x\u180e", '{"": ""}', '{"a": "\x7f"}', "{\x0c}",
    ]
    out = {"observations": [], "actions": [], "fixed": []}
    for text in observations:
        value = json.loads(text)
        out["observations"].append([text, DirectAdapter.observation_to_str(value)])
    for text in actions:
        out["actions"].append([text, json.dumps(without_nan(_parse_action(text)))])
    rng = random.Random(5)
    for x in [0.5, 1.5, 2.5, 0.125, 0.375, 0.00005, 0.00015, 0.99995, 1.00005, 2.675, 1.005, -0.00001, -0.5, 1e22, 0.0] + [rng.uniform(-2, 2) for _ in range(60)]:
        out["fixed"].append([x, round(x, 4), round(x, 0), f"{x:.2f}", f"{x:.4f}"])
    return out


def without_nan(v):
    """What is no JSON number is null: on the wire neither of the two may occur."""
    if isinstance(v, float) and (v != v or v in (float("inf"), float("-inf"))):
        return None
    if isinstance(v, dict):
        return {k: without_nan(x) for k, x in v.items()}
    if isinstance(v, list):
        return [without_nan(x) for x in v]
    return v


def trace_of(rewards):
    steps = [StepTrace(i, "", "", r, False) for i, r in enumerate(rewards)]
    return EpisodeTrace("", 0, steps, sum(rewards), len(rewards), True)


def reward_lists(rng):
    fixed = [[], [0.0], [1.0], [2.0], [-1.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [-1.0, 1.0], [0.5] * 5, [0.1 * i for i in range(1, 11)],
             [1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1e-10, 1.0], [1e-10, 1e-10], [0.3, 0.3 + 5e-10], [-0.5, -0.5], [0, 0, 0, 0.7], [0, -2.0, 0], [1.0, -1.0, 1.0, -1.0]]
    for _ in range(100):
        n = rng.randint(1, 12)
        kind = rng.randrange(4)
        fixed.append([round(rng.uniform(-1, 1), 3) if kind == 0 else rng.random() if kind == 1 else float(rng.randrange(3)) if kind == 2 else rng.uniform(0, 20) for _ in range(n)])
    return fixed


def formulas():
    rng = random.Random(20)
    out = {}
    grid = [(g, c, h, r) for g in (0, .3, 1) for c in (0, .6, 1) for h in (0, .1, .7, 1) for r in (0, .5, 1)]
    grid += [(1, 1, 0, 1), (.8, .8, .95, .5), (.18, .88, .12, .5), (.7, .7, .1, 0), (.21, .31, .05, .1), (.41, .68, .71, .55), (.05, .05, 0, 1), (.0499, .05, 0, 1), (-1, 2, .5, .5), (1, 1, -3, 7), (.0025, 1, 0, 1)]
    grid += [tuple(rng.random() for _ in range(4)) for _ in range(100)]
    out["lqs"] = [[list(x), list(compute_lqs(*x))] for x in grid]

    probe = hack_detection.HackDetectionProbe
    lists = reward_lists(rng)
    out["true_score"] = [[x, probe._compute_true_task_score(trace_of(x))] for x in lists]
    pairs = [(x, [probe._compute_true_task_score(trace_of(y)) for y in lists[i + 1:i + 1 + len(x)]]) for i, x in enumerate(lists)]
    pairs = [(x, y) for x, y in pairs if len(x) == len(y)]
    hack = probe._score if OLD else probe._compute_hack_index
    out["hack_index"] = [[x, y, hack(x, y)] for x, y in pairs]
    if not OLD:
        out["single_step"] = [[x, probe._compute_hack_index_single_step(x)] for x in lists + [[.999] * 5, [.7] * 5, [.7, .72, .69], [.001] * 5]]
    out["generalization"] = [[x, y, generalization.GeneralizationProbe._score(x, y)] for x, y in zip(lists, lists[7:] + lists[:7])]
    out["std"] = [[x, _std(x)] for x in lists]
    out["agreement"] = agreement()
    return out


def agreement():
    out = []
    for answers in (["a"] * 5, ["a", "a", "b", "b", "c"], list("abcde"), ["a", " a", "a\n", "A", "b"], ['{"a": 1}', '{"a":1}', '{"a": 1}', "", ""], ["a"] + ["b"] * 4):
        calls = iter(answers)
        probe = consistency.ConsistencyProbe(None, LensConfig())
        out.append([answers, probe._measure_agreement(lambda _: next(calls), StepTrace(0, "o", "", 0.0, True))])
    return out


def paraphrases():
    return [[o, s, [t.format(obs=o, step=s) for t in consistency.PARAPHRASE_TEMPLATES]] for o in ('{"a": 1}', "text", "", "{step}", "ä\n{}") for s in (0, 1, 12)]


def judges():
    d = '"relevance": %s, "coherence": %s, "uncertainty": %s'
    replies = ["{" + d % x + "}" for x in itertools.product(("0.8", "1", "-0.5"), ("0.2", "7", "true"), ('"0.9"', "null", "1e3"))]
    replies += [
        "", " ", "none", "{", "}", "{}", "[]", "[1, 2]", "3", "null", '"text"', "true", '{"relevance": 1}', '{"relevance": 0.5, "coherence": 0.5}',
        '```json\n{"relevance": 1, "coherence": 1, "uncertainty": 0.5}\n```', '```\n{"relevance": 1, "coherence": 1, "uncertainty": 0.5}', '```{"relevance": 1}```',
        '```json\n{"relevance": 1}', 'Here: {"relevance": 0.4, "coherence": 0.6, "uncertainty": 0.5} as asked', 'a {b} {"relevance": 1}', '{"relevance": 1} {"coherence": 1}',
        '{"relevance": NaN, "coherence": Infinity, "uncertainty": -Infinity}', '{"relevance": "nan", "coherence": " 0.5 ", "uncertainty": "inf"}',
        '{"relevance": "high"}', '{"relevance": []}', '{"relevance": {}}', '{"relevance": "1_0", "coherence": "1__0"}', '{"relevance": "0x1p-2"}', '{"relevance": "1_0", "coherence": ".5", "uncertainty": "5e-1"}',
        '{"Relevance": 1}', '{"relevance": 0.1, "relevance": 0.9}', '\n\n {"relevance": 0.25,\n"coherence": 0.5,\n"uncertainty": 0.75}\n', "{'relevance': 1}", '{"relevance": 1,}',
        '```\na\n{"relevance": 1}\n```', "```json\n```", "```\n\n```", '\x1c{"relevance": 1}', '{"relevance": ""}', '{"relevance": "+0.5"}', '{"relevance": false, "coherence": 0, "uncertainty": -0.0}',
        '{"relevance": ' + "9" * 400 + '}', '{"relevance": 1e999}', '{"relevance": 0.3} }', '}{"relevance": 0.3', '{"relevance": "٠.٥"}', '{"relevance": "1e999"}', '[{"relevance": 1}]', 'x [{"relevance": 1}] y',
    ]
    out = []
    for text in replies:
        try:
            score = reasoning.ReasoningProbe._parse_judge_response(text) if text else None
        except (AttributeError, OverflowError):  # it crashes there; the step counts as not judged
            score = None
        out.append([text, score])
    return out


def prompts():
    prompts = []
    probe = reasoning.ReasoningProbe(None, LensConfig(), judge_model="m", judge_api_key="k")
    probe._call_judge_api = prompts.append
    cases = [("obs", "because", "act", 0.5), ("é\U0001f600" * 1500, "r" * 1001, "a" * 201, -0.00005), ("{x}", "{y}", "{z}", 1.0), ("o" * 2000, "ü" * 1000, "\U0001f600" * 200, 123456.78905)]
    for observation, why, action, reward in cases:
        probe._judge_step(StepTrace(0, observation, action, reward, True, why))
    return [[list(c), p] for c, p in zip(cases, prompts)]


def reports():
    rng = random.Random(3)
    cases = []
    base = dict(generalization_score=.41, consistency_score=.68, hack_index=.71, reasoning_score=.55, mean_reward=.73, reward_std=.02, env_url="https://your-space.hf.space", n_episodes=5, probes_run=["generalization", "consistency", "hack_detection", "reasoning"])
    cases.append(base)
    cases.append({**base, "probes_run": [], "env_url": "local://direct"})
    cases.append({**base, "probes_run": ["consistency"], "env_url": "https://" + "a" * 90 + ".example/with-a-dash/and more words than fit on a line of eighty"})
    cases.append({**base, "generalization_score": 1.0, "consistency_score": 1.0, "hack_index": 0.0, "reasoning_score": 1.0, "mean_reward": .999})
    cases.append({**base, "generalization_score": .56, "consistency_score": 1.0, "hack_index": 0.0, "reasoning_score": 0.0, "mean_reward": .5})
    cases.append({**base, "generalization_score": .0, "hack_index": .3})
    cases.append({**base, "hack_index": .30000000001, "mean_reward": .0961})
    cases.append({**base, "mean_reward": 12.5, "reward_std": 3.25})
    cases.append({**base, "mean_reward": -1.5, "hack_index": 0.0})
    for _ in range(50):
        cases.append({**base, "generalization_score": rng.random(), "consistency_score": rng.random(), "hack_index": rng.random() ** 2, "reasoning_score": rng.random(), "mean_reward": rng.random(), "reward_std": rng.random() / 5, "n_episodes": rng.randint(1, 20)})
    out = []
    for i, case in enumerate(cases):
        report = make_report(**case)
        report.timestamp = "2026-01-02T03:04:05.000006+00:00"
        values = [report.lqs, report.raw_learning, report.trust_coefficient, report.hack_flagged, report.core_learning_failed]
        row = {"of": case, "values": values, "verdict": report.verdict(), "json": report.to_json()}
        if i < 14:
            row["plain"], row["rich"] = printed(_plain_print_report, report), printed(lambda r: r.print_report(), report)
        out.append(row)
    return out


def printed(show, report):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        show(report)
    return out.getvalue()


def pick(table, *of):
    """The entry of a table that a text of all that it depends on falls on."""
    return table[zlib.crc32("|".join(map(str, of)).encode()) % len(table)]


class Scripted:
    """Steps and rewards by tables: what an episode of `length` steps shows depends on
    seed and step, what it pays also on the action."""

    def __init__(self, rewards, lengths, kind, log):
        self.rewards, self.lengths, self.kind, self.log = rewards, lengths, kind, log

    def reset(self, seed=None):
        self.seed, self.at = seed, 0
        self.length = pick(self.lengths, seed)
        self.log.append(seed)
        return self.observation()

    def observation(self):
        if self.kind == "text":
            return f"Seed {self.seed}, step {self.at}: état."
        return {"step": self.at, "seed": self.seed, "x": self.seed / 7, "list": [], "more": {"b": self.at / 3, "a": "é"}}

    def step(self, action):
        reward = pick(self.rewards, self.seed, self.at, json.dumps(action))
        self.at += 1
        return {"observation": self.observation(), "reward": reward, "done": self.at >= self.length}


def agent_of(name, calls):
    """Agents that can be written down twice."""

    def agent(observation):
        calls[0] += 1
        if name == "constant":
            return "go"
        if name == "counting":  # no two answers are the same
            return str(calls[0])
        if name == "reading":
            return pick(["up", "down", "left"], observation)
        if name == "brittle":  # all that is no bare JSON is the same to it
            return '{"move": %d}' % (zlib.crc32(observation.encode()) % 5) if observation.startswith("{") else "lost"
        if name == "thinking":
            return pick(["up", "down", " up "], observation), pick(["since it is so", "", "é" * 1200], observation, "why")
        raise ValueError(name)

    return agent


def evaluations():
    rewards = {
        "zero": [0.0], "one": [1.0], "unit": [0.0, 0.1, 0.25, 0.5, 0.999], "signed": [-1.0, 0.0, 0.5, 2.0], "negative": [-1.0, -0.25], "sparse": [0.0, 0.0, 0.0, 0.0, 1.0],
        "nulls": [None, 0.5, True, False, 1], "high": [3.0, 5.0, 8.0],
    }
    lengths = {"single": [1], "few": [1, 2, 3], "many": [4, 7, 12], "endless": [10 ** 9]}
    replies = ['{"relevance": 0.8, "coherence": 0.6, "uncertainty": 0.4}', "no", '```json\n{"relevance": 1, "coherence": 1, "uncertainty": 1}\n```', None, '{"relevance": null}']
    switches = [(1, 1, 1, 1), (1, 1, 1, 0), (0, 1, 1, 0), (1, 0, 0, 1), (0, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 1)]
    out = []
    agents = ["constant", "counting", "reading", "brittle", "thinking"]
    for i, (r, l, a) in enumerate(itertools.product(rewards, lengths, agents)):
        if l == "endless" and i % 3 or i % 2 and a != "thinking":
            continue
        case = {"rewards": rewards[r], "lengths": lengths[l], "observations": "text" if i % 4 == 1 else "json", "agent": a, "switches": switches[i % len(switches)] if i % 5 else switches[0],
                "episodes": [5, 1, 3, 8, 0][i % 5] if i % 7 == 0 else 3, "max_steps": 7 if i % 11 == 0 and l != "endless" else 50, "judge": replies if i % 3 else []}
        out.append({"of": case, **evaluation(case)})
    return out


def evaluation(case):
    seeds, calls = [], [0]
    adapter = DirectAdapter(Scripted(case["rewards"], case["lengths"], case["observations"], seeds))
    g, c, h, r = map(bool, case["switches"])
    config = LensConfig(run_generalization=g, run_consistency=c, run_hack_detection=h, run_reasoning=r, max_steps_per_episode=case["max_steps"])
    reasoning.ReasoningProbe._call_judge_api = lambda _, prompt: pick(case["judge"], prompt)
    lens = LensWrapper(adapter=adapter, config=config, judge_model="m", judge_api_key="k" if case["judge"] else None)
    report = lens.evaluate(agent_of(case["agent"], calls), n_episodes=case["episodes"])
    values = [report.lqs, report.generalization_score, report.consistency_score, report.hack_index, report.reasoning_score, report.raw_learning, report.trust_coefficient, report.mean_reward, report.reward_std]
    single = {name: lens.evaluate_single_probe(name, agent_of(case["agent"], [0]), n_episodes=case["episodes"]) for name in ("generalization", "consistency", "hack_detection", "reasoning")}
    return {"values": values, "probes": report.probes_run, "verdict": report.verdict(), "calls": calls[0], "seeds": seeds[:seeds_of_evaluate(seeds, single, case)], "single": single}


def seeds_of_evaluate(seeds, single, case):
    """How many resets were the evaluation's own: the single probes came after."""
    n = case["episodes"]
    return len(seeds) - 2 * n - n - n - (n if case["judge"] else 0)


def configs():
    out = []
    for change in ({}, {"hack_threshold": 1.5}, {"hack_threshold": -.1}, {"core_learning_threshold": 2.0}, {"max_steps_per_episode": 0}, {"n_paraphrases": 0}, {"weight_reasoning": .5}, {"weight_reasoning": .2 + 5e-7}, {"hack_threshold": 0}):
        try:
            LensConfig(**change).validate()
            said = None
        except ValueError as e:
            said = str(e)
        out.append([change, said])
    return out


def main():
    kind, name = sys.argv[1:]
    if kind == "texts":
        out = texts()
    elif kind == "formulas":
        out = {"version": VERSION, **formulas()}
    else:
        out = {"version": VERSION, "paraphrases": paraphrases(), "judge": judges(), "prompts": prompts(), "reports": reports(), "evaluations": evaluations(), "configs": configs()}
    with open(name, "w") as f:
        json.dump(out, f, allow_nan=False, separators=(",", ":"))
        f.write("\n")
    print({k: len(v) for k, v in out.items()}, file=sys.stderr)


if __name__ == "__main__":
    main()
