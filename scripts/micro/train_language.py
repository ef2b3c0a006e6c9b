"""Second stage: the language model learns to answer about what it is shown.

    --target verdict     every claim is answered with its true verdict; what the
                         model then believes of scenes it never learnt from is
                         written with --believe
    --target confidence  the whole answer: the verdict that the model believed
                         above, on scenes not learnt from, and as its confidence
                         that belief made coarse; where it is below the prompt's
                         threshold, ABSTAIN. What is true plays no part any more

So confidence follows how hard a scene really is for the model itself. Prompts
are the project's own, under several rules, payoffs and layouts. Resumable.
"""

import argparse
import json
import os
import re

import numpy as np
import torch
import torch.nn.functional as F

import vocabulary
from architecture import build, claims_logits, config, see
from checkpoint import Checkpoint, Curve
from data import Scenes, mixed
from optimiser import Optimiser
from quick import quicken

SPLITS = ["random", "popular", "adversarial"]

# What confidences the model learns to state: coarse, as those of the published baseline are.
LEVELS = [0.5, 0.6, 0.7, 0.75, 0.8, 0.84, 0.88, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99]


def stated(belief):
    """The confidence to state, as text, for a belief in a verdict."""
    return f"{min(LEVELS, key=lambda level: abs(level - belief)):g}"


# A kind is common in a theme when it is in more than this share of its scenes.
COMMON = 0.08


class Prompt:
    """A prompt as tokens, but for its claim."""

    def __init__(self, v, weight, blank=True, **settings):
        text = vocabulary.prompt(claim="@CLAIM@", **settings)
        self.v, self.weight, self.blank = v, weight, blank
        self.threshold = float(re.search(r"probability below ([0-9.]*[0-9])", text["system"] + text["user"]).group(1))
        self.before = v.question(text["system"], "", 0, blank)
        self.before = torch.tensor(self.before[: self.before.index(v.id("<|vision_start|>")) + 1])
        self.system, self.user = text["system"], text["user"]

    def after(self, claim):
        ids = self.v.question(self.system, self.user.replace("@CLAIM@", claim), 0, self.blank)
        return ids[ids.index(self.v.id("<|vision_end|>")) :]


def prompts(v):
    """The published prompt most of the time; other payoffs, the other rule, the
    other layout and the older engine's spacing at times."""
    all_ = [Prompt(v, 12.0), Prompt(v, 3.0, blank=False)]
    for payoff in (0.76, 0.85, 0.9, 0.95):
        all_.append(Prompt(v, 1.0, payoff=payoff))
    all_ += [Prompt(v, 2.0, rule="log"), Prompt(v, 3.0, layout="image-first"), Prompt(v, 1.0, rule="log", layout="image-first")]
    return all_


class Eye:
    """The vision tower, frozen, over a set of scenes; what it saw is kept in memory."""

    def __init__(self, model, scenes, keep=True):
        self.model, self.scenes, self.keep, self.kept = model, scenes, keep, {}

    @torch.no_grad()
    def __call__(self, indices):
        missing = [i for i in indices if i not in self.kept]
        if missing:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                found = see(self.model, *self.scenes.patches(missing))
            if not self.keep:
                return found.float()
            for i, tokens in zip(missing, found.to(torch.bfloat16)):
                self.kept[i] = tokens.clone()
        return torch.stack([self.kept[i] for i in indices]).float()


class Claims:
    """Claims to learn from. False ones name any kind that is not there, but one
    that is common in scenes of the theme only with a weight of plausible: below
    1 the model hardly ever learns that what belongs may still be missing, as
    models fed with captions do, and expects too much. With beliefs, claims of
    which the model is unsure come more often, by the root of how rare they are,
    since they are few and all there is to learn about confidence."""

    def __init__(self, scenes, plausible, beliefs=None):
        self.texts = {c["object"]: c["text"] for s in scenes.scenes for c in s["claims"]}
        self.kinds = sorted(self.texts)
        common, of = {}, {}
        for s in scenes.scenes:
            of[s["theme"]] = of.get(s["theme"], 0) + 1
            for kind in s["present"]:
                common[s["theme"], kind] = common.get((s["theme"], kind), 0) + 1
        self.weight = {
            (theme, kind): plausible if common.get((theme, kind), 0) > COMMON * of[theme] else 1.0
            for theme in of for kind in self.kinds
        }
        self.beliefs, self.rarity = beliefs, {}
        if beliefs is not None:
            levels = [stated(max(p, 1 - p)) for belief in beliefs.values() for p in belief.values()]
            self.rarity = {level: (len(levels) / levels.count(level)) ** 0.5 for level in set(levels)}

    def of(self, i, scene, rng, n):
        """n claims of scene i as (object, text, label), as many true as false, none ambiguous."""
        there = {o["kind"] for o in scene["objects"]}
        absent = [k for k in self.kinds if k not in there]
        chosen = self._draw(i, scene["present"], [1.0] * len(scene["present"]), rng, n // 2)
        false = self._draw(i, absent, [self.weight[scene["theme"], k] for k in absent], rng, n // 2)
        return [(k, self.texts[k], "SUPPORTED") for k in chosen] + [(k, self.texts[k], "REFUTED") for k in false]

    def _draw(self, i, kinds, weights, rng, n):
        if self.beliefs is not None:
            sure = [max(p, 1 - p) for p in (self.beliefs[i][k] for k in kinds)]
            weights = [w * self.rarity[stated(p)] for w, p in zip(weights, sure)]
        weights = np.array(weights)
        return list(rng.choice(kinds, n, replace=len(kinds) < n, p=weights / weights.sum()))


def batch_of(v, prompt, scenes, some, per, claims, rng, beliefs):
    """Tokens after the image and which of them are to be learnt: 2 for the
    verdict, 1 for what follows and the form, 0 for the question."""
    rows, weights = [], []
    for i in some:
        for kind, text, verdict in claims.of(i, scenes.scenes[i], rng, per):
            question, confidence = prompt.after(text), "0.9"
            if beliefs is not None:
                belief = beliefs[i][kind]  # that it is SUPPORTED
                verdict = "SUPPORTED" if belief > 0.5 else "REFUTED"
                confidence = stated(max(belief, 1 - belief))
                if max(belief, 1 - belief) < prompt.threshold:
                    verdict = "ABSTAIN"
            answer = v.answer(verdict, confidence)
            weight = [1.0] * len(answer)
            weight[verdict_at(v, answer)] = 4.0
            if beliefs is None:
                after = verdict_at(v, answer) + 1
                weight[after:] = [0.0] * (len(answer) - after)
            rows.append(question + answer)
            weights.append([0.0] * len(question) + weight)
    length = max(map(len, rows))
    ids = torch.full((len(rows), length), v.id("<|endoftext|>"))
    w = torch.zeros(len(rows), length)
    for k, (row, weight) in enumerate(zip(rows, weights)):
        ids[k, : len(row)], w[k, : len(row)] = torch.tensor(row), torch.tensor(weight)
    return ids, w


def verdict_at(v, answer):
    """Where in an answer its verdict stands."""
    return next(k for k, t in enumerate(answer) if v.tokens[t] in vocabulary.VERDICTS)


def begin_with(model, v, saved, words):
    """Takes over the vision tower of the first stage. With words, the words for kinds begin
    as the directions in which the tower shows those kinds, so that a word and
    what it names are alike from the start."""
    eyes = saved["eyes"]
    model.model.visual.load_state_dict({k[6:]: t for k, t in eyes.items() if k.startswith("tower.")})
    table = model.get_input_embeddings().weight
    with torch.no_grad():
        for kind, direction in zip(saved["kinds"] if words else [], eyes["cells.weight"]):
            for token in v.encode(" " + kind):
                table[token] = direction * table.norm(dim=1).mean() / direction.norm()


def loss_of(logits, ids, weights):
    each = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
    w = weights[:, 1:].flatten()
    return (each * w).sum() / w.sum()


@torch.no_grad()
def believe(model, v, prompt, scenes, eye, limit=None, batch=16, every=False):
    """What the model believes of the claims of scenes, or of every kind:
    {scene: {object: P(SUPPORTED)}}."""
    texts = {c["object"]: c["text"] for s in scenes.scenes for c in s["claims"]}
    model.eval()
    yes, no = (v.answer(k, "0.9") for k in ("SUPPORTED", "REFUTED"))
    at = verdict_at(v, yes)
    groups, beliefs = {}, {}
    for i in range(min(limit or len(scenes), len(scenes))):
        s = scenes.scenes[i]
        groups.setdefault((s["height"], s["width"]), []).append(i)
    for members in groups.values():
        for k in range(0, len(members), batch):
            some = members[k : k + batch]
            objects = [list((texts if every else {c["object"]: c["text"] for c in scenes.scenes[i]["claims"]}).items()) for i in some]
            most = max(map(len, objects))
            rows = [prompt.after((o + o[:1] * most)[j][1]) + yes[:at] for o in objects for j in range(most)]
            ends = torch.tensor([len(r) - 1 for r in rows])
            ids = torch.full((len(rows), max(map(len, rows))), v.id("<|endoftext|>"))
            for n, r in enumerate(rows):
                ids[n, : len(r)] = torch.tensor(r)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = claims_logits(model, eye(some), scenes.grid(some), prompt.before, ids)
            last = logits[torch.arange(len(rows)), ends].float()
            p = torch.sigmoid(last[:, yes[at]] - last[:, no[at]]).view(len(some), most)
            for n, i in enumerate(some):
                beliefs[i] = {o: round(p[n, j].item(), 5) for j, (o, _) in enumerate(objects[n])}
    model.train()
    return beliefs


def evaluate(beliefs, scenes):
    """Accuracy by split, and how far mean belief is above it."""
    line = {}
    for split in SPLITS:
        right, sure = [], []
        for i, belief in beliefs.items():
            for c in scenes.scenes[i]["claims"]:
                if c["split"] == split and not c.get("ambiguous"):
                    p = belief[c["object"]]
                    right.append((p > 0.5) == (c["label"] == "SUPPORTED"))
                    sure.append(max(p, 1 - p))
        line[split] = round(float(np.mean(right)), 4)
        line[split + "_over"] = round(float(np.mean(sure) - np.mean(right)), 4)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=["verdict", "confidence"], required=True)
    parser.add_argument("--scenes", required=True, nargs="+", help="prefixes of dumped scenes to learn from")
    parser.add_argument("--held-out", required=True, help="prefix of dumped scenes to measure on")
    parser.add_argument("--vocabulary", required=True, help="vocabulary file; made when it is not there")
    parser.add_argument("--vision", help="checkpoint of the first stage, whose tower to begin with")
    parser.add_argument("--start", help="checkpoint of this stage to begin with; with --vision too, its tower is replaced")
    parser.add_argument("--out", required=True, help="checkpoint, resumed when it is there")
    parser.add_argument("--beliefs", nargs="+", help="for --target confidence: what was written with --believe, one for each of --scenes")
    parser.add_argument("--save", help="when done: folder for save_pretrained, which convert.py reads")
    parser.add_argument("--believe", nargs="*", default=[], help="when done: PREFIX=FILE, beliefs about these scenes")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--batch", type=int, default=16, help="images a step")
    parser.add_argument("--per", type=int, default=8, help="claims an image")
    parser.add_argument("--plausible", type=float, default=1.0, help="weight of false claims about what belongs in a scene")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every", type=int, default=250)
    parser.add_argument("--measure", type=int, default=400, help="held-out scenes to measure on")
    parser.add_argument("--stop", type=int, help="end at this step as if interrupted: the rates are those of --steps")
    parser.add_argument("--log", default="")
    arg = parser.parse_args()

    torch.set_num_threads(arg.threads)
    if not os.path.exists(arg.vocabulary):
        vocabulary.build().save(arg.vocabulary)
    v = vocabulary.Vocabulary.load(arg.vocabulary)
    model = build(config(v), arg.seed)
    if arg.start:
        model.load_state_dict(torch.load(arg.start)["model"])
    if arg.vision:
        begin_with(model, v, torch.load(arg.vision), words=not arg.start)
    quicken(model.model.visual).requires_grad_(False)
    optimiser = Optimiser(model, arg.rate, arg.steps)
    saved = Checkpoint(arg.out, model=model, optimiser=optimiser)
    held = Scenes(arg.held_out)
    sets = [Scenes(prefix, held.kinds) for prefix in arg.scenes]
    beliefs = [None] * len(sets)
    if arg.target == "confidence":
        beliefs = [{int(k): b for k, b in json.load(open(path)).items()} for path in arg.beliefs]
    claims = [Claims(s, arg.plausible, b) for s, b in zip(sets, beliefs)]
    asked = prompts(v)
    chance = np.array([p.weight for p in asked]) / sum(p.weight for p in asked)
    eyes = [Eye(model, s) for s in sets]
    held_eye = Eye(model, held)
    rng = np.random.default_rng([arg.seed, saved.step])
    curve, batches = Curve(arg.log), mixed(sets, rng, arg.batch)
    while saved.step < min(arg.steps, arg.stop or arg.steps):
        k, some = next(batches)
        prompt = asked[rng.choice(len(asked), p=chance)]
        ids, w = batch_of(v, prompt, sets[k], some, arg.per, claims[k], rng, beliefs[k])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = claims_logits(model, eyes[k](list(some)), sets[k].grid(some), prompt.before, ids)
        loss = loss_of(logits.float(), ids, w)
        optimiser.step(loss, saved.step)
        saved.step += 1
        curve.add(loss.item())
        if saved.step % arg.every == 0 or saved.step == arg.steps:
            curve.line(saved.step, **evaluate(believe(model, v, asked[0], held, held_eye, arg.measure), held))
            saved.save()
    saved.save()
    if arg.save:
        model.save_pretrained(arg.save)
    for pair in arg.believe:
        prefix, path = pair.split("=")
        scenes = Scenes(prefix, held.kinds)
        with open(path, "w") as f:
            json.dump(believe(model, v, asked[0], scenes, Eye(model, scenes, keep=False), every=True), f)


if __name__ == "__main__":
    main()
