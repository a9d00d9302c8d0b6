"""Stage 5: writes world.json of the drive world for the graphs that `export.py` made."""

import argparse
import hashlib
import json
import pathlib

import onnx

from dynamics import LAYERS, MOTION, PROMPT_WIDTH, TOKENS, WIDTH, WINDOW
from prompts import MAXIMUM_TOKENS

CACHE_LEVEL = 0.1
SCHEDULES = [[1, 0], [1, 0.6, 0], [1, 0.8, 0.5, 0], [1, 0.85, 0.6, 0.3, 0]]
DEFAULT_STEPS = 1
CARD = "MODEL_CARD.md"
POSTER = "poster.webp"
SUGGESTIONS = [
    "a clear day", "a clear road at sunset", "a clear night", "rain", "rain at night", "snow", "a snowy road at sunset",
    "a foggy morning", "a foggy night",
]

PURPOSES = {
    "prompt": "Turns the numbers of the words of a prompt into an embedding.",
    "encode": "Turns a picture into a latent; used only when a first frame is given.",
    "condition": "Turns map frame, motion and prompt into what the transformer is conditioned on.",
    "denoise": "Predicts the velocity of a noisy latent.",
    "cache": "Computes the keys and values of a finished frame.",
    "decode": "Turns a latent and the map frame into a picture.",
}
TYPES = {1: "float32", 2: "uint8", 7: "int64"}


def ports(values, keep=None):
    """Interface of a graph as the manifest writes it."""
    result = {}
    for value in values:
        if keep is None or value.name in keep:
            tensor = value.type.tensor_type
            result[value.name] = {"dtype": TYPES[tensor.elem_type], "shape": [axis.dim_value for axis in tensor.shape.dim]}
    return result


def cache_state(what):
    return {
        "update": "append",
        "dtype": "float32",
        "shape": [LAYERS, WINDOW, TOKENS, WIDTH],
        "axis": 1,
        "window": WINDOW,
        "sink": 0,
        "align": "end",
        "padding": "zeros",
        "description": f"{what} of the last {WINDOW} frames, per layer.",
    }


def latent_before(graphs):
    port = graphs["denoise"]["inputs"]["latent_before"]
    return {"update": "replace", **port, "initial": 0, "description": "Latent of the frame before; zeros before the first."}


def frame_condition(source, prefix="", names=("map_tokens", "map_grid", "condition_vector")):
    """Item that conditions on the map and motion of a place: `initial` or `step`."""
    return {
        "type": "graph",
        "graph": "condition",
        "inputs": {"map": f"{source}:map", "motion": f"{source}:motion", "prompt_embedding": "value:prompt_embedding"},
        "outputs": {name: f"value:{prefix}{name}" for name in names},
    }


def step_inputs(latent, level, prefix=""):
    return {
        "noisy_latent": latent,
        "noise_level": level,
        "latent_before": "state:latent_before",
        "map_tokens": f"value:{prefix}map_tokens",
        "condition_vector": f"value:{prefix}condition_vector",
        "cache_keys": "state:cache_keys",
        "cache_values": "state:cache_values",
        "cache_length": "state:cache_keys/length",
    }


def write_cache(prefix=""):
    """Items that keep the finished latent, and append its keys and values."""
    return [
        {"type": "set", "from": f"value:{prefix}latent", "to": "state:latent_before"},
        {"type": "add_noise", "latent": f"value:{prefix}latent", "noise": "noise:cache", "level": CACHE_LEVEL, "output": f"value:{prefix}cached_latent"},
        {
            "type": "graph",
            "graph": "cache",
            "inputs": step_inputs(f"value:{prefix}cached_latent", CACHE_LEVEL, prefix),
            "outputs": {"new_keys": "state:cache_keys", "new_values": "state:cache_values"},
        },
    ]


def pipeline():
    sample = {
        "type": "sample",
        "sampler": "flow_matching",
        "latent": "noise:latent",
        "graph": "denoise",
        "inputs": step_inputs("sampler:latent", "sampler:level") | {"map_grid": "value:map_grid"},
        "prediction": "velocity",
        "output": "value:latent",
        "schedules": SCHEDULES,
        "defaultSteps": DEFAULT_STEPS,
    }
    decode = {
        "type": "graph",
        "graph": "decode",
        "inputs": {"latent": "value:latent", "map": "step:map"},
        "outputs": {"frame": "frames"},
    }
    encode = {"type": "graph", "graph": "encode", "inputs": {"frame": "initial:first_frame"}, "outputs": {"latent": "value:first_latent"}}
    prompt = {
        "type": "graph",
        "graph": "prompt",
        "inputs": {"prompt_tokens": "initial:prompt"},
        "outputs": {"prompt_embedding": "value:prompt_embedding"},
    }
    start = [{**item, "when": "initial:first_frame"} for item in [encode, frame_condition("initial", "first_", ("map_tokens", "condition_vector")), *write_cache("first_")]]
    return {
        "condition": [prompt],
        "start": start,
        "step": [frame_condition("step"), sample, decode],
        "finalize": write_cache(),
    }


def inputs():
    plane = {"type": "tensor", "dtype": "uint8", "shape": [1, 6, 224, 384], "from": "domain"}
    motion = {"type": "tensor", "dtype": "float32", "shape": [1, MOTION], "from": "domain"}
    about_map = "Planes red, green, blue, nearness, detail and shade of what the camera sees of road, cars and scenery"
    about_motion = "Wheel angle / 0.6 rad, throttle, brake, speed / 25 m/s, yaw rate / 1 rad/s, acceleration / 8 m/s2, sine and cosine of heading"
    return {
        "initial": {
            "prompt": {
                "type": "prompt",
                "dtype": "int64",
                "shape": [1, MAXIMUM_TOKENS],
                "required": False,
                "updatePolicy": "step_boundary",
                "vocabulary": {"file": "vocabulary.json", "split": "non_letters", "padding": 0},
                "default": "a clear day",
                "suggestions": SUGGESTIONS,
                "description": "Time of day (day, sunset, night) and weather (clear, rain, snow, fog) in words.",
            },
            "first_frame": {
                "type": "image",
                "dtype": "float32",
                "shape": [1, 3, 224, 384],
                "required": False,
                "layout": "chw",
                "range": "unit",
                "description": "A picture of the pose at the start that the drive goes on from.",
            },
            "map": {**plane, "description": f"{about_map}, at the start."},
            "motion": {**motion, "description": f"{about_motion}, at the start."},
        },
        "step": {
            "map": {**plane, "description": f"{about_map}, after the step."},
            "motion": {**motion, "description": f"{about_motion}, after the step."},
        },
    }


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--folder", default="worlds/drive")
    options.add_argument("--version", default="1.0.0")
    folder = pathlib.Path(options.parse_args().folder)
    version = options.parse_args().version
    graphs, parameters = {}, 0
    for role, purpose in PURPOSES.items():
        graph = onnx.load(str(folder / f"{role}.onnx"), load_external_data=False).graph
        graphs[role] = {
            "role": role,
            "file": f"{role}.onnx",
            "description": purpose,
            "inputs": ports(graph.input),
            "outputs": ports(graph.output),
        }
    files = {}
    # Of other weights; `dreamloop check --write-reference` makes it anew.
    (folder / "reference.rgb").unlink(missing_ok=True)
    for path in sorted(folder.iterdir()):
        if path.name in ("world.json", CARD) or path.name.startswith("."):
            continue
        content = path.read_bytes()
        files[path.name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        if path.suffix == ".weights":
            parameters += len(content) // 4
    manifest = {
        "formatVersion": 1,
        "id": "drive",
        "title": "Drive",
        "description": "A neural country road: drive it at any time of day and in any weather, by prompt.",
        "licence": "Apache-2.0",
        "model": {
            "version": version,
            "parameters": parameters,
            "authors": ["Dreamloop contributors"],
            "trainingData": "Rendered by the project's own renderer on procedural tracks; see the model card.",
            "card": CARD,
        },
        "precision": "fp32",
        "domain": "dreamloop/drive@1",
        "files": files,
        **({"poster": POSTER} if POSTER in files else {}),
        "video": {"width": 384, "height": 224, "framesPerSecond": 20, "framesPerStep": 1, "layout": "tchw", "range": "unit", "colorSpace": "srgb"},
        "inputs": inputs(),
        "neutralAction": {
            "driver_command.throttle": {"value": 0, "unit": "m/s2"},
            "driver_command.brake": {"value": 0, "unit": "m/s2"},
            "driver_command.steer": {"value": 0, "unit": "rad"},
            "driver_command.reverse": {"value": False, "unit": "1"},
            "driver_command.stop": {"value": False, "unit": "1"},
        },
        "randomStreams": ["latent", "cache"],
        "state": {"latent_before": latent_before(graphs), "cache_keys": cache_state("Keys"), "cache_values": cache_state("Values")},
        "graphs": graphs,
        "pipeline": pipeline(),
    }
    (folder / "world.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"world.json: {len(files)} files, {sum(file['bytes'] for file in files.values()) / 1e6:.1f} MB, {parameters / 1e6:.1f} M parameters")


if __name__ == "__main__":
    main()
