"""Records what other people's programs make of the figures of package scoring.

    scripts/record.sh scoring OUT.json

Each vector holds confidences c, correctness y, perhaps integer weights w (then
an entry stands for w equal answers), a number of bins, and values by peer:

  scikit-learn             roc_auc_score, brier_score_loss, and the parts of the
                           Brier score through IsotonicRegression, all three
                           with sample_weight where there are weights
  torchmetrics             ECE over bins of equal width
  uncertainty-calibration  ECE and debiased l2 error over bins of equal mass
  relplot                  smooth ECE
  papers                   AURC, E-AURC and AUGRC: fd-shifts, which publishes
                           them, is not on PyPI, so they are written here from
                           the papers' definitions (Geifman & El-Yaniv 2017,
                           Geifman et al. 2019, Traub et al. 2024) and from
                           nothing else: no independent program, only an
                           independent hand in another language

Where a peer is known to be wrong it is fed so that it cannot be, and what it
says of the data as they are is kept beside it under a name ending in _raw:

  torchmetrics puts a confidence of exactly 1 into a bin of its own (its issue
  3510): it is fed the number below 1.
  relplot counts what lies exactly on 0 or 1 by half, because the mirror image
  of an end node is left out: it is fed each such answer twice. (Its grid has
  1000 cells: what lies inside the first or the last one still loses a part.)

uncertainty-calibration cuts the sorted confidences into equal parts and leaves
the remainder to the first ones; scoring closes a bin at the first end of a tie
past each multiple of m/bins. With distinct confidences and bins that divide m
both are the same bins, and the peer's own are used (own_bins is true); else the
peer is given the edges of scoring's bins.
"""

import importlib.metadata
import json
import sys
import warnings

import calibration
import numpy as np
import relplot
import torch
from calibration.utils import bin as put_in_bins
from calibration.utils import get_equal_bins, plugin_ce, unbiased_l2_ce
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from torchmetrics.functional.classification import binary_calibration_error

PEERS = ["numpy", "scipy", "scikit-learn", "relplot", "torch", "torchmetrics", "uncertainty-calibration"]


def vectors():
    """Yields (name, c, y, w or None, bins)."""
    random = np.random.default_rng(20230912)
    truths = {
        "calibrated": lambda c: c,
        "overconfident": lambda c: c * c,
        "underconfident": lambda c: np.sqrt(c),
        "blind": lambda c: 0 * c + 0.5,
        "inverted": lambda c: 1 - c,
    }
    for truth, chance in truths.items():
        for n in (2, 3, 5, 8, 10, 15, 20, 30, 45, 60, 100, 150, 300, 600):
            c = np.round(random.random(n), 6)
            yield f"random/{truth}/{n}", c, random.random(n) < chance(c), None, 15
        for n in (4, 12, 40, 120):
            for grid in (4, 10, 20):
                c = random.integers(0, grid + 1, n) / grid
                yield f"tied/{truth}/{n}/{grid}", c, random.random(n) < chance(c), None, 16
        for n in (5, 20, 60):
            c = random.choice([0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0], n)
            yield f"stated/{truth}/{n}", c, random.random(n) < chance(c), None, 16
        for n in (3, 10, 40):
            for grid in (0, 10):
                c = random.integers(0, grid + 1, n) / grid if grid else np.round(random.random(n), 6)
                w = random.integers(1, 6, n)
                yield f"weighted/{truth}/{n}/{grid}", c, random.random(n) < chance(c), w, 16
    for n in (1, 2, 7, 50):
        for right in (False, True):
            for kind, c in {
                "spread": np.round(random.random(n), 6),
                "one": np.full(n, 0.8),
                "sure": np.ones(n),
                "never": np.zeros(n),
            }.items():
                yield f"one class/{kind}/{n}/{right}", c, np.full(n, right), None, 16
    for share in (0.1, 0.5, 0.75, 0.9):
        for c in (0.0, 0.25, 0.8, 1.0):
            y = np.arange(40) < 40 * share
            yield f"one confidence/{c}/{share}", np.full(40, c), y, None, 16
    yield "published", np.array([0.946, 0.946, 0.98, 0.98, 0.99]), np.array([1, 0, 1, 0, 1]) == 1, np.array([124, 16, 33, 2, 17]), 16
    yield "phantom bin", np.array([0.95, 1.0]), np.array([1, 0]) == 1, None, 16


def finite(value):
    """Undefined is null; 13 digits are enough for 1e-9."""
    value = float(value)
    return None if np.isnan(value) else float(f"{value:.13g}")


def scikit(c, y, w):
    fit = IsotonicRegression(out_of_bounds="clip").fit(c, y, sample_weight=w).predict(c)
    rate = np.average(y, weights=w)
    left, unc = np.average((fit - y) ** 2, weights=w), rate * (1 - rate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one class: it says so, and returns NaN
        auroc = roc_auc_score(y, c, sample_weight=w) if y.min() != y.max() else np.nan
    brier = brier_score_loss(y, c, sample_weight=w, pos_label=1, labels=[0, 1])
    return {"auroc": auroc, "brier": brier, "mcb": brier - left, "dsc": unc - left, "unc": unc}


def equal_width(c, y, bins):
    return binary_calibration_error(torch.tensor(c), torch.tensor(y), n_bins=bins, norm="l1").item()


def mass_edges(c, bins):
    """The upper edges of scoring's bins, halfway to the next confidence."""
    values, counts = np.unique(c, return_counts=True)
    edges, running, passed = [], 0, 0
    for i, count in enumerate(counts):
        running += int(count)
        if running * bins >= (passed + 1) * len(c):
            edges.append(1.0 if i + 1 == len(values) else (values[i] + values[i + 1]) / 2)
            passed = running * bins // len(c)
    return edges


def equal_mass(c, y, bins):
    own = len(np.unique(c)) == len(c) and len(c) % bins == 0
    edges = get_equal_bins(list(c), num_bins=bins) if own else mass_edges(c, bins)
    data = [b for b in put_in_bins(list(zip(c, y)), edges) if len(b)]
    debiased = unbiased_l2_ce(data) if max(len(b) for b in data) > 1 else np.nan
    return {"ece": plugin_ce(data, power=1), "ece_debiased": debiased, "own_bins": own}


def doubled_ends(c, y):
    ends = (c == 0) | (c == 1)
    return np.concatenate([c, c[ends]]), np.concatenate([y, y[ends]])


def papers(c, y):
    """AURC, E-AURC and AUGRC from single answers, ties by their mean order."""
    m, risks, joint, coverage, errors, seen = len(c), [], [0.0], [0.0], 0.0, 0
    for value in np.unique(c)[::-1]:
        wrong = 1 - y[c == value]
        for j in range(1, len(wrong) + 1):
            risks.append((errors + wrong.sum() * j / len(wrong)) / (seen + j))
        errors, seen = errors + wrong.sum(), seen + len(wrong)
        joint.append(errors / m)
        coverage.append(seen / m)
    best = np.cumsum(np.sort(1 - y)) / np.arange(1, m + 1)
    return {"aurc": np.mean(risks), "e_aurc": np.mean(risks) - np.mean(best), "augrc": np.trapezoid(joint, coverage)}


def record(name, c, y, w, bins):
    c, y = np.asarray(c, float), np.asarray(y, float)
    each_c, each_y = (c, y) if w is None else (np.repeat(c, w), np.repeat(y, w))
    below = np.where(each_c == 1, np.nextafter(1, 0), each_c)
    values = {
        "scikit-learn": scikit(c, y, w),
        "torchmetrics": {"ece_equal_width": equal_width(below, each_y.astype(int), bins)},
        "uncertainty-calibration": equal_mass(each_c, each_y, bins),
        "relplot": {"smooth_ece": relplot.smECE(*doubled_ends(each_c, each_y))},
        "papers": papers(each_c, each_y),
    }
    if (each_c == 1).any():
        values["torchmetrics"]["ece_equal_width_raw"] = equal_width(each_c, each_y.astype(int), bins)
    if ((each_c == 0) | (each_c == 1)).any():
        values["relplot"]["smooth_ece_raw"] = relplot.smECE(each_c, each_y)
    out = {"name": name, "bins": bins, "c": c.tolist(), "y": [int(v) for v in y]}
    if w is not None:
        out["w"] = [int(v) for v in w]
    out["values"] = {
        peer: {key: bool(v) if key == "own_bins" else finite(v) for key, v in of.items()} for peer, of in values.items()
    }
    return out


def main(path):
    versions = {name: importlib.metadata.version(name) for name in PEERS}
    lines = [json.dumps(record(*v), separators=(",", ":")) for v in vectors()]
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"versions":' + json.dumps(versions) + ',"vectors":[\n' + ",\n".join(lines) + "\n]}\n")
    print(f"{len(lines)} vectors in {path}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
