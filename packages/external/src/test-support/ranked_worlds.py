"""Worlds that run as several processes: one that talks over plain sockets, one over torch.distributed."""

import json
import os
import signal
import socket
import time

import numpy as np

from dreamloop import Step, Video, World, number, text


class Summing(World):
    """Every rank adds its number; rank 0 checks that all of them are at the same step with the same inputs."""

    id = "summing"
    video = Video(8, 8, fps=10)
    controls = {"drive": "driver_command"}
    devices = ("cpu", "cuda")
    options = {"what": text(default="nothing"), "when": number(default=2, integer=True), "rank": number(default=1, integer=True)}

    def load(self, ctx):
        self.peers = []
        if ctx.ranks == 1:
            return
        assert os.environ["RANK"] == os.environ["LOCAL_RANK"] == str(ctx.rank)
        assert os.environ["WORLD_SIZE"] == str(ctx.ranks)
        place = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
        if ctx.rank == 0:
            with socket.create_server(place) as server:
                self.peers = [server.accept()[0].makefile("rw") for _ in range(ctx.ranks - 1)]
            return
        while True:
            try:
                self.peers = [socket.create_connection(place).makefile("rw")]
                return
            except ConnectionRefusedError:
                time.sleep(0.02)

    def start(self, ctx):
        return {"sum": np.int64(ctx.seed % 7)}

    def step(self, ctx):
        if ctx.step_index == ctx.options.when and ctx.rank == ctx.options.rank:
            getattr(self, ctx.options.what)()
        total = self.exchange(ctx, 1 + ctx.rank)
        value = ctx.state["sum"] + total
        facts = {"pid": os.getpid(), "total": total, "device": ctx.device, "visible": os.environ.get("CUDA_VISIBLE_DEVICES", "")}
        if ctx.rank > 0:
            return None, {"sum": value}
        ctx.frames[...] = value % 256
        return Step(ctx.frames, {"sum": value}, metadata=facts)

    def exchange(self, ctx, own):
        if ctx.options.what == "differ" or ctx.ranks == 1:
            return own
        place = [ctx.seed, ctx.step_index, ctx.controls.drive.throttle]
        if ctx.rank > 0:
            peer = self.peers[0]
            peer.write(json.dumps([place, own]) + "\n")
            peer.flush()
            return json.loads(peer.readline())
        told = [json.loads(peer.readline()) for peer in self.peers]
        if any(other != place for other, _ in told):
            raise ValueError(f"rank 0 is at {place}, the others at {told}")
        total = own + sum(each for _, each in told)
        for peer in self.peers:
            peer.write(json.dumps(total) + "\n")
            peer.flush()
        return total

    def nothing(self):
        pass

    def kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def hang(self):
        while True:
            time.sleep(0.01)

    def differ(self):
        raise ValueError("this rank alone")


class Pooled(World):
    """Says in which process a step ran, and dies when the driver brakes."""

    id = "pooled"
    video = Video(8, 8, fps=10)
    controls = {"drive": "driver_command"}
    devices = ("cpu", "cuda")
    max_sessions = 3

    def step(self, ctx):
        if ctx.controls.drive.brake > 0.5:
            os.kill(os.getpid(), signal.SIGKILL)
        ctx.frames[...] = (ctx.random("grey").integer(256) + ctx.step_index) % 256
        return Step(ctx.frames, metadata={"pid": os.getpid(), "device": ctx.device, "visible": os.environ.get("CUDA_VISIBLE_DEVICES", "")})
