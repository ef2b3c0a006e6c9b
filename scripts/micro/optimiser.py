"""The optimiser of both stages: Muon for the matrices inside the layers, AdamW
for all else, a short warm-up and a cosine to a twentieth of the rate.

Muon (Jordan et al. 2024) takes orthogonalised steps, here scaled to the size
of AdamW's, as torch.optim.Muon does with "match_rms_adamw".
"""

import math

import torch

WARM_UP = 100  # steps


class Optimiser:
    def __init__(self, module, rate, steps, decay=0.02, clip=1.0):
        matrices, rest = [], []
        for name, p in module.named_parameters():
            if p.requires_grad:
                inner = p.ndim == 2 and not any(part in name for part in ("embed", "lm_head", "cells"))
                (matrices if inner else rest).append(p)
        self.parts = [torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.98), weight_decay=decay)]
        if matrices:
            self.parts.append(torch.optim.Muon(matrices, lr=rate, weight_decay=decay, adjust_lr_fn="match_rms_adamw"))
        self.parameters = matrices + rest
        self.rate, self.steps, self.clip = rate, steps, clip

    def step(self, loss, n):
        """One step down the gradient of loss; n counts from 0."""
        for part in self.parts:
            part.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, self.clip)
        rate = self.rate * min(1, (n + 1) / WARM_UP) * (0.05 + 0.95 * (1 + math.cos(math.pi * n / self.steps)) / 2)
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = rate
            part.step()

    def state_dict(self):
        return [part.state_dict() for part in self.parts]

    def load_state_dict(self, states):
        for part, state in zip(self.parts, states):
            part.load_state_dict(state)
