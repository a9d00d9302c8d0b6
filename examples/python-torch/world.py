"""The drive world's own network, run by PyTorch from the weights of its bundle; world.mjs gives it the simulation and the map."""

import json
import os
import re

import torch
from dreamloop import Video, World, text, value
from dreamloop.random import RandomStream
from onnx_graph import Graph

BUNDLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "worlds", "drive")
WINDOW, LEVEL = 4, 0.1


def noise(ctx, stream):
    """The numbers that the bundle draws for the same seed and step."""
    return torch.from_numpy(RandomStream(seed=ctx.seed, step=ctx.step_index, stream=stream).normal((1, 16, 14, 24)))


class Drive(World):
    """A neural country road."""

    id = "drive-torch"
    video = Video(384, 224, fps=20, layout="chw", range="unit")
    inputs = {"prompt": text(default="a clear day", live=True), "map": value(optional=True), "motion": value(optional=True)}
    step_inputs = {"map": value(), "motion": value()}

    def load(self, ctx):
        names = ["prompt", "condition", "denoise", "decode", "cache"]
        for index, name in enumerate(names):
            ctx.progress("weights", index / len(names))
            setattr(self, f"run_{name}", Graph(os.path.join(BUNDLE, f"{name}.onnx")))
        with open(os.path.join(BUNDLE, "vocabulary.json"), encoding="utf-8") as file:
            self.words = json.load(file)

    def start(self, ctx):
        cache = torch.zeros(6, WINDOW, 84, 192)
        return {"before": torch.zeros(1, 16, 14, 24), "keys": cache, "values": cache, "length": 0, "fresh": None}

    @torch.no_grad()
    def step(self, ctx):
        found = [self.words[word] for word in re.findall("[a-z]+", ctx.initial.prompt.lower()) if word in self.words][:16]
        tokens = torch.tensor([found + [0] * (16 - len(found))])
        planes = torch.from_numpy(ctx.inputs.map.copy()).reshape(1, 6, 224, 384)
        motion = torch.from_numpy(ctx.inputs.motion.copy()).reshape(1, 8)
        embedding = self.run_prompt(prompt_tokens=tokens)["prompt_embedding"]
        condition = self.run_condition(map=planes, motion=motion, prompt_embedding=embedding)
        state, start = ctx.state, noise(ctx, "latent")
        past = {
            "latent_before": state["before"],
            "map_tokens": condition["map_tokens"],
            "condition_vector": condition["condition_vector"],
            "cache_keys": state["keys"],
            "cache_values": state["values"],
            "cache_length": torch.tensor([float(state["length"])]),
        }
        velocity = self.run_denoise(noisy_latent=start, noise_level=torch.ones(1), map_grid=condition["map_grid"], **past)["velocity"]
        latent = start - velocity
        frame = self.run_decode(latent=latent, map=planes)["frame"]
        return frame, {**state, "fresh": {"latent": latent, "past": past}}

    @torch.no_grad()
    def finalize(self, ctx, state):
        latent, past = state["fresh"]["latent"], state["fresh"]["past"]
        noisy = (1 - LEVEL) * latent + LEVEL * noise(ctx, "cache")
        new = self.run_cache(noisy_latent=noisy, noise_level=torch.tensor([LEVEL]), **past)
        keys = torch.cat([state["keys"][:, 1:], new["new_keys"]], 1)
        values = torch.cat([state["values"][:, 1:], new["new_values"]], 1)
        return {"before": latent, "keys": keys, "values": values, "length": min(WINDOW, state["length"] + 1), "fresh": None}
