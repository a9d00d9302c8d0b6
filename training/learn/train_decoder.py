"""Stage 4: trains the decoder on what the dynamics makes, so that it mends with the map what the dynamics leaves vague. The encoder stays."""

import argparse
import copy
import math
import time

import numpy as np
import torch
import torch.nn.functional as F

from autoencoder import Autoencoder
from data import FRAMES, shuffled, unshuffled
from dynamics import Dynamics
from train_autoencoder import losses
from train_dynamics import Clips, reduced, rollout


class Shown:
    """Frames with latents to decode: true ones, and those of closed loops, which are what the world will show."""

    def __init__(self, clips, dynamics, random, count):
        """Lets the dynamics go through `count` clips; three of four are given their first frame, the others begin from the prompt."""
        self.clips, self.loops = clips, []
        started = time.time()
        for index in range(count):
            number = random.integers(len(clips.drives)) if count > len(clips.drives) else index * len(clips.drives) // count
            look = random.integers(len(clips.drives[number].pictures))
            latents, maps, motion, numbers, _ = clips.window(random, number, look, 0, FRAMES)
            with torch.no_grad(), reduced():
                maps = maps.float().permute(0, 3, 1, 2)
                made = rollout(dynamics, maps, motion, numbers, latents[0] if index % 4 else None, seed=index)
            self.loops.append((number, look, made.float()))
        print(f"{count} closed loops in {time.time() - started:.0f} s", flush=True)

    def frames(self, random, count, looped):
        """Random frames: pictures and maps as in `Drives.frames`, and latents, of which the first `looped` are of closed loops."""
        pictures, maps, latents = [], [], []
        for index in range(count):
            if index < looped:
                number, look, made = self.loops[random.integers(len(self.loops))]
            else:
                number = random.integers(len(self.clips.drives))
                look = random.integers(len(self.clips.drives[number].pictures))
                made = self.clips.latents[number][look]
            at, drive = random.integers(FRAMES), self.clips.drives[number]
            latents.append(torch.from_numpy(np.array(made[at], np.float32)))
            maps.append(torch.from_numpy(np.array(drive.map[at])))
            pictures.append(torch.from_numpy(np.array(drive.pictures[look][at])).permute(2, 0, 1))
        return unshuffled(torch.stack(pictures)), unshuffled(torch.stack(maps)), torch.stack(latents)


def weighted(made, real):
    """`losses`, with pixels counted up to five times where they stand out from what surrounds them: lamps, windows, lines, edges."""
    picture = shuffled(real)
    around = F.interpolate(F.avg_pool2d(picture, 8), scale_factor=8.0, mode="bilinear", align_corners=False)
    away = (picture - around).abs().amax(1, keepdim=True)
    extra = 4 * (away / 0.3).clamp(max=1)
    return losses(made, real) + (extra * (shuffled(made) - picture).abs()).mean()


@torch.no_grad()
def validate(model, shown, count=48):
    """PSNR of decoded true latents and of decoded closed loops."""
    scores = []
    for looped in (0, 8):
        random, results = np.random.default_rng(5), []
        for _ in range(count // 8):
            pictures, maps, latents = shown.frames(random, 8, looped)
            with reduced():
                made = model.decode(latents, maps)
            error = ((made.float().clamp(0, 1) - pictures) ** 2).mean((1, 2, 3))
            results += (-10 * torch.log10(error)).tolist()
        scores.append(f"{sum(results) / len(results):.2f}")
    return " ".join(scores)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--data", default="training/data")
    options.add_argument("--autoencoder", default="training/out/autoencoder.pt")
    options.add_argument("--dynamics", default="training/out/dynamics.pt")
    options.add_argument("--out", default="training/out/autoencoder.pt")
    options.add_argument("--minutes", type=float, default=15)
    options.add_argument("--loops", type=int, default=300, help="closed loops of 32 frames to train on")
    options.add_argument("--batch", type=int, default=12)
    options.add_argument("--rate", type=float, default=1e-3)
    options.add_argument("--seed", type=int, default=3)
    options = options.parse_args()
    torch.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    model, dynamics = Autoencoder(), Dynamics()
    model.load_state_dict(torch.load(options.autoencoder))
    dynamics.load_state_dict(torch.load(options.dynamics))
    train = Shown(Clips(options.data, "train"), dynamics.eval(), random, options.loops)
    held_out = Shown(Clips(options.data, "validation"), dynamics, random, 16)
    model = model.to(memory_format=torch.channels_last)
    smooth = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(model.decoder.parameters(), options.rate, betas=(0.9, 0.98), weight_decay=1e-3)
    print(f"before: validation of true latents and closed loops {validate(smooth, held_out)} dB", flush=True)
    started, step, reported, running = time.time(), 0, time.time(), []
    while True:
        share = (time.time() - started) / (60 * options.minutes)
        if share >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 40) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * share)))
        pictures, maps, latents = train.frames(random, options.batch, 2 * options.batch // 3)
        with reduced():
            made = model.decode(latents, maps)
        loss = weighted(made.float(), pictures)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.decoder.parameters(), 1.0)
        optimiser.step()
        step += 1
        keep = min(0.995, step / (step + 20))
        with torch.no_grad():
            for kept, fresh in zip(smooth.decoder.parameters(), model.decoder.parameters()):
                kept.lerp_(fresh, 1 - keep)
        running.append(loss.item())
        if time.time() - reported > 120:
            print(f"{(time.time() - started) / 60:.1f} min step {step} loss {sum(running) / len(running):.4f} "
                  f"validation {validate(smooth, held_out)} dB", flush=True)
            torch.save(smooth.state_dict(), options.out)
            running, reported = [], time.time()
    torch.save(smooth.state_dict(), options.out)
    print(f"done: {step} steps; validation of true latents and closed loops {validate(smooth, held_out, 96)} dB", flush=True)


if __name__ == "__main__":
    main()
