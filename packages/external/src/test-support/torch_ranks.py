"""A world on two processes that talk through torch.distributed."""

import numpy as np
import torch
import torch.distributed as dist

from dreamloop import Step, Video, World


class Halves(World):
    """Each rank holds some columns of a matrix; together they multiply with all of it."""

    id = "halves"
    video = Video(16, 8, fps=10)
    controls = {"drive": "driver_command"}

    def load(self, ctx):
        torch.set_num_threads(1)
        matrix = torch.from_numpy(np.arange(128 * 12, dtype=np.float32).reshape(128, 12) % 13 - 6)
        if ctx.ranks > 1:
            dist.init_process_group("gloo")
            assert dist.get_rank() == ctx.rank and dist.get_world_size() == ctx.ranks
        return matrix[:, ctx.rank :: ctx.ranks]

    def start(self, ctx):
        return {"level": torch.full((12,), float(ctx.seed % 5))}

    @torch.no_grad()
    def step(self, ctx):
        level = ctx.state["level"] + ctx.controls.drive.throttle * 8
        part = ctx.model @ level[ctx.rank :: ctx.ranks]
        if ctx.ranks > 1:
            dist.all_reduce(part)
        grey = part.round().remainder(256).to(torch.uint8).reshape(8, 16, 1).expand(8, 16, 3)
        state = {"level": (level + part[:12]).remainder(16)}
        return Step(grey if ctx.rank == 0 else None, state)

    def close(self):
        if dist.is_initialized():
            dist.destroy_process_group()
