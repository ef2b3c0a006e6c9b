"""Scenes as the trainer sees them: pixels and what is in them.

The command scripts/micro/scenes draws scenes with the project's generator,
sends each through the product's own image path and writes PREFIX.rgb, the
pixels of all of them, and PREFIX.jsonl, one line a scene. This module reads
the two, groups scenes of one size into batches and lays pixels out as the
vision tower takes them.
"""

import json

import numpy as np
import torch

PATCH = 16  # pixels, the side of a patch
CELL = 2 * PATCH  # pixels, the side of what becomes one token


class Scenes:
    """A dumped set of scenes; pixels stay on disk until asked for."""

    def __init__(self, prefix, kinds=None):
        with open(prefix + ".jsonl") as lines:
            self.scenes = [json.loads(line) for line in lines]
        self.pixels = np.memmap(prefix + ".rgb", np.uint8, "r")
        self.kinds = kinds or sorted({o["kind"] for s in self.scenes for o in s["objects"]})
        self.index = {kind: i for i, kind in enumerate(self.kinds)}

    def __len__(self):
        return len(self.scenes)

    def image(self, i):
        """The pixels of scene i, uint8 of height × width × 3."""
        s = self.scenes[i]
        start, size = s["offset"], s["height"] * s["width"] * 3
        return self.pixels[start : start + size].reshape(s["height"], s["width"], 3)

    def batches(self, rng, size, indices=None):
        """Endless batches of scenes of one size each, a new order every epoch."""
        groups = {}
        for i in range(len(self)) if indices is None else indices:
            s = self.scenes[i]
            groups.setdefault((s["height"], s["width"]), []).append(i)
        while True:
            epoch = []
            for members in groups.values():
                order = rng.permutation(members)
                epoch += [order[k : k + size] for k in range(0, len(order), size)]
            for k in rng.permutation(len(epoch)):
                yield epoch[k]

    def patches(self, indices):
        """Pixel values and grid of scenes of one size; see patches_of."""
        return patches_of([self.image(i) for i in indices])

    def grid(self, indices):
        """image_grid_thw of scenes of one size."""
        s = self.scenes[indices[0]]
        return torch.tensor([[1, s["height"] // PATCH, s["width"] // PATCH]]).expand(len(indices), 3)

    def present(self, indices):
        """Which kinds are in the scenes: 1, 0, or -1 where a person could argue."""
        y = torch.zeros(len(indices), len(self.kinds))
        for row, i in enumerate(indices):
            objects = self.scenes[i]["objects"]
            for o in sorted(objects, key=lambda o: not o.get("doubtful", False)):
                if o["kind"] in self.index:
                    y[row, self.index[o["kind"]]] = -1 if o.get("doubtful") else 1
        return y

    def cells(self, indices):
        """Where the kinds are: for each token of the image the share of its
        square that an object's box covers, -1 for a doubtful object."""
        s = self.scenes[indices[0]]
        rows, columns = s["height"] // CELL, s["width"] // CELL
        y = torch.zeros(len(indices), rows, columns, len(self.kinds))
        top, left = np.arange(rows) * CELL, np.arange(columns) * CELL
        for n, i in enumerate(indices):
            for o in self.scenes[i]["objects"]:
                if o["kind"] not in self.index:
                    continue
                high = np.clip(np.minimum(top + CELL, o["y"] + o["h"]) - np.maximum(top, o["y"]), 0, CELL)
                wide = np.clip(np.minimum(left + CELL, o["x"] + o["w"]) - np.maximum(left, o["x"]), 0, CELL)
                share = torch.from_numpy(np.outer(high, wide) / CELL**2).float()
                k = self.index[o["kind"]]
                if o.get("doubtful"):
                    y[n, :, :, k] = torch.where(share > 0, -1.0, y[n, :, :, k])
                else:
                    y[n, :, :, k] = torch.maximum(y[n, :, :, k], share)
        return y.view(len(indices), rows * columns, -1)


def mixed(sets, rng, size):
    """Endless batches of several sets, each as often as it is large: the set's
    number and the batch's indices in it."""
    streams = [s.batches(rng, size) for s in sets]
    weights = np.array([len(s) for s in sets]) / sum(len(s) for s in sets)
    while True:
        k = rng.choice(len(sets), p=weights)
        yield k, next(streams[k])


def patches_of(images):
    """pixel_values and image_grid_thw of images of one size, as Qwen's processor
    lays them out: patches in the order of 2 × 2 blocks, each of 3 channels, two
    equal frames and 16 × 16 pixels, from -1 to 1."""
    x = torch.from_numpy(np.stack(images))
    n, h, w, _ = x.shape
    x = x.view(n, h // CELL, 2, PATCH, w // CELL, 2, PATCH, 3)
    x = x.permute(0, 1, 4, 2, 5, 7, 3, 6)  # block row, column, patch row, column, channel
    x = x.float().div_(127.5).sub_(1)
    x = x.reshape(-1, 3, 1, PATCH, PATCH).expand(-1, 3, 2, PATCH, PATCH)
    return x.reshape(-1, 3 * 2 * PATCH * PATCH), torch.tensor([[1, h // PATCH, w // PATCH]]).expand(n, 3)
