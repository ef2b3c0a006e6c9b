"""First stage: the vision tower learns to see, by itself.

Every token of the image must tell, through one linear map, which kinds of
object its square shows; the greatest answer over the image tells which kinds
are in the scene. Both are learnt with binary cross-entropy from the
generator's own knowledge. The linear map is thrown away afterwards: what the
language model gets are tokens from which kinds can be read.

Resumable: a checkpoint holds weights, optimiser and step.
"""

import argparse

import numpy as np
import torch
import torch.nn.functional as F

from architecture import build, config
from checkpoint import Checkpoint, Curve
from data import Scenes, mixed
from optimiser import Optimiser
from quick import quicken
from vocabulary import Vocabulary


class Eyes(torch.nn.Module):
    """A vision tower with the linear map that says what each token shows."""

    def __init__(self, tower, kinds):
        super().__init__()
        self.tower = tower
        self.cells = torch.nn.Linear(tower.config.out_hidden_size, kinds)
        torch.nn.init.constant_(self.cells.bias, -4.0)

    def forward(self, patches, grid):
        tokens = self.tower(patches, grid_thw=grid).pooler_output.float()
        return self.cells(tokens.view(len(grid), -1, tokens.shape[-1]))


def loss_of(logits, cells, present):
    """Cross-entropy of the squares and of the scene as a whole."""
    known = cells >= 0
    squares = F.binary_cross_entropy_with_logits(logits, cells.clamp(0, 1), reduction="none")
    squares = (squares * known).sum() / known.sum()
    kept = present >= 0
    scene = F.binary_cross_entropy_with_logits(seen(logits), present.clamp(0, 1), reduction="none")
    scene = (scene * kept).sum() / kept.sum()
    return 8 * squares + scene


def seen(logits):
    """The logit that a kind is somewhere: a soft maximum over the image's tokens."""
    return torch.logsumexp(2 * logits, dim=1) / 2


@torch.no_grad()
def evaluate(eyes, scenes, batch):
    """Accuracy over all (scene, kind) pairs, balanced over present and absent."""
    eyes.eval()
    right, of = np.zeros(2), np.zeros(2)
    groups = {}
    for i, s in enumerate(scenes.scenes):
        groups.setdefault((s["height"], s["width"]), []).append(i)
    for members in groups.values():
        for k in range(0, len(members), batch):
            some = members[k : k + batch]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = seen(eyes(*scenes.patches(some)).float())
            y = scenes.present(some)
            for label in (0, 1):
                right[label] += ((logits > 0).float() == y)[y == label].sum().item()
                of[label] += (y == label).sum().item()
    eyes.train()
    return dict(absent=right[0] / of[0], present=right[1] / of[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", required=True, nargs="+", help="prefixes of dumped scenes to learn from")
    parser.add_argument("--held-out", required=True, help="prefix of dumped scenes to measure on")
    parser.add_argument("--vocabulary", required=True, help="vocabulary file")
    parser.add_argument("--out", required=True, help="checkpoint, resumed when it is there")
    parser.add_argument("--start", help="checkpoint whose weights to begin with")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=24)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every", type=int, default=250, help="steps between measurements")
    parser.add_argument("--stop", type=int, help="end at this step as if interrupted: the rates are those of --steps")
    parser.add_argument("--log", default="", help="file for the loss curve, JSON lines")
    arg = parser.parse_args()

    torch.set_num_threads(arg.threads)
    torch.manual_seed(arg.seed)
    held = Scenes(arg.held_out)
    sets = [Scenes(prefix, held.kinds) for prefix in arg.scenes]
    model = build(config(Vocabulary.load(arg.vocabulary)), arg.seed)
    eyes = Eyes(quicken(model.model.visual), len(held.kinds))
    if arg.start:
        eyes.load_state_dict(torch.load(arg.start)["eyes"])
    optimiser = Optimiser(eyes, arg.rate, arg.steps)
    saved = Checkpoint(arg.out, eyes=eyes, optimiser=optimiser)
    curve = Curve(arg.log)
    batches = mixed(sets, np.random.default_rng([arg.seed, saved.step]), arg.batch)
    while saved.step < min(arg.steps, arg.stop or arg.steps):
        k, some = next(batches)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = eyes(*sets[k].patches(some))
        loss = loss_of(logits.float(), sets[k].cells(some), sets[k].present(some))
        optimiser.step(loss, saved.step)
        saved.step += 1
        curve.add(loss.item())
        if saved.step % arg.every == 0 or saved.step == arg.steps:
            curve.line(saved.step, **{name: round(share, 4) for name, share in evaluate(eyes, held, 32).items()})
            saved.save(kinds=held.kinds)
    saved.save(kinds=held.kinds)


if __name__ == "__main__":
    main()
