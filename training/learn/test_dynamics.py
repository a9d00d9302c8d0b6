"""Checks that what is trained is what is run: whole clips against frame by frame with the cache."""

import torch

from dynamics import GRID, LAYERS, TOKENS, WIDTH, WINDOW, Dynamics


@torch.no_grad()
def main():
    torch.manual_seed(3)
    model = Dynamics().eval()
    for parameter in model.parameters():
        parameter.add_(0.05 * torch.randn_like(parameter))
    frames, known = 7, 2
    noisy, context = torch.randn(1, frames, 16, 14, 24), torch.randn(1, frames, 16, 14, 24)
    levels, context_levels = 0.1 + 0.9 * torch.rand(1, frames), torch.full((1, frames), 0.15)
    before = torch.randn(1, frames, 16, 14, 24)
    map_tokens, condition = torch.randn(1, frames, TOKENS, WIDTH), torch.randn(1, frames, WIDTH)
    map_grid = torch.randn(1, frames, GRID, 14, 24)
    keys, values = torch.randn(LAYERS, WINDOW, TOKENS, WIDTH), torch.randn(LAYERS, WINDOW, TOKENS, WIDTH)
    length = torch.full((1,), float(known))
    history = (keys[:, None], values[:, None], length)
    whole = model.train_clean(noisy, levels, before, context, context_levels, map_tokens, map_grid, condition, history)
    for frame in range(frames):
        given = (before[:, frame], map_tokens[:, frame], condition[:, frame], keys, values, length)
        velocity = model.velocity(noisy[:, frame], levels[:, frame], *given[:2], map_grid[:, frame], *given[2:])
        single = noisy[:, frame] - levels[0, frame] * velocity
        error = (single - whole[:, frame]).abs().max().item() / whole.abs().max().item()
        print(f"frame {frame}: largest difference {error:.1e}")
        assert error < 1e-4, "clip and frame-by-frame disagree"
        new_keys, new_values = model.cache(context[:, frame], context_levels[:, frame], *given)
        keys, values = torch.cat([keys[:, 1:], new_keys], 1), torch.cat([values[:, 1:], new_values], 1)
        length = torch.clamp(length + 1, max=WINDOW)


if __name__ == "__main__":
    main()
