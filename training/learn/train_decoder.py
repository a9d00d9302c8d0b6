"""Stage 4: trains the decoder on what the dynamics makes, so that it mends with the map what the dynamics leaves vague. The encoder stays."""

import argparse
import copy
import math
import time

import numpy as np
import torch

from autoencoder import Autoencoder
from data import FRAMES, unshuffled
from dynamics import CHANNELS, Dynamics
from train_autoencoder import losses
from train_dynamics import Clips, conditions, reduced


def frames(clips, random, count):
    """Random frames: pictures and maps as in `Drives.frames`, their latents, motion and prompt numbers."""
    pictures, parts = [], []
    for _ in range(count):
        number, at = random.integers(len(clips.drives)), random.integers(FRAMES)
        look = random.integers(len(clips.drives[number].pictures))
        parts.append(clips.window(random, number, look, at, 1)[:4])
        pictures.append(np.array(clips.drives[number].pictures[look][at]))
    latents, maps, motion, numbers = (torch.stack(part) for part in zip(*parts))
    return unshuffled(torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2)), latents[:, 0], maps, motion, numbers


@torch.no_grad()
def guessed(dynamics, maps, motion, numbers):
    """Latents that the dynamics makes of single frames, without a past."""
    n = len(maps)
    noise, none, ones = torch.randn(n, 1, CHANNELS, 14, 24), torch.zeros(n, 1, CHANNELS, 14, 24), torch.ones(n, 1)
    with reduced():
        given = conditions(dynamics, maps, motion, numbers)
        return dynamics.train_clean(noise, ones, none, none, ones, *given)[:, 0].float()


def decoded(model, latents, maps):
    return model.decode(latents, maps[:, 0].permute(0, 3, 1, 2))


@torch.no_grad()
def validate(model, dynamics, clips, count=48):
    """PSNR of decoded true latents and of decoded guesses."""
    random, scores = np.random.default_rng(5), ([], [])
    for _ in range(count // 8):
        pictures, latents, maps, motion, numbers = frames(clips, random, 8)
        for results, given in zip(scores, (latents, guessed(dynamics, maps, motion, numbers))):
            with reduced():
                made = decoded(model, given, maps)
            error = ((made.float().clamp(0, 1) - pictures) ** 2).mean((1, 2, 3))
            results += (-10 * torch.log10(error)).tolist()
    return " ".join(f"{sum(results) / len(results):.2f}" for results in scores)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--data", default="training/data")
    options.add_argument("--autoencoder", default="training/out/autoencoder.pt")
    options.add_argument("--dynamics", default="training/out/dynamics.pt")
    options.add_argument("--out", default="training/out/autoencoder.pt")
    options.add_argument("--minutes", type=float, default=15)
    options.add_argument("--batch", type=int, default=12)
    options.add_argument("--rate", type=float, default=1e-3)
    options.add_argument("--seed", type=int, default=3)
    options = options.parse_args()
    torch.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    train, held_out = Clips(options.data, "train"), Clips(options.data, "validation")
    model, dynamics = Autoencoder(), Dynamics()
    model.load_state_dict(torch.load(options.autoencoder))
    dynamics.load_state_dict(torch.load(options.dynamics))
    model = model.to(memory_format=torch.channels_last)
    smooth = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(model.decoder.parameters(), options.rate, betas=(0.9, 0.98), weight_decay=1e-3)
    print(f"before: validation of true and guessed latents {validate(smooth, dynamics, held_out)} dB", flush=True)
    started, step, reported, running = time.time(), 0, time.time(), []
    while True:
        share = (time.time() - started) / (60 * options.minutes)
        if share >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 40) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * share)))
        pictures, latents, maps, motion, numbers = frames(train, random, options.batch)
        half = options.batch // 2
        latents[:half] = guessed(dynamics, maps[:half], motion[:half], numbers[:half])
        with reduced():
            made = decoded(model, latents, maps)
        loss = losses(made.float(), pictures)
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
                  f"validation {validate(smooth, dynamics, held_out)} dB", flush=True)
            torch.save(smooth.state_dict(), options.out)
            running, reported = [], time.time()
    torch.save(smooth.state_dict(), options.out)
    print(f"done: {step} steps; validation of true and guessed latents {validate(smooth, dynamics, held_out, 96)} dB", flush=True)


if __name__ == "__main__":
    main()
