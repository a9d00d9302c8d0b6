"""Worlds that tests run: one that behaves, and many that do not."""

import os
import signal
import subprocess
import sys
import time

import numpy as np

from dreamloop import Step, Video, World, choice, number, text


class Behaved(World):
    """Every part of the contract, small."""

    id = "behaved"
    video = Video(24, 16, fps=10, frames_per_step=2, first_step_frames=1)
    controls = {"drive": "driver_command"}
    optional_controls = {"look": "look_delta"}
    prompt = text(default="warm", live=True)
    mood = choice(["calm", "wild"], default="calm")
    options = {"fail_at": number(default=-1, integer=True), "gain": number(default=1.0, min=0, max=4)}
    devices = ("cpu", "cuda")

    def __init__(self):
        self.failures = 0

    def load(self, ctx):
        ctx.progress("weights", 0.5)
        return np.arange(24, dtype=np.float32)

    def start(self, ctx):
        return {"sum": np.zeros((16, 24), np.float32), "seed_word": ctx.random("start").uint32(), "count": 0}

    def step(self, ctx):
        if ctx.step_index == ctx.options.fail_at and self.failures == 0:
            self.failures += 1
            raise ValueError("planned")
        drive = ctx.controls.drive
        level = ctx.state["sum"] * np.float32(0.5) + np.float32(drive.throttle * ctx.options.gain) + ctx.model
        level = level + ctx.random("noise").normal((16, 24))
        frames = np.zeros((ctx.frame_count, 16, 24, 3), np.uint8)
        frames[..., 0] = (level * 10) % 256
        frames[..., 1] = (ctx.state["seed_word"] + ctx.state["count"]) % 256
        frames[..., 2] = len(ctx.initial.prompt) * 7 + (50 if ctx.initial.mood == "wild" else 0)
        if ctx.controls.look is not None:
            frames[0, 0, 0, :] = abs(ctx.controls.look.delta_x) % 256
        state = {**ctx.state, "sum": level, "count": ctx.state["count"] + 1}
        return Step(frames, state, metadata={"count": state["count"]}, metrics={"think_ms": 2.0})


class Finalizing(World):
    """A cache that is completed after the frames are on their way."""

    id = "finalizing"
    video = Video(8, 8, fps=10)
    controls = {"drive": "driver_command"}
    prompt = text(default="", live=True)

    def start(self, ctx):
        return {"cache": np.zeros((4, 8), np.float32), "fresh": None}

    def step(self, ctx):
        row = ctx.random("row").normal(8) + np.float32(ctx.controls.drive.throttle) + len(ctx.initial.prompt)
        ctx.frames[...] = ((ctx.state["cache"].sum(0) + row) * 20 % 256).astype(np.uint8)[:, None, None]
        return ctx.frames, {**ctx.state, "fresh": row}

    def finalize(self, ctx, state):
        return {"cache": np.concatenate([state["cache"][1:], state["fresh"][None]]), "fresh": None}


class InPlace(World):
    """A state that is changed in place."""

    id = "in-place"
    video = Video(8, 8, fps=10)
    controls = {"drive": "driver_command"}
    options = {"fail_at": number(default=-1, integer=True)}
    in_place = True
    max_sessions = 2

    def __init__(self):
        self.failures = 0

    def start(self, ctx):
        return {"cache": np.zeros((8, 8, 3), np.uint8)}

    def step(self, ctx):
        ctx.state["cache"] += np.uint8(1 + ctx.step_index)
        if ctx.step_index == ctx.options.fail_at and self.failures == 0:
            self.failures += 1
            raise ValueError("planned")
        return ctx.state["cache"].copy()


class Misbehaved(World):
    """Does at step 2 what the option says."""

    id = "misbehaved"
    video = Video(8, 8, fps=10)
    options = {"what": text(default="nothing"), "when": number(default=2, integer=True)}

    def step(self, ctx):
        if ctx.step_index == ctx.options.when:
            getattr(self, ctx.options.what)(ctx)
        ctx.frames[...] = ctx.step_index
        return ctx.frames

    def nothing(self, ctx):
        pass

    def die(self, ctx):
        os._exit(3)

    def kill(self, ctx):
        os.kill(os.getpid(), signal.SIGKILL)

    def crash(self, ctx):
        os.kill(os.getpid(), signal.SIGSEGV)

    def hang(self, ctx):
        while True:
            time.sleep(0.01)

    def print_much(self, ctx):
        for index in range(2000):
            print("line", index, "x" * 60)
        sys.stdout.write("DLP1 not a message")

    def fork(self, ctx):
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)

    def spawn(self, ctx):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])

    def leave(self, ctx):
        sys.exit("enough")

    def raise_error(self, ctx):
        self.helper()

    def helper(self):
        raise KeyError("missing part")

    def eat(self, ctx):
        raise MemoryError("cannot allocate 8 GiB")


class Loading(World):
    """Loads for a long time."""

    id = "loading"
    video = Video(8, 8, fps=10)

    def load(self, ctx):
        ctx.progress("weights", 0.25)
        time.sleep(600)

    def step(self, ctx):
        return ctx.frames


class Resting(World):
    """Steps that take as long as they say."""

    id = "resting"
    video = Video(8, 8, fps=10)

    def step(self, ctx):
        for _ in range(600):
            if ctx.cancelled:
                break
            time.sleep(0.05)
        ctx.check_cancelled()
        return ctx.frames
