"""Runs an ONNX graph with PyTorch: reads nodes and weights from the files of a world bundle and calls the torch function of each operator."""

import os
import struct

import numpy as np
import torch
import torch.nn.functional as F

TYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64, 9: np.bool_, 11: np.float64}


def fields(data):
    """The fields of a protobuf message: number, and an integer or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            length = {1: 8, 5: 4}.get(key & 7) or varint()
            yield key >> 3, data[at : at + length]
            at += length


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def numbers(found, number):
    """A repeated integer, packed or one by one."""
    values = []
    for key, value in found:
        if key == number:
            values += [value] if isinstance(value, int) else [each for _, each in unpacked(value)]
    return [signed(value) for value in values]


def unpacked(data):
    at = 0
    while at < len(data):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
        yield None, value


def tensor(data, folder):
    """A TensorProto, its content in the message or in a file beside it."""
    found = list(fields(data))
    last = dict(found)
    shape, kind = numbers(found, 1), TYPES[last[2]]
    place = {dict(fields(entry))[1].decode(): dict(fields(entry))[2].decode() for key, entry in found if key == 13}
    if place:
        path = os.path.join(folder, place["location"])
        count = int(place["length"]) // np.dtype(kind).itemsize
        array = np.fromfile(path, kind, count, offset=int(place.get("offset", 0)))
    elif 9 in last:
        array = np.frombuffer(last[9], kind)
    else:
        array = np.array(numbers(found, 7) or numbers(found, 5) or [struct.unpack("<f", value)[0] for key, value in found if key == 4], kind)
    return last.get(8, b"").decode(), torch.from_numpy(array.reshape(shape).copy())


def slices(attributes, x, starts, ends, axes=None, steps=None):
    index = [slice(None)] * x.ndim
    axes = range(len(starts)) if axes is None else axes.tolist()
    for axis, start, end, step in zip(axes, starts.tolist(), ends.tolist(), [1] * len(starts) if steps is None else steps.tolist()):
        if step < 0:
            x = x.flip(axis)  # the exporter writes -1 over whole axes only
            continue
        index[axis] = slice(start, None if end > 2**31 else end, step)
    return x[tuple(index)]


def gather(attributes, x, indices):
    axis = attributes.get("axis", 0)
    rows = x.index_select(axis, indices.reshape(-1) % x.shape[axis])
    return rows.reshape(x.shape[:axis] + indices.shape + x.shape[axis + 1 :])


def padded(attributes, x, pads, value=None):
    half = len(pads) // 2
    pairs = [(pads[axis].item(), pads[axis + half].item()) for axis in range(half)]
    return F.pad(x, [side for pair in reversed(pairs) for side in pair], value=0 if value is None else value.item())


def unsqueezed(attributes, x, axes):
    for axis in sorted(axes.tolist()):
        x = x.unsqueeze(axis)
    return x


def divided(attributes, a, b):
    return a / b if a.is_floating_point() else torch.div(a, b, rounding_mode="trunc")


def gemm(attributes, a, b, c):
    return F.linear(a, b if attributes.get("transB") else b.t(), c)


def resized(attributes, x, _region, scales):
    return F.interpolate(x, scale_factor=scales[2:].tolist(), mode="nearest")


def convolved(attributes, x, weight, bias):
    return F.conv2d(x, weight, bias, attributes["strides"], attributes["pads"][:2], attributes["dilations"], attributes["group"])


def reshaped(attributes, x, shape):
    return x.reshape([x.shape[axis] if side == 0 else side for axis, side in enumerate(shape.tolist())])


#: What each operator does; the first argument holds its attributes.
OPERATORS = {
    "Add": lambda _, a, b: a + b,
    "Cast": lambda attributes, x: x.to(torch.from_numpy(np.zeros(0, TYPES[attributes["to"]])).dtype),
    "Clip": lambda _, x, low=None, high=None: x.clamp(low, high),
    "Concat": lambda attributes, *parts: torch.cat(parts, attributes["axis"]),
    "Constant": lambda attributes: attributes["value"],
    "ConstantOfShape": lambda attributes, shape: attributes["value"].expand(shape.tolist()),
    "Conv": convolved,
    "Cos": lambda _, x: x.cos(),
    "DepthToSpace": lambda attributes, x: F.pixel_shuffle(x, attributes["blocksize"]),
    "Div": divided,
    "Equal": lambda _, a, b: a == b,
    "Erf": lambda _, x: x.erf(),
    "Expand": lambda _, x, shape: x * torch.ones(shape.tolist(), dtype=x.dtype),
    "Flatten": lambda attributes, x: x.flatten(attributes["axis"]),
    "Gather": gather,
    "Gemm": gemm,
    "Greater": lambda _, a, b: a > b,
    "MatMul": lambda _, a, b: a @ b,
    "Mul": lambda _, a, b: a * b,
    "Pad": padded,
    "Pow": lambda _, a, b: a**b,
    "ReduceMean": lambda attributes, x: x.mean(attributes["axes"], keepdim=bool(attributes.get("keepdims", 1))),
    "ReduceSum": lambda attributes, x, axes: x.sum(axes.tolist(), keepdim=bool(attributes.get("keepdims", 1))),
    "Relu": lambda _, x: x.relu(),
    "Reshape": reshaped,
    "Resize": resized,
    "Shape": lambda _, x: torch.tensor(x.shape),
    "Sigmoid": lambda _, x: x.sigmoid(),
    "Sin": lambda _, x: x.sin(),
    "Slice": slices,
    "Softmax": lambda attributes, x: x.softmax(attributes["axis"]),
    "Sqrt": lambda _, x: x.sqrt(),
    "Sub": lambda _, a, b: a - b,
    "Transpose": lambda attributes, x: x.permute(attributes["perm"]),
    "Unsqueeze": unsqueezed,
    "Where": lambda _, condition, a, b: torch.where(condition, a, b),
}


class Graph:
    """A graph that is called with tensors by name and gives a dict of its outputs."""

    def __init__(self, path):
        folder = os.path.dirname(path)
        with open(path, "rb") as file:
            graph = list(fields(dict(fields(file.read()))[7]))
        self.weights = dict(tensor(value, folder) for key, value in graph if key == 5)
        self.nodes = [self._node(value, folder) for key, value in graph if key == 1]
        self.outputs = [dict(fields(value))[1].decode() for key, value in graph if key == 12]

    @staticmethod
    def _node(data, folder):
        found = list(fields(data))
        names = lambda number: [value.decode() for key, value in found if key == number]  # noqa: E731
        attributes = {}
        for key, value in found:
            if key == 5:
                parts = list(fields(value))
                last = dict(parts)
                kind = last.get(20)
                attributes[last[1].decode()] = {
                    1: lambda: struct.unpack("<f", last[2])[0],
                    2: lambda: signed(last.get(3, 0)),
                    3: lambda: last[4].decode(),
                    4: lambda: tensor(last[5], folder)[1],
                    7: lambda: numbers(parts, 8),
                }[kind]()
        return names(4)[0], names(1), names(2), attributes

    def __call__(self, **given):
        values = {**self.weights, **given}
        for kind, inputs, outputs, attributes in self.nodes:
            arguments = [values[name] if name else None for name in inputs]
            results = OPERATORS[kind](attributes, *arguments)
            values.update(zip(outputs, results if isinstance(results, (tuple, list)) else [results]))
        return {name: values[name] for name in self.outputs}
