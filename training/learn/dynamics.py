"""The dynamics: a transformer that turns noise into the next latent, given the map, the motion, the prompt and past frames."""

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
    """Unshuffled map `[n, 96, 56, 96]` in 0..1 to tokens `[n, 84, 192]`, by merging 2x2 neighbours three times."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(96, 64)
        self.merge8 = nn.Linear(4 * 64, 96)
        self.merge16 = nn.Linear(4 * 96, 128)
        self.merge32 = nn.Linear(4 * 128, WIDTH)

    def forward(self, blocks):
        return self.from_features(F.relu(self.enter(blocks.permute(0, 2, 3, 1))))

    def from_features(self, x):
        """As `forward`, from the activated features of the first layer `[n, 56, 96, 64]`."""
        x = F.relu(self.merge8(neighbours(x)))
        x = F.relu(self.merge16(neighbours(x)))
        return self.merge32(neighbours(x)).flatten(1, 2)


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


class Dynamics(nn.Module):
    """All parts. `velocity` and `cache` are what inference runs; `train_velocity` does the same for whole clips."""

    def __init__(self):
        super().__init__()
        self.prompt = PromptEncoder()
        self.map = MapEncoder()
        self.motion = nn.Sequential(nn.Linear(MOTION, 128), nn.SiLU(), nn.Linear(128, WIDTH))
        self.from_prompt = nn.Linear(PROMPT_WIDTH, WIDTH)
        self.level = nn.Sequential(nn.Linear(64, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH))
        self.enter = nn.Linear(CHANNELS * PATCH * PATCH, WIDTH)
        self.place = nn.Parameter(0.02 * torch.randn(TOKENS, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.last_modulation = nn.Linear(WIDTH, 2 * WIDTH)
        self.last = nn.Linear(WIDTH, CHANNELS * PATCH * PATCH)
        nn.init.normal_(self.last.weight, std=1e-3)
        nn.init.zeros_(self.last.bias)

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

    def to_latent(self, tokens):
        n = tokens.shape[0]
        x = tokens.reshape(n, ROWS, COLUMNS, CHANNELS, PATCH, PATCH).permute(0, 3, 1, 4, 2, 5)
        return x.reshape(n, CHANNELS, ROWS * PATCH, COLUMNS * PATCH)

    def velocity(self, noisy_latent, noise_level, map_tokens, condition_vector, cache_keys, cache_values, cache_length):
        """One denoising step of one frame; shapes as in the graph interface."""
        return self.run(noisy_latent, noise_level, map_tokens, condition_vector, cache_keys, cache_values, cache_length)[0]

    def cache(self, noisy_latent, noise_level, map_tokens, condition_vector, cache_keys, cache_values, cache_length):
        """Keys and values of one frame, each `[6, 1, 84, 192]`."""
        _, keys, values = self.run(
            noisy_latent, noise_level, map_tokens, condition_vector, cache_keys, cache_values, cache_length, write=True
        )
        return keys, values

    def run(self, noisy_latent, noise_level, map_tokens, condition_vector, cache_keys, cache_values, cache_length, write=False):
        vector = condition_vector + self.embed_level(noise_level)
        x = self.enter(self.to_tokens(noisy_latent)) + self.place + map_tokens
        slots = torch.arange(WINDOW, dtype=torch.float32)
        missing = torch.clamp(WINDOW - cache_length - slots, 0, 1) * -1e4
        mask = F.pad(missing[:, None].expand(WINDOW, TOKENS).reshape(1, 1, 1, WINDOW * TOKENS), (0, TOKENS))
        keys, values = [], []
        for number, block in enumerate(self.blocks):
            shift, scale, gate, shift2, scale2, gate2 = block.parts(vector)
            query, key, value = block.project(normalise(x) * scale + shift).chunk(3, -1)
            keys.append(key)
            values.append(value)
            if write and number == LAYERS - 1:
                break
            past_key = (cache_keys[number] + block.distance_key[:, None]).reshape(1, WINDOW * TOKENS, WIDTH)
            past_value = (cache_values[number] + block.distance_value[:, None]).reshape(1, WINDOW * TOKENS, WIDTH)
            x = x + gate * block.attend(query, torch.cat([past_key, key], 1), torch.cat([past_value, value], 1), mask)
            x = x + gate2 * block.narrow(F.gelu(block.widen(normalise(x) * scale2 + shift2)))
        if write:
            return None, torch.stack(keys), torch.stack(values)
        return self.head(x, vector), None, None

    def head(self, x, vector):
        shift, scale = self.last_modulation(F.silu(vector)).unsqueeze(-2).chunk(2, -1)
        return self.to_latent(self.last(normalise(x) * (1 + scale) + shift).float())

    def train_velocity(self, noisy, levels, context, context_levels, map_tokens, condition):
        """Velocities of all frames of clips.

        Two streams run side by side through the same layers: `context [b, t, 16, 14, 24]`, lightly noised, supplies the keys
        and values of the past as the cache does in inference; `noisy`, of the same shape, is what is denoised.
        `levels`, `context_levels [b, t]`; `map_tokens [b, t, 84, 192]`; `condition [b, t, 192]`.
        """
        b, t = levels.shape
        both = torch.stack([context, noisy]).flatten(0, 2)
        vector = torch.stack([context_levels, levels])
        vector = condition + self.embed_level(vector)
        x = self.enter(self.to_tokens(both)).unflatten(0, (2, b, t)) + self.place + map_tokens
        slots = torch.arange(WINDOW)
        missing = (slots[None] + torch.arange(WINDOW)[:, None] < WINDOW).float() * -1e4
        mask = F.pad(missing[:, :, None].expand(WINDOW, WINDOW, TOKENS).reshape(WINDOW, 1, 1, -1), (0, TOKENS))[:t]
        for number, block in enumerate(self.blocks):
            shift, scale, gate, shift2, scale2, gate2 = block.parts(vector)
            query, key, value = block.project(normalise(x) * scale + shift).chunk(3, -1)
            past_key = windows(key[0], block.distance_key)
            past_value = windows(value[0], block.distance_value)
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
        return self.head(x[0].flatten(0, 1), vector[1].flatten(0, 1)).unflatten(0, (b, t))


def windows(past, distance):
    """`[b, t, 84, 192]` to the four frames before each, `[b, t, 4 · 84, 192]`, zeros where there are none."""
    t = past.shape[1]
    padded = F.pad(past, (0, 0, 0, 0, WINDOW, 0))
    slots = [padded[:, slot : slot + t] + distance[slot].to(past.dtype) for slot in range(WINDOW)]
    return torch.stack(slots, 2).flatten(2, 3)
