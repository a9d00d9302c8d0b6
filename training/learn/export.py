"""Stage 4: writes the graphs of the world bundle, their weights as external data, and the vocabulary."""

import argparse
import hashlib
import pathlib
import warnings

import onnx
from onnx import numpy_helper
import torch
from torch import nn
import torch.nn.functional as F

from autoencoder import Autoencoder
from dynamics import GRID, LAYERS, MOTION, PROMPT_WIDTH, TOKENS, WIDTH, WINDOW, Dynamics
from prompts import MAXIMUM_TOKENS, write_vocabulary

OPSET = 16
LATENT = (1, 16, 14, 24)
ALIGNMENT = 4096
SMALLEST_EXTERNAL_BYTES = 512


class MapEntrance(nn.Module):
    """A layer on the channels of an unshuffled map as a 4x4 convolution on the map's bytes."""

    def __init__(self, weight, bias, offset):
        super().__init__()
        self.convolution = nn.Conv2d(6, len(weight), 4, stride=4)
        self.convolution.weight.data = weight.detach().reshape(-1, 6, 4, 4) / 255
        self.convolution.bias.data = bias.detach() - offset * weight.detach().sum(1)

    def forward(self, planes):
        return self.convolution(planes.float())


class Prompt(nn.Module):
    def __init__(self, dynamics):
        super().__init__()
        self.prompt = dynamics.prompt

    def forward(self, prompt_tokens):
        return self.prompt(prompt_tokens)


class Encode(nn.Module):
    def __init__(self, autoencoder):
        super().__init__()
        self.autoencoder = autoencoder

    def forward(self, frame):
        return self.autoencoder.encode(F.pixel_unshuffle(frame, 4))


class Condition(nn.Module):
    def __init__(self, dynamics):
        super().__init__()
        self.dynamics = dynamics
        self.entrance = MapEntrance(dynamics.map.enter.weight, dynamics.map.enter.bias, 0)

    def forward(self, planes, motion, prompt_embedding):
        tokens, grid = self.dynamics.map.from_features(F.relu(self.entrance(planes)).permute(0, 2, 3, 1))
        return tokens, grid, self.dynamics.condition(motion, prompt_embedding)


class Denoise(nn.Module):
    def __init__(self, dynamics):
        super().__init__()
        self.dynamics = dynamics

    def forward(self, *inputs):
        return self.dynamics.velocity(*inputs)


class Cache(nn.Module):
    def __init__(self, dynamics):
        super().__init__()
        self.dynamics = dynamics

    def forward(self, *inputs):
        return self.dynamics.cache(*inputs)


class Decode(nn.Module):
    def __init__(self, autoencoder):
        super().__init__()
        self.autoencoder = autoencoder
        features = autoencoder.decoder.map_features
        self.entrance = MapEntrance(features.weight[:, :, 0, 0], features.bias, 0.5)

    def forward(self, latent, planes):
        autoencoder = self.autoencoder
        raw = latent * autoencoder.latent_std[:, None, None] + autoencoder.latent_mean[:, None, None]
        blocks = autoencoder.decoder.from_features(raw, F.relu(self.entrance(planes)))
        return torch.clamp(F.pixel_shuffle(blocks, 4), 0, 1)


def export(module, inputs, input_names, output_names, path):
    """Writes a graph; shapes of outputs that the exporter could not follow are filled in from a run."""
    module = module.eval()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, inputs, str(path), opset_version=OPSET, input_names=input_names, output_names=output_names)
        results = module(*inputs)
    graph = onnx.load(str(path))
    for value, result in zip(graph.graph.output, results if isinstance(results, tuple) else (results,)):
        del value.type.tensor_type.shape.dim[:]
        for length in result.shape:
            value.type.tensor_type.shape.dim.add().dim_value = length
    pathlib.Path(path).write_bytes(graph.SerializeToString())


def externalise(paths, weights_path):
    """Moves the weights of graphs into one file beside them; equal ones are kept once."""
    places, size = {}, 0
    with open(weights_path, "wb") as weights:
        for path in paths:
            graph = onnx.load(str(path))
            for tensor in graph.graph.initializer:
                content = numpy_helper.to_array(tensor).tobytes()
                if len(content) < SMALLEST_EXTERNAL_BYTES:
                    continue
                key = hashlib.sha256(content).digest()
                if key not in places:
                    gap = -size % ALIGNMENT
                    weights.write(b"\0" * gap + content)
                    places[key] = (size + gap, len(content))
                    size += gap + len(content)
                offset, length = places[key]
                tensor.ClearField("raw_data")
                tensor.ClearField("float_data")
                tensor.ClearField("int64_data")
                tensor.data_location = onnx.TensorProto.EXTERNAL
                del tensor.external_data[:]
                for name, value in (("location", weights_path.name), ("offset", offset), ("length", length)):
                    entry = tensor.external_data.add()
                    entry.key, entry.value = name, str(value)
            # Names that the tool chain wrote say nothing to a reader and differ from machine to machine.
            graph.doc_string = ""
            for node in graph.graph.node:
                node.doc_string = ""
            path.write_bytes(graph.SerializeToString())


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--autoencoder", default="training/out/autoencoder.pt")
    options.add_argument("--dynamics", default="training/out/dynamics.pt")
    options.add_argument("--out", default="worlds/drive")
    options.add_argument("--untrained", action="store_true", help="random weights, to measure speed")
    options = options.parse_args()
    torch.manual_seed(0)
    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    autoencoder, dynamics = Autoencoder(), Dynamics()
    if not options.untrained:
        autoencoder.load_state_dict(torch.load(options.autoencoder))
        dynamics.load_state_dict(torch.load(options.dynamics))
    planes = torch.zeros(1, 6, 224, 384, dtype=torch.uint8)
    cache = torch.zeros(LAYERS, WINDOW, TOKENS, WIDTH)
    latents = {"noisy_latent": torch.randn(LATENT), "noise_level": torch.ones(1), "latent_before": torch.randn(LATENT)}
    tokens, grid = {"map_tokens": torch.randn(1, TOKENS, WIDTH)}, {"map_grid": torch.randn(1, GRID, *LATENT[2:])}
    past = {"cache_keys": cache, "cache_values": cache, "cache_length": torch.ones(1)}
    vector = {"condition_vector": torch.randn(1, WIDTH)}
    denoise, write = latents | tokens | grid | vector | past, latents | tokens | vector | past
    numbers = torch.zeros(1, MAXIMUM_TOKENS, dtype=torch.int64)
    graphs = {
        "prompt": (Prompt(dynamics), (numbers,), ["prompt_tokens"], ["prompt_embedding"]),
        "encode": (Encode(autoencoder), (torch.rand(1, 3, 224, 384),), ["frame"], ["latent"]),
        "condition": (
            Condition(dynamics),
            (planes, torch.zeros(1, MOTION), torch.zeros(1, PROMPT_WIDTH)),
            ["map", "motion", "prompt_embedding"],
            ["map_tokens", "map_grid", "condition_vector"],
        ),
        "denoise": (Denoise(dynamics), tuple(denoise.values()), list(denoise), ["velocity"]),
        "cache": (Cache(dynamics), tuple(write.values()), list(write), ["new_keys", "new_values"]),
        "decode": (Decode(autoencoder), (torch.randn(LATENT), planes), ["latent", "map"], ["frame"]),
    }
    for name, (module, inputs, input_names, output_names) in graphs.items():
        export(module, inputs, input_names, output_names, folder / f"{name}.onnx")
    externalise([folder / "denoise.onnx", folder / "cache.onnx"], folder / "dynamics.weights")
    externalise([folder / "prompt.onnx", folder / "condition.onnx"], folder / "conditioning.weights")
    externalise([folder / "encode.onnx", folder / "decode.onnx"], folder / "autoencoder.weights")
    write_vocabulary(folder / "vocabulary.json")
    for path in sorted(folder.iterdir()):
        print(f"{path.name} {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
