"""The dynamics: turns noise into the next latent, given the map, the motion, the prompt and past frames.

A transformer over large patches decides how things look; a few convolutions at the latent's own resolution then make the latent from
what it says, the map and the latent before, of which they keep what still holds.
"""

import math

import torch
from torch import nn
import torch.nn.functional as F

from prompts import MAXIMUM_TOKENS, VOCABULARY

LAYERS, WINDOW, WIDTH, HEADS = 6, 4, 192, 6
ROWS, COLUMNS = 7, 12
TOKENS = ROWS * COLUMNS
CHANNELS, PATCH = 16, 2
PROMPT_WIDTH, PROMPT_HEADS, MOTION = 64, 4, 8
GRID, REFINE = 48, 96


class PromptEncoder(nn.Module):
    """Word numbers `[n, 16]` to `[n, 64]`: words are pooled by learned attention, together with one that is always there."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(len(VOCABULARY) + 1, PROMPT_WIDTH)
        nn.init.normal_(self.words.weight, std=0.5)
        self.weigh = nn.Linear(PROMPT_WIDTH, PROMPT_HEADS)
        self.mix = nn.Sequential(nn.Linear(PROMPT_WIDTH, 128), nn.SiLU(), nn.Linear(128, PROMPT_WIDTH))

    def forward(self, numbers):
        # Number 0 pads; the first of the pooled places is the word 0 itself, so that an empty prompt has a meaning.
        padded = F.pad(numbers, (1, 0))
        known = (padded > 0).float()
        known = torch.cat([torch.ones_like(known[:, :1]), known[:, 1:]], 1)
        words = self.words(padded)
        scores = self.weigh(words) - 1e4 * (1 - known)[..., None]
        weights = torch.softmax(scores, 1)
        pooled = (weights[..., None] * words.reshape(*words.shape[:2], PROMPT_HEADS, -1)).sum(1).flatten(1)
        return self.mix(pooled)


class MapEncoder(nn.Module):
    """Unshuffled map `[n, 96, 56, 96]` in 0..1 to tokens `[n, 84, 192]` and a grid `[n, 48, 14, 24]`, by merging 2x2 neighbours."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(96, 64)
        self.merge8 = nn.Linear(4 * 64, 96)
        self.merge16 = nn.Linear(4 * 96, 128)
        self.merge32 = nn.Linear(4 * 128, WIDTH)
        self.to_grid = nn.Linear(128, GRID)

    def forward(self, blocks):
        return self.from_features(F.relu(self.enter(blocks.permute(0, 2, 3, 1))))

    def from_features(self, x):
        """As `forward`, from the activated features of the first layer `[n, 56, 96, 64]`."""
        x = F.relu(self.merge8(neighbours(x)))
        x = F.relu(self.merge16(neighbours(x)))
        return self.merge32(neighbours(x)).flatten(1, 2), self.to_grid(x).permute(0, 3, 1, 2)


def neighbours(x):
    """`[n, h, w, c]` to `[n, h / 2, w / 2, 4 c]`."""
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h // 2, w // 2, 4 * c)


class Block(nn.Module):
    """Attention over this frame and the past ones, then a network per token, both modulated by the condition."""

    def __init__(self):
        super().__init__()
        self.modulation = nn.Linear(WIDTH, 6 * WIDTH)
        nn.init.normal_(self.modulation.weight, std=0.01)
        nn.init.zeros_(self.modulation.bias)
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.leave = nn.Linear(WIDTH, WIDTH)
        self.distance_key = nn.Parameter(0.02 * torch.randn(WINDOW, WIDTH))
        self.distance_value = nn.Parameter(torch.zeros(WINDOW, WIDTH))
        self.widen = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)

    def parts(self, vector):
        """Shift, scale and gate of both halves, each `[..., 1, 192]`."""
        parts = self.modulation(F.silu(vector)).unsqueeze(-2).chunk(6, -1)
        return parts[0], 1 + parts[1], 1 + parts[2], parts[3], 1 + parts[4], 1 + parts[5]

    def attend(self, query, key, value, mask):
        """`query [..., q, 192]` over `key, value [..., k, 192]`; `mask [..., 1, 1, k]`, if any, is added to the scores."""

        def heads(x):
            return x.reshape(*x.shape[:-1], HEADS, WIDTH // HEADS).transpose(-2, -3)

        scores = heads(query * (WIDTH // HEADS) ** -0.5) @ heads(key).transpose(-1, -2)
        if mask is not None:
            scores = scores + mask
        # In the precision of the scores: doing it in fp32 would be the slowest part of training on a CPU.
        with torch.autocast("cpu", enabled=False):
            weights = torch.softmax(scores, -1)
        return self.leave((weights @ heads(value)).transpose(-2, -3).flatten(-2))


def normalise(x):
    return F.layer_norm(x, (WIDTH,))


class Refine(nn.Module):
    """Convolutions at the latent's resolution: the clean latent, as a share of the one before and what is new."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Conv2d(2 * GRID + 2 * CHANNELS, REFINE, 3, padding=1)
        self.modulation = nn.Linear(WIDTH, 2 * REFINE)
        self.middle = nn.Conv2d(REFINE, REFINE, 3, padding=1)
        self.leave = nn.Conv2d(REFINE, 2 * CHANNELS, 3, padding=1)
        nn.init.normal_(self.modulation.weight, std=0.01)
        nn.init.zeros_(self.modulation.bias)
        nn.init.normal_(self.leave.weight, std=1e-2)
        nn.init.zeros_(self.leave.bias)

    def forward(self, grid, map_grid, noisy, before, vector):
        """`grid, map_grid [n, 48, 14, 24]`, `noisy, before [n, 16, 14, 24]`, `vector [n, 192]` to `[n, 16, 14, 24]`."""
        shift, scale = self.modulation(F.silu(vector))[..., None, None].chunk(2, 1)
        x = F.relu(self.enter(torch.cat([grid, map_grid, noisy, before], 1)) * (1 + scale) + shift)
        x = x + F.relu(self.middle(x))
        keep, new = self.leave(x).float().chunk(2, 1)
        return torch.sigmoid(keep) * before + new


class Dynamics(nn.Module):
    """All parts. `velocity` and `cache` are what inference runs; `train_clean` does the same for whole clips."""

    def __init__(self):
        super().__init__()
        self.prompt = PromptEncoder()
        self.map = MapEncoder()
        self.motion = nn.Sequential(nn.Linear(MOTION, 128), nn.SiLU(), nn.Linear(128, WIDTH))
        self.from_prompt = nn.Linear(PROMPT_WIDTH, WIDTH)
        self.level = nn.Sequential(nn.Linear(64, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH))
        self.enter = nn.Linear(CHANNELS * PATCH * PATCH, WIDTH)
        self.enter_before = nn.Linear(CHANNELS * PATCH * PATCH, WIDTH, bias=False)
        nn.init.normal_(self.enter_before.weight, std=0.02)
        self.place = nn.Parameter(0.02 * torch.randn(TOKENS, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.last_modulation = nn.Linear(WIDTH, 2 * WIDTH)
        self.last = nn.Linear(WIDTH, GRID * PATCH * PATCH)
        self.refine = Refine()

    def condition(self, motion, prompt_embedding):
        return self.motion(motion) + self.from_prompt(prompt_embedding)

    def embed_level(self, level):
        """Noise level `[...]` to `[..., 192]`."""
        rates = torch.exp(torch.arange(32, dtype=torch.float32, device=level.device) * (-math.log(1000.0) / 31)) * 60.0
        angles = level[..., None] * rates
        return self.level(torch.cat([angles.sin(), angles.cos()], -1))

    def to_tokens(self, latent):
        """`[n, 16, 14, 24]` to `[n, 84, 64]`."""
        n = latent.shape[0]
        x = latent.reshape(n, CHANNELS, ROWS, PATCH, COLUMNS, PATCH).permute(0, 2, 4, 1, 3, 5)
        return x.reshape(n, TOKENS, CHANNELS * PATCH * PATCH)

    def to_grid(self, tokens):
        """`[n, 84, 192]` to `[n, 48, 14, 24]`."""
        n = tokens.shape[0]
        x = tokens.reshape(n, ROWS, COLUMNS, GRID, PATCH, PATCH).permute(0, 3, 1, 4, 2, 5)
        return x.reshape(n, GRID, ROWS * PATCH, COLUMNS * PATCH)

    def velocity(self, noisy_latent, noise_level, latent_before, map_tokens, map_grid, condition_vector, cache_keys, cache_values, cache_length):
        """One denoising step of one frame; shapes as in the graph interface."""
        x, vector, _, _ = self.run(
            noisy_latent, noise_level, latent_before, map_tokens, condition_vector, cache_keys, cache_values, cache_length
        )
        clean = self.head(x, vector, noisy_latent, latent_before, map_grid)
        return (noisy_latent - clean) / noise_level[:, None, None, None]

    def cache(self, noisy_latent, noise_level, latent_before, map_tokens, condition_vector, cache_keys, cache_values, cache_length):
        """Keys and values of one frame, each `[6, 1, 84, 192]`."""
        _, _, keys, values = self.run(
            noisy_latent, noise_level, latent_before, map_tokens, condition_vector, cache_keys, cache_values, cache_length, write=True
        )
        return keys, values

    def run(self, noisy, noise_level, before, map_tokens, condition_vector, cache_keys, cache_values, cache_length, write=False):
        """The transformer on `n` frames that each have their own past: caches are `[6, n · 4, 84, 192]`."""
        n = noisy.shape[0]
        vector = condition_vector + self.embed_level(noise_level)
        x = self.enter(self.to_tokens(noisy)) + self.enter_before(self.to_tokens(before)) + self.place + map_tokens
        slots = torch.arange(WINDOW, dtype=torch.float32)
        missing = torch.clamp(WINDOW - cache_length[:, None] - slots, 0, 1) * -1e4
        mask = F.pad(missing[:, :, None].expand(n, WINDOW, TOKENS).reshape(n, 1, 1, WINDOW * TOKENS), (0, TOKENS)).to(x.dtype)
        keys, values = [], []
        for number, block in enumerate(self.blocks):
            shift, scale, gate, shift2, scale2, gate2 = block.parts(vector)
            query, key, value = block.project(normalise(x) * scale + shift).chunk(3, -1)
            keys.append(key)
            values.append(value)
            if write and number == LAYERS - 1:
                break
            past_key = (cache_keys[number].reshape(n, WINDOW, TOKENS, WIDTH) + block.distance_key[:, None]).flatten(1, 2)
            past_value = (cache_values[number].reshape(n, WINDOW, TOKENS, WIDTH) + block.distance_value[:, None]).flatten(1, 2)
            x = x + gate * block.attend(query, torch.cat([past_key, key], 1), torch.cat([past_value, value], 1), mask)
            x = x + gate2 * block.narrow(F.gelu(block.widen(normalise(x) * scale2 + shift2)))
        if write:
            return None, None, torch.stack(keys), torch.stack(values)
        return x, vector, None, None

    def head(self, x, vector, noisy, before, map_grid):
        """The clean latent from the tokens of the last layer."""
        shift, scale = self.last_modulation(F.silu(vector)).unsqueeze(-2).chunk(2, -1)
        grid = self.to_grid(self.last(normalise(x) * (1 + scale) + shift))
        return self.refine(grid, map_grid, noisy, before, vector)

    def train_clean(self, noisy, levels, before, context, context_levels, map_tokens, map_grid, condition, history=None):
        """Guesses of the clean latents of all frames of clips.

        Two streams run side by side through the same layers: `context [b, t, 16, 14, 24]`, lightly noised, supplies the keys
        and values of the past as the cache does in inference; `noisy`, of the same shape, is what is denoised. `before` holds the
        latent before each, zero where there is none. `history` is what a cache held before the clips: keys and values
        `[6, b, 4, 84, 192]` and how many are valid `[b]`; without one, clips begin with an empty cache.
        `levels`, `context_levels [b, t]`; `map_tokens [b, t, 84, 192]`; `map_grid [b, t, 48, 14, 24]`; `condition [b, t, 192]`.
        """
        b, t = levels.shape
        streams = 1 if t == 1 else 2
        vector = condition + self.embed_level(torch.stack([context_levels, levels])[-streams:])
        both = torch.stack([context, noisy])[-streams:].flatten(0, 2)
        x = self.enter(self.to_tokens(both)).unflatten(0, (streams, b, t))
        x = x + self.enter_before(self.to_tokens(before.flatten(0, 1))).unflatten(0, (b, t)) + self.place + map_tokens
        keys, values, length = history or (None, None, torch.zeros(b))
        slots = torch.arange(WINDOW)
        missing = (slots[None] + slots[:, None] + length[:, None, None] < WINDOW).float() * -1e4
        mask = F.pad(missing[..., None].expand(b, WINDOW, WINDOW, TOKENS).reshape(b, WINDOW, 1, 1, -1), (0, TOKENS))[:, :t]
        for number, block in enumerate(self.blocks):
            shift, scale, gate, shift2, scale2, gate2 = block.parts(vector)
            query, key, value = block.project(normalise(x) * scale + shift).chunk(3, -1)
            if streams == 1:
                # A frame without a past attends to itself alone.
                x = x + gate * block.attend(query, key, value, None)
            else:
                past_key = windows(key[0], block.distance_key, None if keys is None else keys[number])
                past_value = windows(value[0], block.distance_value, None if values is None else values[number])
                if number == LAYERS - 1:
                    # Of the context stream only the keys and values of the last layer are needed.
                    x, query, key, value = x[1:], query[1:], key[1:], value[1:]
                    gate, shift2, scale2, gate2 = gate[1:], shift2[1:], scale2[1:], gate2[1:]
                key = torch.cat([past_key.expand(len(key), *past_key.shape), key], 3)
                value = torch.cat([past_value.expand(len(value), *past_value.shape), value], 3)
                first = block.attend(query[:, :, :WINDOW], key[:, :, :WINDOW], value[:, :, :WINDOW], mask.to(query.dtype))
                rest = block.attend(query[:, :, WINDOW:], key[:, :, WINDOW:], value[:, :, WINDOW:], None)
                x = x + gate * torch.cat([first, rest], 2)
            x = x + gate2 * block.narrow(F.gelu(block.widen(normalise(x) * scale2 + shift2)))
        flat = [part.flatten(0, 1) for part in (x[-1], vector[-1], noisy, before, map_grid)]
        return self.head(*flat).unflatten(0, (b, t))


def windows(past, distance, history):
    """`[b, t, 84, 192]` to the four frames before each, `[b, t, 4 · 84, 192]`; those before the first are `history`, or zeros."""
    t = past.shape[1]
    padded = F.pad(past, (0, 0, 0, 0, WINDOW, 0)) if history is None else torch.cat([history.to(past.dtype), past], 1)
    slots = [padded[:, slot : slot + t] + distance[slot].to(past.dtype) for slot in range(WINDOW)]
    return torch.stack(slots, 2).flatten(2, 3)
