"""What training leaves on disk: checkpoints to go on from, and the loss curve."""

import json
import os
import time

import torch


class Checkpoint:
    """The states of what is trained, by name, and the step they are of. Where
    the file is there already, they are those that it holds."""

    def __init__(self, path, **parts):
        self.path, self.parts, self.step = path, parts, 0
        if os.path.exists(path):
            saved = torch.load(path)
            for name, part in parts.items():
                part.load_state_dict(saved[name])
            self.step = saved["step"]

    def save(self, **more):
        """Writes all anew; a file half written never takes the old one's place."""
        states = {name: part.state_dict() for name, part in self.parts.items()}
        torch.save(dict(**states, step=self.step, **more), self.path + ".new")
        os.replace(self.path + ".new", self.path)


class Curve:
    """The mean loss since the last line, written out beside what was measured."""

    def __init__(self, path):
        self.path, self.begin, self.losses = path, time.time(), []

    def add(self, loss):
        self.losses.append(loss)

    def line(self, step, **found):
        mean = sum(self.losses) / max(len(self.losses), 1)
        line = dict(step=step, loss=round(mean, 4), **found, minutes=round((time.time() - self.begin) / 60, 2))
        self.losses = []
        print(json.dumps(line), flush=True)
        if self.path:
            with open(self.path, "a") as f:
                print(json.dumps(line), file=f)
