"""Stage 3: trains the dynamics, the map encoder and the prompt encoder together. Resumes from weights alone."""

import argparse
import concurrent.futures
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

CACHE_LEVEL = 0.1


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
    """Noise levels: half at 1, where a frame begins, the rest anywhere."""
    return torch.where(torch.rand(shape) < 0.5, torch.ones(shape), 0.05 + 0.95 * torch.rand(shape))


def noised(clean, level):
    level = level[..., None, None, None]
    return (1 - level) * clean + level * torch.randn_like(clean)


def preceding(latents, first):
    """The latent before each of `[b, t, …]`; `first [b, …]` comes before the first."""
    return torch.cat([first[:, None], latents[:, :-1]], 1)


def reduced():
    """Computing in bf16. What is differentiated needs a context of its own: weights converted under `no_grad` would be kept in it."""
    return torch.cpu.amp.autocast(dtype=torch.bfloat16)


def conditions(model, maps, motion, numbers):
    """Map tokens, map grid and condition of clips, `[b, t, …]`."""
    b, t = maps.shape[:2]
    map_tokens, map_grid = model.map(maps.flatten(0, 1).permute(0, 3, 1, 2))
    vector = model.condition(motion, model.prompt(numbers.flatten(0, 1)).unflatten(0, (b, t)))
    return map_tokens.unflatten(0, (b, t)), map_grid.unflatten(0, (b, t)), vector


def taught_loss(model, clean, maps, motion, numbers, other, mix):
    """Mean squared error of the clean latents, given the true past.

    With `mix`, the past of so large a share of the clips goes over into the same drive under its other look, so that the prompt, and not
    the past, decides how things look.
    """
    b, t = clean.shape[:2]
    past = clean + torch.rand(b, 1, 1, 1, 1) * (torch.rand(b, 1, 1, 1, 1) < mix) * (other - clean)
    past = past + 0.3 * torch.rand(b, 1, 1, 1, 1) ** 2 * torch.randn_like(past)
    context_levels, levels = 0.3 * torch.rand(b, 1).expand(b, t), draw_levels((b, t))
    before = preceding(past, torch.zeros_like(past[:, 0]))
    with reduced():
        given = conditions(model, maps, motion, numbers)
        made = model.train_clean(noised(clean, levels), levels, before, noised(past, context_levels), context_levels, *given)
    return ((made.float() - clean) ** 2).mean()


class Rollouts:
    """Clips that the model goes through on its own, a window at a time, and is corrected on: what it sees is what it will see."""

    def __init__(self, clips, random, count, window):
        self.clips, self.random, self.window = clips, random, window
        self.places = [self.begin() for _ in range(count)]

    def begin(self):
        """A clip at its first frame: half of them are given it, half begin from the prompt alone."""
        parts = self.clips.window(self.random, self.random.integers(len(self.clips.drives)), self.random.integers(2), 0, FRAMES)
        empty = torch.zeros(LAYERS, WINDOW, TOKENS, WIDTH)
        return {"parts": parts, "at": 0, "given": self.random.random() < 0.5, "latent": torch.zeros(CHANNELS, 14, 24),
                "keys": empty, "values": empty, "length": torch.zeros(())}

    def loss(self, model, count):
        """Rolls `count` clips on by a window, and gives the error of guesses on the past that came about."""
        chosen = [self.places[number] for number in self.random.choice(len(self.places), count, replace=False)]
        slices = [[part[place["at"] : place["at"] + self.window] for part in place["parts"]] for place in chosen]
        clean, maps, motion, numbers, _ = (torch.stack(parts) for parts in zip(*slices))
        keys, values = (torch.stack([place[name] for place in chosen], 1) for name in ("keys", "values"))
        length, first = (torch.stack([place[name] for place in chosen]) for name in ("length", "latent"))
        history, made, written = (keys, values, length), [], []
        with torch.no_grad(), reduced():
            map_tokens, map_grid, vector = conditions(model, maps, motion, numbers)
            level, latent = torch.full((count,), CACHE_LEVEL), first
            for frame in range(self.window):
                given = (map_tokens[:, frame], vector[:, frame], keys.flatten(1, 2), values.flatten(1, 2), length)
                ones = torch.ones(count)
                noise = torch.randn(count, CHANNELS, 14, 24)
                fresh = noise - model.velocity(noise, ones, latent, given[0], map_grid[:, frame], *given[1:]).float()
                is_given = torch.tensor([place["given"] and place["at"] + frame == 0 for place in chosen])[:, None, None, None]
                fresh = torch.where(is_given, clean[:, frame], fresh)
                written.append(noised(fresh, level))
                new_keys, new_values = model.cache(written[-1], level, latent, *given)
                keys = torch.cat([keys[:, :, 1:], new_keys.float()[:, :, None]], 2)
                values = torch.cat([values[:, :, 1:], new_values.float()[:, :, None]], 2)
                length = torch.clamp(length + 1, max=WINDOW)
                latent = fresh
                made.append(fresh)
        for number, place in enumerate(chosen):
            place.update(at=place["at"] + self.window, latent=latent[number], length=length[number])
            place.update(keys=keys[:, number].clone(), values=values[:, number].clone())
            if place["at"] + self.window > FRAMES:
                place.update(self.begin())
        levels = draw_levels((count, self.window))
        before = preceding(torch.stack(made, 1), first)
        context_levels = torch.full((count, self.window), CACHE_LEVEL)
        with reduced():
            given = conditions(model, maps, motion, numbers)
            guess = model.train_clean(
                noised(clean, levels), levels, before, torch.stack(written, 1), context_levels, *given, history
            )
        return ((guess.float() - clean) ** 2).mean()


@torch.no_grad()
def rollout(model, maps, motion, numbers, first=None, schedule=(1.0, 0.0), seed=0):
    """Generates latents for maps `[t, 96, 56, 96]` in a closed loop, as inference does."""
    torch.manual_seed(seed)
    keys = values = torch.zeros(LAYERS, WINDOW, TOKENS, WIDTH)
    length, made, before = torch.zeros(1), [], torch.zeros(1, CHANNELS, 14, 24)
    for frame in range(len(maps)):
        map_tokens, map_grid = model.map(maps[frame : frame + 1])
        vector = model.condition(motion[frame : frame + 1], model.prompt(numbers[frame : frame + 1]))
        if frame == 0 and first is not None:
            x = first[None]
        else:
            x = torch.randn(1, CHANNELS, 14, 24)
            for level, following in zip(schedule, schedule[1:]):
                speed = model.velocity(x, torch.full((1,), level), before, map_tokens, map_grid, vector, keys, values, length)
                x = x + (following - level) * speed
        made.append(x[0])
        level = torch.full((1,), CACHE_LEVEL)
        new_keys, new_values = model.cache(noised(x, level), level, before, map_tokens, vector, keys, values, length)
        keys, values = torch.cat([keys[:, 1:], new_keys], 1), torch.cat([values[:, 1:], new_values], 1)
        length, before = torch.clamp(length + 1, max=WINDOW), x
    return torch.stack(made)


@torch.no_grad()
def validate(model, decoder, clips, count=4):
    """PSNR of closed loops: frames 1, 8 and 31 after a real frame, then frames 0 and 31 from the prompt alone."""
    random = np.random.default_rng(9)
    scores = {(given, frame): [] for given, frame in ((True, 1), (True, 8), (True, 31), (False, 0), (False, 31))}
    for number in range(min(count, len(clips.drives))):
        latents, maps, motion, numbers, _ = clips.window(random, number, number % 2, 0, FRAMES)
        maps = maps.float().permute(0, 3, 1, 2)
        made = {given: rollout(model, maps, motion, numbers, latents[0] if given else None) for given in (True, False)}
        for (given, frame), results in scores.items():
            picture = shuffled(decoder.decode(made[given][frame : frame + 1], maps[frame : frame + 1])).clamp(0, 1)
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
    options.add_argument("--clips", type=int, default=5)
    options.add_argument("--frames", type=int, default=8)
    options.add_argument("--rate", type=float, default=1e-3)
    options.add_argument("--warm-up", type=int, default=50, help="steps until the rate is full")
    options.add_argument("--own-from", type=float, default=0.12, help="share of the time after which every third step is on its own past")
    options.add_argument("--mix", type=float, default=0.3, help="share of the clips whose past is mixed with their other look")
    options.add_argument("--lone", type=int, default=64, help="frames of a step without a past")
    options.add_argument("--condition-rate", type=float, default=2, help="factor of the rate for what prompt and motion go through")
    options.add_argument("--seed", type=int, default=2)
    options = options.parse_args()
    torch.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    train, held_out = Clips(options.data, "train"), Clips(options.data, "validation")
    autoencoder = Autoencoder()
    autoencoder.load_state_dict(torch.load(options.autoencoder))
    model = Dynamics()
    if options.resume:
        known = model.state_dict()
        weights = {name: weight for name, weight in torch.load(options.resume).items() if name in known and weight.shape == known[name].shape}
        model.load_state_dict(weights, strict=False)
        print(f"resumed {len(weights)} of {len(known)} tensors", flush=True)
    smooth = copy.deepcopy(model)
    of_condition = ("prompt.", "from_prompt.", "motion.")
    condition = [p for name, p in model.named_parameters() if name.startswith(of_condition) or "modulation" in name]
    known = {id(p) for p in condition}
    groups = [{"params": [p for p in model.parameters() if id(p) not in known], "factor": 1}, {"params": condition, "factor": options.condition_rate}]
    optimiser = torch.optim.AdamW(groups, options.rate, betas=(0.9, 0.97), weight_decay=0.01)
    rollouts = Rollouts(train, np.random.default_rng([options.seed, 1]), 3 * options.clips, options.frames)
    reader = concurrent.futures.ThreadPoolExecutor(1)
    shapes = {"lone": (options.lone, 1), "taught": (options.clips, options.frames)}
    batches = {kind: reader.submit(train.batch, random, *shape) for kind, shape in shapes.items()}
    started, step, reported, saved, running = time.time(), 0, time.time(), time.time(), {}
    print(f"{len(train.drives)} drives, {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters", flush=True)
    while True:
        share = (time.time() - started) / (60 * options.minutes)
        if share >= 1:
            break
        rate = options.rate * min(1, (step + 1) / options.warm_up) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * share)))
        for group in optimiser.param_groups:
            group["lr"] = rate * group["factor"]
        kind = ["lone", "taught", "own" if share > options.own_from else "lone"][step % 3]
        if kind == "own":
            loss = rollouts.loss(model, options.clips)
        else:
            batch = batches[kind].result()
            batches[kind] = reader.submit(train.batch, random, *shapes[kind])
            loss = taught_loss(model, *batch, options.mix if kind == "taught" else 0)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        keep = min(0.998, step / (step + 20))
        with torch.no_grad():
            for kept, fresh in zip(smooth.parameters(), model.parameters()):
                kept.lerp_(fresh, 1 - keep)
        running.setdefault(kind, []).append(loss.item())
        if time.time() - reported > 60:
            losses = " ".join(f"{name} {sum(values) / len(values):.4f}" for name, values in sorted(running.items()))
            print(f"{(time.time() - started) / 60:.1f} min step {step} rate {rate:.1e} loss {losses}", flush=True)
            running, reported = {}, time.time()
        if time.time() - saved > 480:
            torch.save(smooth.state_dict(), options.out)
            print(f"  closed loop at 1, 8, 31; from a prompt at 0, 31: {validate(smooth, autoencoder, held_out)} dB", flush=True)
            saved = time.time()
    torch.save(smooth.state_dict(), options.out)
    print(f"done: {step} steps; closed loop at 1, 8, 31; from a prompt at 0, 31: {validate(smooth, autoencoder, held_out, 12)} dB", flush=True)


if __name__ == "__main__":
    main()
