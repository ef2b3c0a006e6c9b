"""Records what scikit-learn makes of recalibration problems, for the tests of
scoring/recalibration:

    python3 -m venv DIR && DIR/bin/pip install scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
    DIR/bin/python scripts/record/recalibration.py > scoring/recalibration/testdata/scikit-learn.json

Confidences are clipped to [1e-4, 1 - 1e-4] first, as Candor does. Platt and
beta are LogisticRegression without an intercept of its own on a column of ones
(so that the ridge covers it too), C = 1/(1e-6 * sum of weights); a soft target
t enters as two rows of weight t and 1 - t. `sigmoid` is scikit-learn's own
Platt scaling, which has no ridge. Beta is recorded only where both slopes come
out positive: scikit-learn has no constraint.
"""

import json

import numpy as np
import sklearn
from sklearn.calibration import _sigmoid_calibration
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

CLIP, RIDGE = 1e-4, 1e-6
GRID = np.concatenate([[0.0, 1e-5], np.linspace(0.01, 0.99, 33), [0.99999, 1.0]])


def main():
    rng = np.random.default_rng(20240229)
    cases = [record(name, *made) for name, made in problems(rng)]
    about = {"scikit-learn": sklearn.__version__, "numpy": np.__version__}
    print(json.dumps({"made_by": about, "grid": GRID.tolist()})[:-1] + ', "cases": [')
    print(",\n".join(json.dumps(c) for c in cases) + "\n]}")


def problems(rng):
    for k in range(24):
        n = int(rng.integers(20, 200))
        yield f"continuous {k}", draw(rng, rng.beta(3, 1.2, n), k % 3 == 2)
    for k in range(18):
        n = int(rng.integers(20, 400))
        yield f"levels of .05 {k}", draw(rng, np.round(rng.beta(3, 1.0, n) * 20) / 20, k % 3 == 1)
    for k in range(8):
        n = int(rng.integers(8, 20))
        yield f"small {k}", draw(rng, np.round(rng.random(n), 1), k % 2 == 1)
    yield "two", (np.array([0.3, 0.8]), np.array([0, 1]), None)
    yield "two, backwards", (np.array([0.3, 0.8]), np.array([1, 0]), None)
    yield "all right", (np.array([0.2, 0.7, 0.9, 0.9]), np.ones(4, int), None)
    yield "all wrong", (np.array([0.2, 0.7, 0.9, 0.9]), np.zeros(4, int), None)
    yield "one confidence", (np.full(10, 0.8), np.array([1] * 6 + [0] * 4), None)
    yield "certainties", (np.array([0, 0, 0, 1, 1, 1, 1, 0.5]), np.array([0, 0, 1, 1, 1, 1, 0, 1]), None)


def draw(rng, c, weighted):
    """Answers right with a chance that the confidence overstates."""
    z = np.log(np.clip(c, CLIP, 1 - CLIP)) - np.log1p(-np.clip(c, CLIP, 1 - CLIP))
    y = (rng.random(len(c)) < 1 / (1 + np.exp(-(0.6 * z - 0.1)))).astype(int)
    w = np.round(rng.random(len(c)) * 3, 3) + 0.001 if weighted else None
    return c, y, w


def record(name, conf, y, weights):
    c = np.clip(conf, CLIP, 1 - CLIP)
    w = np.ones(len(c)) if weights is None else weights
    z = np.log(c) - np.log1p(-c)
    grid = np.clip(GRID, CLIP, 1 - CLIP)
    zg = np.log(grid) - np.log1p(-grid)
    high, low = (w @ y + 1) / (w @ y + 2), 1 / (w @ (1 - y) + 2)
    out = {"name": name, "confidence": conf.tolist(), "correct": y.tolist()}
    if weights is not None:
        out["weights"] = weights.tolist()
    theta = ridge(np.c_[z, np.ones_like(z)], np.where(y == 1, high, low), w)
    out["platt"] = curve(theta, np.c_[zg, np.ones_like(zg)])
    if len(np.unique(c)) > 1:
        a, b = _sigmoid_calibration(z, y, sample_weight=w)
        out["sigmoid"] = curve(np.array([-a, -b]), np.c_[zg, np.ones_like(zg)])
    theta = ridge(np.c_[np.log(c), -np.log1p(-c), np.ones_like(c)], y.astype(float), w)
    if theta is not None and theta[0] > 1e-3 and theta[1] > 1e-3:
        out["beta"] = curve(theta, np.c_[np.log(grid), -np.log1p(-grid), np.ones_like(grid)])
    iso = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(c, y, sample_weight=w)
    out["isotonic"] = {"values": iso.predict(grid).tolist()}
    return out


def ridge(x, t, w):
    rows, targets, weights = np.r_[x, x], np.r_[np.ones(len(t)), np.zeros(len(t))], np.r_[w * t, w * (1 - t)]
    keep = weights > 0
    if len(np.unique(targets[keep])) < 2:
        return None
    model = LogisticRegression(C=1 / (RIDGE * w.sum()), fit_intercept=False, solver="newton-cholesky", tol=1e-13, max_iter=10_000)
    return model.fit(rows[keep], targets[keep], sample_weight=weights[keep]).coef_[0]


def curve(theta, x):
    return {"parameters": theta.tolist(), "values": (1 / (1 + np.exp(-(x @ theta)))).tolist()}


if __name__ == "__main__":
    main()
