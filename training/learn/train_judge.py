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

OTHER, LINE, CAR, ROAD = range(4)


class Judge(nn.Module):
    """Picture `[n, 3, 224, 384]` in 0..1 to class scores per pixel (other, line, car) and scores of time and weather."""

    def __init__(self):
        super().__init__()
        widths = [24, 48, 80, 96]
        self.enter = nn.Conv2d(12, 24, 3, padding=1)
        self.sinks = nn.ModuleList(Residual(width) for width in widths)
        self.downs = nn.ModuleList(nn.Conv2d(a, b, 3, stride=2, padding=1) for a, b in zip(widths, widths[1:]))
        self.ups = nn.ModuleList(nn.Conv2d(b, a, 1) for a, b in zip(widths, widths[1:]))
        self.rises = nn.ModuleList(Residual(width) for width in widths[:-1])
        self.leave = nn.Conv2d(24, 12, 1)
        self.condition = nn.Sequential(nn.Linear(2 * 80, 64), nn.ReLU(), nn.Linear(64, 7))

    def forward(self, frame):
        x = self.sinks[0](activate(self.enter(F.pixel_unshuffle(frame, 2) - 0.5)))
        levels = [x]
        for down, sink in zip(self.downs, self.sinks[1:]):
            x = sink(activate(down(activate(x))))
            levels.append(x)
        for level in (2, 1, 0):
            wider = F.interpolate(self.ups[level](activate(x)), scale_factor=2.0, mode="nearest")
            x = self.rises[level](levels[level] + wider)
        far = activate(levels[2])
        top, bottom = far[:, :, :12].mean((2, 3)), far[:, :, 12:].mean((2, 3))
        return F.pixel_shuffle(self.leave(activate(x)), 2), self.condition(torch.cat([top, bottom], 1))


def frames_with_cars(drives):
    """Drive and frame of every frame in which cars fill 300 pixels or more."""
    counts = [(drive.classes == CAR).sum((1, 2)) for drive in drives.drives]
    return [(drive, frame) for drive, count in zip(drives.drives, counts) for frame in np.flatnonzero(count >= 300)]


def batch(random, drives, count, cars=()):
    """Random frames; every second one is out of `cars`, if there are any, since few frames show one from nearby."""
    pictures, classes, conditions = [], [], []
    while len(pictures) < count:
        drive, frame = drives.drives[random.integers(len(drives.drives))], random.integers(FRAMES)
        if len(cars) > 0 and len(pictures) % 2 == 0:
            drive, frame = cars[random.integers(len(cars))]
        look = random.integers(len(drive.pictures))
        plan = drive.record["clips"][look]
        since = frame - plan["changeFrame"]
        if 0 <= since < 14 and plan["first"] != plan["second"]:
            continue
        condition = plan["first"] if since < 0 else plan["second"]
        pictures.append(torch.from_numpy(np.array(drive.pictures[look][frame])).permute(2, 0, 1))
        shown = np.array(drive.classes[frame], np.int64)
        classes.append(torch.from_numpy(np.where(shown == ROAD, OTHER, shown)))
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
        for number in (LINE, CAR):
            both[number] += ((made == number) & (classes == number)).sum()
            either[number] += ((made == number) | (classes == number)).sum()
        hits[0] += (condition[:, :3].argmax(1) == conditions[:, 0]).sum()
        hits[1] += (condition[:, 3:].argmax(1) == conditions[:, 1]).sum()
    share = hits / (8 * rounds)
    return f"time {share[0]:.3f} weather {share[1]:.3f} line IoU {both[LINE] / either[LINE]:.3f} car IoU {both[CAR] / either[CAR]:.3f}"


def overlap_loss(scores, classes):
    """1 - overlap / union, softly, of lines and of cars over the batch; what they are measured by."""
    shares, losses = scores.softmax(1), []
    for number in (LINE, CAR):
        made, wanted = shares[:, number], (classes == number).float()
        both = (made * wanted).sum()
        losses.append(1 - (both + 50) / (made.sum() + wanted.sum() - both + 50))
    return sum(losses) / 2


def softened(pictures, random):
    """A generated picture is a little off in brightness and sharpness; the judge should not mind."""
    count = len(pictures)
    blurred = F.avg_pool2d(F.pad(pictures, (1, 1, 1, 1), mode="replicate"), 3, stride=1)
    share = torch.from_numpy(random.uniform(0, 0.7, (count, 1, 1, 1)) * random.integers(0, 2, (count, 1, 1, 1))).float()
    pictures = pictures + share * (blurred - pictures)
    return (pictures * (0.94 + 0.12 * torch.rand(count, 1, 1, 1)) + 0.02 * torch.randn(count, 3, 1, 1)).clamp(0, 1)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--data", default="training/data")
    options.add_argument("--out", default="training/evaluate/judge.onnx")
    options.add_argument("--weights", default="training/out/judge.pt")
    options.add_argument("--minutes", type=float, default=40)
    options = options.parse_args()
    torch.manual_seed(7)
    random = np.random.default_rng(7)
    train, held_out = Drives(options.data, "train"), Drives(options.data, "validation")
    cars = frames_with_cars(train)
    model = Judge().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3, weight_decay=1e-3)
    started, step, reported = time.time(), 0, time.time()
    while (share := (time.time() - started) / (60 * options.minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * min(1, (step + 1) / 40) * (0.02 + 0.49 * (1 + math.cos(math.pi * share)))
        pictures, classes, conditions = batch(random, train, 8, cars)
        pictures = softened(pictures, random)
        with torch.cpu.amp.autocast(dtype=torch.bfloat16):
            scores, condition = model(pictures.to(memory_format=torch.channels_last))
        loss = F.cross_entropy(scores.float(), classes) + 0.3 * overlap_loss(scores.float(), classes)
        loss = loss + 0.3 * F.cross_entropy(condition[:, :3].float(), conditions[:, 0])
        loss = loss + 0.3 * F.cross_entropy(condition[:, 3:].float(), conditions[:, 1])
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        if time.time() - reported > 60:
            print(f"step {step} loss {loss.item():.3f} {validate(model, held_out)}", flush=True)
            torch.save(model.state_dict(), options.weights)
            reported = time.time()
    print(f"done: {step} steps, {validate(model, held_out)}", flush=True)
    export(model, (torch.rand(1, 3, HEIGHT, WIDTH),), ["frame"], ["classes", "condition"], options.out)


if __name__ == "__main__":
    main()
