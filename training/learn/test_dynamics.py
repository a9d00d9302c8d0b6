"""Checks that what is trained is what is run: whole clips against frame by frame with the cache."""

import torch

from dynamics import LAYERS, TOKENS, WIDTH, WINDOW, Dynamics


@torch.no_grad()
def main():
    torch.manual_seed(3)
    model = Dynamics().eval()
    for parameter in model.parameters():
        parameter.add_(0.05 * torch.randn_like(parameter))
    frames = 7
    noisy, context = torch.randn(1, frames, 16, 14, 24), torch.randn(1, frames, 16, 14, 24)
    levels, context_levels = torch.rand(1, frames), torch.full((1, frames), 0.15)
    map_tokens, condition = torch.randn(1, frames, TOKENS, WIDTH), torch.randn(1, frames, WIDTH)
    whole = model.train_velocity(noisy, levels, context, context_levels, map_tokens, condition)
    keys = values = torch.zeros(LAYERS, WINDOW, TOKENS, WIDTH)
    length = torch.zeros(1)
    for frame in range(frames):
        given = (map_tokens[:, frame], condition[:, frame], keys, values, length)
        single = model.velocity(noisy[:, frame], levels[:, frame], *given)
        error = (single - whole[:, frame]).abs().max().item() / whole.abs().max().item()
        print(f"frame {frame}: largest difference {error:.1e}")
        assert error < 1e-4, "clip and frame-by-frame disagree"
        new_keys, new_values = model.cache(context[:, frame], context_levels[:, frame], *given)
        keys, values = torch.cat([keys[:, 1:], new_keys], 1), torch.cat([values[:, 1:], new_values], 1)
        length = torch.clamp(length + 1, max=WINDOW)


if __name__ == "__main__":
    main()
