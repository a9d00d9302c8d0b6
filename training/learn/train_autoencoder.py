"""Stage 1: trains the autoencoder for a given time. Resumes from a checkpoint of weights alone."""

import argparse
import copy
import math
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F

from autoencoder import Autoencoder
from data import Drives, shuffled


def losses(made, real):
    """L1 of pixels, of their differences and of 4x4 means."""
    pixel = (made - real).abs().mean()
    coarse = (made.unflatten(1, (3, 16)).mean(2) - real.unflatten(1, (3, 16)).mean(2)).abs().mean()
    error = shuffled(made - real)
    slopes = (error[:, :, 1:] - error[:, :, :-1]).abs().mean() + (error[..., 1:] - error[..., :-1]).abs().mean()
    return pixel + 0.4 * slopes + 0.5 * coarse


@torch.no_grad()
def validate(model, drives, count=48):
    random = np.random.default_rng(5)
    scores = []
    for _ in range(count // 8):
        pictures, maps = drives.frames(random, 8)
        with torch.cpu.amp.autocast(dtype=torch.bfloat16):
            made = model.decode(model.encode(pictures).float(), maps)
        error = ((made.float().clamp(0, 1) - pictures) ** 2).mean((1, 2, 3))
        scores += (-10 * torch.log10(error)).tolist()
    return sum(scores) / len(scores)


@torch.no_grad()
def measure_latents(model, drives):
    """Sets the scale of the latents from training frames."""
    random = np.random.default_rng(6)
    raw = []
    for _ in range(24):
        pictures, _ = drives.frames(random, 8)
        with torch.cpu.amp.autocast(dtype=torch.bfloat16):
            raw.append(model.encoder(pictures).float())
    raw = torch.cat(raw)
    model.latent_mean.copy_(raw.mean((0, 2, 3)))
    model.latent_std.copy_(raw.std((0, 2, 3)))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--data", default="training/data")
    options.add_argument("--out", default="training/out/autoencoder.pt")
    options.add_argument("--resume")
    options.add_argument("--minutes", type=float, default=28)
    options.add_argument("--batch", type=int, default=12)
    options.add_argument("--rate", type=float, default=2e-3)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--decoder-only", action="store_true", help="leaves the encoder and thus all latents as they are")
    options = options.parse_args()
    torch.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    train, held_out = Drives(options.data, "train"), Drives(options.data, "validation")
    model = Autoencoder()
    if options.resume:
        model.load_state_dict(torch.load(options.resume))
    model = model.to(memory_format=torch.channels_last)
    smooth = copy.deepcopy(model)
    trained = list((model.decoder if options.decoder_only else model).parameters())
    optimiser = torch.optim.AdamW(trained, options.rate, betas=(0.9, 0.98), weight_decay=1e-3)
    started, step, reported, running = time.time(), 0, time.time(), []
    while True:
        share = (time.time() - started) / (60 * options.minutes)
        if share >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 60) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * share)))
        pictures, maps = train.frames(random, options.batch)
        with torch.cpu.amp.autocast(dtype=torch.bfloat16):
            with torch.set_grad_enabled(not options.decoder_only):
                latent = model.encoder(pictures).float()
            noise = torch.rand(len(latent), 1, 1, 1) * 0.12
            made = model.decoder(latent + noise * torch.randn_like(latent), maps)
        loss = losses(made.float(), pictures) + 1e-3 * (latent**2).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        step += 1
        keep = min(0.995, step / (step + 20))
        with torch.no_grad():
            for kept, fresh in zip(smooth.parameters(), model.parameters()):
                kept.lerp_(fresh, 1 - keep)
        running.append(loss.item())
        if time.time() - reported > 60:
            score = validate(smooth, held_out)
            print(f"{(time.time() - started) / 60:.1f} min step {step} drives {len(train.drives)} "
                  f"loss {sum(running) / len(running):.4f} validation {score:.2f} dB", flush=True)
            pathlib.Path(options.out).parent.mkdir(parents=True, exist_ok=True)
            torch.save(smooth.state_dict(), options.out)
            running, reported = [], time.time()
            train.refresh()
    if not options.decoder_only:
        measure_latents(smooth, train)
    torch.save(smooth.state_dict(), options.out)
    print(f"done: {step} steps, {len(train.drives)} drives, validation {validate(smooth, held_out, 96):.2f} dB, "
          f"latent std {smooth.latent_std.mean():.3f}", flush=True)


if __name__ == "__main__":
    main()
