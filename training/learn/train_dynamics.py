"""Stage 3: trains the dynamics, the map encoder and the prompt encoder together. Resumes from weights alone."""

import argparse
import copy
import math
import pathlib
import time

import numpy as np
import torch

from autoencoder import Autoencoder
from data import FRAMES, Drives, shuffled, unshuffled
from dynamics import CHANNELS, LAYERS, TOKENS, WIDTH, WINDOW, Dynamics
from prompts import describe, tokens

CACHE_LEVEL = 0.35


class Clips:
    """Drives with their latents."""

    def __init__(self, folder, split):
        drives = Drives(folder, split).drives
        self.drives = [drive for drive in drives if (pathlib.Path(folder) / f"{drive.name}.latents.npy").exists()]
        self.latents = [np.load(pathlib.Path(folder) / f"{drive.name}.latents.npy", mmap_mode="r") for drive in self.drives]

    def batch(self, random, clips, frames):
        """Random windows: latents, unshuffled maps (channels last), motion, prompt tokens, and latents of the other look, with leading `[clips, frames]`."""
        picked = []
        for _ in range(clips):
            number = random.integers(len(self.drives))
            look = random.integers(self.latents[number].shape[0])
            start = random.integers(FRAMES - frames + 1)
            picked.append(self.window(random, number, look, start, frames))
        return [torch.stack(parts) for parts in zip(*picked)]

    def window(self, random, number, look, start, frames):
        drive = self.drives[number]
        part = slice(start, start + frames)
        plan = drive.record["clips"][look]
        texts = [describe(random, **plan["first"]), describe(random, **plan["second"])]
        numbers = [tokens("" if random.random() < 0.04 else text)[0] for text in texts]
        chosen = [numbers[1] if start + offset >= plan["changeFrame"] else numbers[0] for offset in range(frames)]
        other = self.latents[number][(look + 1) % self.latents[number].shape[0], part]
        return (
            torch.from_numpy(np.array(self.latents[number][look, part], np.float32)),
            unshuffled(torch.from_numpy(np.array(drive.map[part])), torch.bfloat16).permute(0, 2, 3, 1),
            torch.from_numpy(drive.motion[part]),
            torch.tensor(chosen),
            torch.from_numpy(np.array(other, np.float32)),
        )


def draw_levels(shape):
    """Noise levels: a quarter at 1 and a quarter about 0.6, where inference works, the rest anywhere."""
    kind = torch.rand(shape)
    anywhere = 0.03 + 0.97 * torch.rand(shape)
    return torch.where(kind < 0.25, torch.ones(shape), torch.where(kind < 0.5, 0.55 + 0.1 * torch.rand(shape), anywhere))


def noised(clean, level, noise):
    level = level[..., None, None, None]
    return (1 - level) * clean + level * noise


def train_loss(model, clean, maps, motion, numbers, other, feed_back, mix):
    """Mean squared error of the velocity over a batch.

    With `feed_back`, the past that the model sees is in part its own one-step guess instead of the truth, as in a long rollout.
    With `mix`, the past of so large a share of the clips goes over into the same drive under its other look, so that the prompt, and not
    the past, decides how things look.
    """
    b, t = clean.shape[:2]
    with torch.cpu.amp.autocast(dtype=torch.bfloat16):
        map_tokens = model.map(maps.flatten(0, 1).permute(0, 3, 1, 2)).unflatten(0, (b, t))
        # Words repeat along a clip; at most two prompts are encoded per clip.
        condition = model.condition(motion, model.prompt(numbers.flatten(0, 1)).unflatten(0, (b, t)))
        past = clean
        if feed_back:
            with torch.no_grad():
                level = 0.6 + 0.4 * torch.rand(b, t)
                noise = torch.randn_like(clean)
                context_level = 0.3 * torch.rand(b, 1).expand(b, t)
                start = noised(clean, level, noise)
                context = noised(clean, context_level, torch.randn_like(clean))
                guess = model.train_velocity(start, level, context, context_level, map_tokens, condition)
                guess = start - level[..., None, None, None] * guess.float()
                share = torch.rand(b, 1, 1, 1, 1) * (torch.rand(b, 1, 1, 1, 1) < 0.8)
                past = clean + share * (guess - clean)
        if mix:
            past = past + torch.rand(b, 1, 1, 1, 1) * (torch.rand(b, 1, 1, 1, 1) < mix) * (other - past)
        context_level = 0.4 * torch.rand(b, 1).expand(b, t)
        context = noised(past, context_level, torch.randn_like(clean))
        level = draw_levels((b, t))
        noise = torch.randn_like(clean)
        made = model.train_velocity(noised(clean, level, noise), level, context, context_level, map_tokens, condition)
    return ((made.float() - (noise - clean)) ** 2).mean()


@torch.no_grad()
def rollout(model, maps, motion, numbers, first=None, schedule=(1.0, 0.6, 0.0), seed=0):
    """Generates latents for maps `[t, 96, 56, 96]` in a closed loop, as inference does."""
    torch.manual_seed(seed)
    keys = values = torch.zeros(LAYERS, WINDOW, TOKENS, WIDTH)
    length, made = torch.zeros(1), []
    for frame in range(len(maps)):
        map_tokens = model.map(maps[frame : frame + 1])
        vector = model.condition(motion[frame : frame + 1], model.prompt(numbers[frame : frame + 1]))
        if frame == 0 and first is not None:
            x = first[None]
        else:
            x = torch.randn(1, CHANNELS, 14, 24)
            for level, following in zip(schedule, schedule[1:]):
                speed = model.velocity(x, torch.full((1,), level), map_tokens, vector, keys, values, length)
                x = x + (following - level) * speed
        made.append(x[0])
        written = (1 - CACHE_LEVEL) * x + CACHE_LEVEL * torch.randn_like(x)
        new_keys, new_values = model.cache(written, torch.full((1,), CACHE_LEVEL), map_tokens, vector, keys, values, length)
        keys, values = torch.cat([keys[:, 1:], new_keys], 1), torch.cat([values[:, 1:], new_values], 1)
        length = torch.clamp(length + 1, max=WINDOW)
    return torch.stack(made)


@torch.no_grad()
def validate(model, decoder, clips, count=4):
    """PSNR of closed-loop rollouts from one real frame, at frames 1, 8 and 31."""
    random = np.random.default_rng(9)
    scores = {1: [], 8: [], 31: []}
    for number in range(min(count, len(clips.drives))):
        latents, maps, motion, numbers, _ = clips.window(random, number, number % 2, 0, FRAMES)
        maps = maps.float().permute(0, 3, 1, 2)
        made = rollout(model, maps, motion, numbers, latents[0])
        for frame, results in scores.items():
            picture = shuffled(decoder.decode(made[frame : frame + 1], maps[frame : frame + 1])).clamp(0, 1)
            real = torch.from_numpy(np.array(clips.drives[number].pictures[number % 2][frame])).permute(2, 0, 1) / 255
            results.append(-10 * math.log10(((picture[0] - real) ** 2).mean().item()))
    return " ".join(f"{sum(results) / len(results):.2f}" for results in scores.values())


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--data", default="training/data")
    options.add_argument("--autoencoder", default="training/out/autoencoder.pt")
    options.add_argument("--out", default="training/out/dynamics.pt")
    options.add_argument("--resume")
    options.add_argument("--minutes", type=float, default=45)
    options.add_argument("--clips", type=int, default=4)
    options.add_argument("--frames", type=int, default=10)
    options.add_argument("--rate", type=float, default=1e-3)
    options.add_argument("--warm-up", type=int, default=100, help="steps until the rate is full")
    options.add_argument("--feed-back-from", type=float, default=0.6, help="share of the time after which the past is fed back")
    options.add_argument("--mix", type=float, default=0, help="share of the clips whose past is mixed with their other look")
    options.add_argument("--lone", type=int, default=0, help="clips of one frame, without a past, in every second step")
    options.add_argument("--condition-rate", type=float, default=1, help="factor of the rate for what prompt and motion go through")
    options.add_argument("--seed", type=int, default=2)
    options = options.parse_args()
    torch.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    train, held_out = Clips(options.data, "train"), Clips(options.data, "validation")
    autoencoder = Autoencoder()
    autoencoder.load_state_dict(torch.load(options.autoencoder))
    model = Dynamics()
    if options.resume:
        model.load_state_dict(torch.load(options.resume))
    smooth = copy.deepcopy(model)
    of_condition = ("prompt.", "from_prompt.", "motion.")
    condition = [p for name, p in model.named_parameters() if name.startswith(of_condition) or "modulation" in name]
    known = {id(p) for p in condition}
    groups = [{"params": [p for p in model.parameters() if id(p) not in known], "factor": 1}, {"params": condition, "factor": options.condition_rate}]
    optimiser = torch.optim.AdamW(groups, options.rate, betas=(0.9, 0.97), weight_decay=0.01)
    started, step, reported, saved, running = time.time(), 0, time.time(), time.time(), []
    print(f"{len(train.drives)} drives, {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters", flush=True)
    while True:
        share = (time.time() - started) / (60 * options.minutes)
        if share >= 1:
            break
        rate = options.rate * min(1, (step + 1) / options.warm_up) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * share)))
        for group in optimiser.param_groups:
            group["lr"] = rate * group["factor"]
        feed_back = share > options.feed_back_from and step % 2 == 0
        is_lone = options.lone > 0 and step % 2 == 1
        clips, frames = (options.lone, 1) if is_lone else (options.clips, options.frames)
        loss = train_loss(model, *train.batch(random, clips, frames), feed_back and not is_lone, 0 if is_lone else options.mix)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        keep = min(0.998, step / (step + 20))
        with torch.no_grad():
            for kept, fresh in zip(smooth.parameters(), model.parameters()):
                kept.lerp_(fresh, 1 - keep)
        running.append(loss.item())
        if time.time() - reported > 60:
            print(f"{(time.time() - started) / 60:.1f} min step {step} rate {rate:.1e} loss {sum(running) / len(running):.4f}", flush=True)
            running, reported = [], time.time()
        if time.time() - saved > 300:
            torch.save(smooth.state_dict(), options.out)
            print(f"  closed loop at 1, 8, 31: {validate(smooth, autoencoder, held_out)} dB", flush=True)
            saved = time.time()
    torch.save(smooth.state_dict(), options.out)
    print(f"done: {step} steps; closed loop at 1, 8, 31: {validate(smooth, autoencoder, held_out, 12)} dB", flush=True)


if __name__ == "__main__":
    main()
