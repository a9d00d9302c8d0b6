"""Trains the judge of the evaluation: where a picture shows painted lines and cars, and which condition it shows.

It sees rendered pictures only and is never used in training the world.
"""

import argparse
import math
import time

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

from autoencoder import Residual, activate
from data import FRAMES, HEIGHT, WIDTH, Drives
from export import export

LINES = [(255, 255, 255), (255, 210, 0)]
NO_LINES = [(245, 245, 255), (255, 235, 255), (255, 255, 220), (255, 255, 170), (255, 230, 20), (235, 225, 215)]
CARS = [
    (15, 15, 20), (30, 45, 70), (150, 0, 20), (255, 0, 0), (255, 255, 220), (230, 20, 30), (20, 70, 240), (245, 245, 255),
    (255, 230, 20), (0, 150, 40), (60, 60, 75),
]


class Judge(nn.Module):
    """Picture `[n, 3, 224, 384]` in 0..1 to class scores per pixel (other, line, car) and scores of time and weather."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Conv2d(48, 48, 3, padding=1)
        self.near = nn.Sequential(Residual(48), Residual(48))
        self.down = nn.Conv2d(48, 64, 3, stride=2, padding=1)
        self.wide = nn.Sequential(Residual(64), Residual(64))
        self.back = nn.Conv2d(64, 48, 1)
        self.leave = nn.Conv2d(48, 48, 1)
        self.condition = nn.Sequential(nn.Linear(2 * 64, 64), nn.ReLU(), nn.Linear(64, 7))

    def forward(self, frame):
        x = self.near(activate(self.enter(F.pixel_unshuffle(frame, 4) - 0.5)))
        far = self.wide(activate(self.down(activate(x))))
        x = x + F.interpolate(self.back(activate(far)), scale_factor=2.0, mode="nearest")
        top, bottom = far[:, :, :12].mean((2, 3)), far[:, :, 12:].mean((2, 3))
        return F.pixel_shuffle(self.leave(activate(x)), 4), self.condition(torch.cat([top, bottom], 1))


def labels(map_planes):
    """Class of each pixel from the colours of a map frame: 1 line, 2 car, 0 anything else."""
    red, green, blue = (map_planes[channel].astype(np.int32) for channel in range(3))
    code = (red << 16) | (green << 8) | blue
    line = np.zeros(code.shape, bool)
    for r, g, b in LINES:
        line |= (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2 < 80**2
    for r, g, b in NO_LINES:
        line &= code != (r << 16) | (g << 8) | b
    line[: int(0.43 * HEIGHT)] = False
    car = np.isin(code, [(r << 16) | (g << 8) | b for r, g, b in CARS])
    return np.where(car, 2, np.where(line, 1, 0))


def batch(random, drives, count):
    pictures, classes, conditions = [], [], []
    while len(pictures) < count:
        drive = drives.drives[random.integers(len(drives.drives))]
        look, frame = random.integers(len(drive.pictures)), random.integers(FRAMES)
        plan = drive.record["clips"][look]
        since = frame - plan["changeFrame"]
        if 0 <= since < 14 and plan["first"] != plan["second"]:
            continue
        condition = plan["first"] if since < 0 else plan["second"]
        pictures.append(torch.from_numpy(np.array(drive.pictures[look][frame])).permute(2, 0, 1))
        classes.append(torch.from_numpy(labels(np.array(drive.map[frame]))))
        conditions.append((condition["time"], condition["weather"]))
    return torch.stack(pictures).float() / 255, torch.stack(classes), torch.tensor(conditions)


@torch.no_grad()
def validate(model, drives):
    random = np.random.default_rng(4)
    hits, both, either = torch.zeros(2), torch.zeros(3), torch.zeros(3)
    rounds = 12
    for _ in range(rounds):
        pictures, classes, conditions = batch(random, drives, 8)
        scores, condition = model(pictures)
        made = scores.argmax(1)
        for number in (1, 2):
            both[number] += ((made == number) & (classes == number)).sum()
            either[number] += ((made == number) | (classes == number)).sum()
        hits[0] += (condition[:, :3].argmax(1) == conditions[:, 0]).sum()
        hits[1] += (condition[:, 3:].argmax(1) == conditions[:, 1]).sum()
    share = hits / (8 * rounds)
    return f"time {share[0]:.3f} weather {share[1]:.3f} line IoU {both[1] / either[1]:.3f} car IoU {both[2] / either[2]:.3f}"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--data", default="training/data")
    options.add_argument("--out", default="training/evaluate/judge.onnx")
    options.add_argument("--minutes", type=float, default=6)
    options = options.parse_args()
    torch.manual_seed(7)
    random = np.random.default_rng(7)
    train, held_out = Drives(options.data, "train"), Drives(options.data, "validation")
    model = Judge().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3, weight_decay=1e-3)
    weights = torch.tensor([1.0, 2.0, 6.0])
    started, step, reported = time.time(), 0, time.time()
    while (share := (time.time() - started) / (60 * options.minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * min(1, (step + 1) / 40) * (0.02 + 0.49 * (1 + math.cos(math.pi * share)))
        pictures, classes, conditions = batch(random, train, 8)
        # A generated picture is a little off in brightness and sharpness; the judge should not mind.
        pictures = (pictures * (0.94 + 0.12 * torch.rand(8, 1, 1, 1)) + 0.02 * torch.randn(8, 3, 1, 1)).clamp(0, 1)
        with torch.cpu.amp.autocast(dtype=torch.bfloat16):
            scores, condition = model(pictures.to(memory_format=torch.channels_last))
        loss = F.cross_entropy(scores.float(), classes, weights)
        loss = loss + 0.3 * F.cross_entropy(condition[:, :3].float(), conditions[:, 0])
        loss = loss + 0.3 * F.cross_entropy(condition[:, 3:].float(), conditions[:, 1])
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        if time.time() - reported > 45:
            print(f"step {step} loss {loss.item():.3f} {validate(model, held_out)}", flush=True)
            reported = time.time()
    print(f"done: {step} steps, {validate(model, held_out)}", flush=True)
    export(model, (torch.rand(1, 3, HEIGHT, WIDTH),), ["frame"], ["classes", "condition"], options.out)


if __name__ == "__main__":
    main()
