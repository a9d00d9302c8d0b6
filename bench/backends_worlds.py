"""Worlds that measure what lies between a step in Python and the driver."""

import sys
import time

import numpy as np

from dreamloop import Step, Video, World, number

HEIGHT, WIDTH = 480, 832


def think(seconds):
    """Keeps the processor busy for some time, as a model does."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Instant(World):
    """Draws nothing: the frame lies in the driver's memory already."""

    video = Video(WIDTH, HEIGHT, fps=30)
    options = {"seconds": number(default=0, min=0)}

    def step(self, ctx):
        frames = ctx.frames
        think(ctx.options.seconds)
        return Step(frames, metadata={"doneSeconds": time.monotonic()})


class Copied(World):
    """Returns an array of its own, which is copied once."""

    video = Video(WIDTH, HEIGHT, fps=30)

    def load(self, ctx):
        self.frame = np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)

    def step(self, ctx):
        return Step(self.frame, metadata={"doneSeconds": time.monotonic()})


if __name__ == "__main__":  # the yardstick: the same steps in a plain loop
    seconds, count = float(sys.argv[1]), int(sys.argv[2])
    frame = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    start = time.perf_counter()
    for _ in range(count):
        frame[...] = 0
        think(seconds)
    print((time.perf_counter() - start) / count)
