"""The full summary of one run, done by numpy, scipy and scikit-learn: what
BenchmarkSummary in bench/ does in Go. Prints one JSON object with the seconds
that each way takes. Run by scripts/bench-numpy.sh.

  blocks  by hand: confidences sorted once, 256 replicates at a time as arrays,
          only isotonic regression one by one (scikit-learn)
  plain   as one would write it: for each replicate the rows of the images
          drawn, then the public functions; timed on a few replicates and
          scaled up; without smooth ECE
"""

import json
import sys
import time

import numpy as np
from scipy.fft import dct, idct
from sklearn.isotonic import IsotonicRegression, isotonic_regression
from sklearn.metrics import brier_score_loss, roc_auc_score

TASKS, IMAGES, BINS, REPLICATES, SMOOTH, BLOCK = 9000, 500, 15, 10_000, 1000, 256
COVERAGES, RISKS = (50, 80, 90, 95, 100), (1, 5, 10)


def main():
    out = {}
    for name, grid in (("levels101", 100), ("continuous", 0)):
        run = draw(np.random.default_rng(1), grid)
        began = time.perf_counter()
        Blocks(run).summary()
        blocks = time.perf_counter() - began
        tries = 25
        began = time.perf_counter()
        plain(run, tries)
        out[name] = {"blocks": blocks, "plain": (time.perf_counter() - began) / tries * REPLICATES}
    json.dump(out, sys.stdout)


def draw(rng, grid):
    c = rng.integers(0, grid + 1, TASKS) / grid if grid else 0.5 + 0.5 * rng.random(TASKS)
    u = rng.random(TASKS)
    return {
        "image": np.arange(TASKS) % IMAGES, "c": c, "y": (rng.random(TASKS) < 0.2 + 0.7 * c).astype(float),
        "answered": u >= 0.08, "abstained": u < 0.05, "supported": (rng.random(TASKS) < 0.5).astype(float),
    }


class Blocks:
    def __init__(self, run):
        a = run["answered"]
        order = np.argsort(run["c"][a], kind="stable")
        self.image, c, self.y = run["image"][a][order], run["c"][a][order], run["y"][a][order]
        self.c, self.level = np.unique(c, return_inverse=True)
        self.levels, self.tied = len(self.c), len(self.c) < len(c)
        if self.tied:  # sums by image and level, so that a block is two products
            at = self.image * self.levels + self.level
            self.n = np.bincount(at, minlength=IMAGES * self.levels).reshape(IMAGES, -1).astype(float)
            self.k = np.bincount(at, self.y, IMAGES * self.levels).reshape(IMAGES, -1)
        per = lambda v: np.bincount(run["image"], v, IMAGES)
        self.counts = np.c_[per(None), per(a), per(run["abstained"]), per(a * run["supported"])].astype(float)
        self.harmonic = np.concatenate([[0], np.cumsum(1 / np.arange(1, 2 * len(c) + 1))])
        self.width = np.minimum(BINS - 1, np.floor(self.c * BINS).astype(int))
        self.starts = np.flatnonzero(np.diff(self.width, prepend=-1))

    def weigh(self, w):
        if self.tied:
            return w @ self.n, w @ self.k
        n = w[:, self.image]
        return n, n * self.y

    def summary(self):
        rng = np.random.default_rng(0)
        point = self.figures(np.ones((1, IMAGES)), True)
        parts, smooth = [], []
        for first in range(0, REPLICATES, BLOCK):
            w = rng.multinomial(IMAGES, np.full(IMAGES, 1 / IMAGES), min(BLOCK, REPLICATES - first)).astype(float)
            parts.append(self.figures(w))
            if first < SMOOTH:
                smooth.append(self.smooth(w[: SMOOTH - first]))
        bounds = np.nanpercentile(np.concatenate(parts), [2.5, 97.5], axis=0)
        return point, bounds, np.percentile(np.concatenate(smooth), [2.5, 97.5]), self.floor(rng)

    def figures(self, w, with_smooth=False):
        n, k = self.weigh(w)
        total, m, abstained, supported = (w @ self.counts).T
        right, cols = k.sum(1), []
        brier = (k * (1 - self.c) ** 2 + (n - k) * self.c**2).sum(1) / m
        cols += [right / m, m / total, abstained / total, 1 - (m + abstained) / total, supported / m, n @ self.c / m, brier]
        cols += [((m - brier * m) + 0.8 * abstained) / total]
        cols += list(self.calibration(n, k, m))
        cols += list(self.corp(n, k, m, right, brier))
        cols += list(self.ranking(n, k, m, right))
        if with_smooth:
            cols.append(self.smooth(w))
        return np.stack(cols, 1)

    def calibration(self, n, k, m):
        rows = np.arange(len(n))[:, None] * BINS
        before = np.cumsum(n, 1) - n
        bins = (rows + np.minimum(BINS - 1, before * BINS // m[:, None])).astype(int).ravel()
        size = len(n) * BINS
        nb = np.bincount(bins, n.ravel(), size).reshape(-1, BINS)
        kb = np.bincount(bins, k.ravel(), size).reshape(-1, BINS)
        gap = np.abs(np.bincount(bins, (n * self.c - k).ravel(), size).reshape(-1, BINS))
        safe, rate = np.maximum(nb, 1), kb / np.maximum(nb, 1)
        square = np.where(nb > 1, nb * ((gap / safe) ** 2 - rate * (1 - rate) / np.maximum(safe - 1, 1)), 0).sum(1) / m
        equal_width = np.abs(np.add.reduceat(n * self.c - k, self.starts, 1)).sum(1) / m
        return gap.sum(1) / m, equal_width, np.sqrt(np.maximum(0, square))

    def corp(self, n, k, m, right, brier):
        rest = np.empty(len(n))
        for i in range(len(n)):
            use = n[i] > 0
            fit = isotonic_regression(k[i, use] / n[i, use], sample_weight=n[i, use])
            rest[i] = (n[i, use] * fit * (1 - fit)).sum() / m[i]
        uncertain = right / m * (1 - right / m)
        return brier - rest, uncertain - rest, uncertain

    def ranking(self, n, k, m, right):
        n, k = n[:, ::-1], k[:, ::-1]
        wrong, h = n - k, self.harmonic
        seen, errors = np.cumsum(n, 1), np.cumsum(wrong, 1)
        before, missed = seen - n, errors - wrong
        grow = h[seen.astype(int)] - h[before.astype(int)]
        slope = missed - wrong * before / np.maximum(n, 1)
        aurc = (wrong + slope * grow).sum(1) / m
        yield aurc
        yield aurc - (m - right - right * (h[m.astype(int)] - h[right.astype(int)])) / m
        yield (n * (missed + errors)).sum(1) / 2 / m**2
        yield 1 - (k * (missed + wrong / 2)).sum(1) / (right * (m - right))
        rate = k / np.maximum(n, 1)
        for percent in COVERAGES:
            take = np.ceil(m * percent / 100)[:, None]
            yield (np.clip(take - before, 0, n) * rate).sum(1) / take[:, 0]
        for percent in RISKS:
            yield np.where(errors * 100 <= percent * seen, seen, 0).max(1) / m

    def smooth(self, w, cells=1024):
        n, k = self.weigh(w)
        at = np.rint(self.c * cells).astype(int)
        starts = np.flatnonzero(np.diff(at, prepend=-1))
        grid = np.zeros((len(n), cells + 1))
        grid[:, at[starts]] = np.add.reduceat(n * self.c - k, starts, 1)
        wave, m = dct(grid, 1), n.sum(1)
        low, high = np.zeros(len(n)), np.ones(len(n))
        steps = (np.arange(cells + 1) * np.pi) ** 2 / 2
        for _ in range(10):
            sigma = (low + high) / 2
            value = np.abs(idct(wave * np.exp(-sigma[:, None] ** 2 * steps), 1)).sum(1) / m
            low, high = np.where(value > sigma, sigma, low), np.where(value > sigma, high, sigma)
        return high

    def floor(self, rng):
        n, k = self.weigh(np.ones((1, IMAGES)))
        n, m = n[0], n.sum()
        bins = ((np.cumsum(n) - n) * BINS // m).astype(int)
        starts = np.flatnonzero(np.diff(bins, prepend=-1))
        eces = []
        for first in range(0, REPLICATES, BLOCK):
            draws = min(BLOCK, REPLICATES - first)
            if self.tied:
                drawn = rng.binomial(n.astype(int), self.c, (draws, self.levels))
            else:
                drawn = rng.random((draws, self.levels)) < self.c
            eces.append(np.abs(np.add.reduceat(n * self.c - drawn, starts, 1)).sum(1) / m)
        eces = np.concatenate(eces)
        return eces.mean(), np.percentile(eces, 95), (eces >= self.calibration(n[None], k, np.array([m]))[0]).mean()


def plain(run, replicates):
    rng = np.random.default_rng(0)
    rows = [np.flatnonzero(run["image"] == i) for i in range(IMAGES)]
    values = []
    for _ in range(replicates):
        at = np.concatenate([rows[i] for i in rng.integers(0, IMAGES, IMAGES)])
        a = run["answered"][at]
        c, y = run["c"][at][a], run["y"][at][a]
        brier = brier_score_loss(y, c)
        fit = IsotonicRegression().fit(c, y).predict(c)
        rest = brier_score_loss(y, np.clip(fit, 0, 1))
        order = np.argsort(-c, kind="stable")
        wrong = np.cumsum(1 - y[order])
        m = len(c)
        share = np.arange(1, m + 1)
        best = np.maximum(0, share - y.sum()) / share
        cuts = np.searchsorted(np.sort(c), np.quantile(c, np.linspace(0, 1, BINS + 1)[1:-1]))
        up = order[::-1]
        gaps = [abs((c[b] - y[b]).sum()) for b in np.split(up, cuts) if len(b)]
        width = np.minimum(BINS - 1, (c * BINS).astype(int))
        values.append([
            y.mean(), a.mean(), run["abstained"][at].mean(), run["supported"][at][a].mean(), c.mean(), brier,
            ((1 - (c - y) ** 2).sum() + 0.8 * run["abstained"][at].sum()) / len(at), roc_auc_score(y, c),
            (wrong / share).mean(), (wrong / share).mean() - best.mean(), np.trapezoid(wrong / m, dx=1 / m),
            sum(gaps) / m, np.abs(np.bincount(width, c - y)).sum() / m, brier - rest, y.var() - rest,
            *[1 - wrong[int(np.ceil(m * p / 100)) - 1] / np.ceil(m * p / 100) for p in COVERAGES],
            *[np.max(np.where(wrong * 100 <= p * share, share, 0)) / m for p in RISKS],
        ])
    return np.percentile(values, [2.5, 97.5], axis=0)


if __name__ == "__main__":
    main()
