"""Turns values into a JSON header and raw bytes, and back; used for inputs, metadata and snapshots (docs/session-protocol.md)."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Tuple

import numpy as np

from .errors import DreamloopError, found

MAX_DEPTH = 64
_MAX_SAFE_INTEGER = 2**53 - 1
_ALIGNMENT = 8
ARRAY_TYPES = {
    name: np.dtype(name).newbyteorder("<")
    for name in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64", "bool")
}


class Encoder:
    """Collects the raw bytes of the arrays of one message while their places in the header are written."""

    def __init__(self) -> None:
        self._chunks: List[Any] = []
        self.size = 0

    def encode(self, value: Any, place: str, depth: int = MAX_DEPTH) -> Any:
        """The value as JSON; arrays become references into the payload. Refuses what is neither plain nor an array, naming ``place``."""
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, (int, np.integer)):
            return int(value) if abs(int(value)) <= _MAX_SAFE_INTEGER else {"$int": str(int(value))}
        if isinstance(value, (float, np.floating)):
            return float(value) if math.isfinite(value) else {"$float": repr(float(value))}
        if isinstance(value, np.bool_):
            return bool(value)
        if depth == 0:
            raise DreamloopError("invalid_value", f"{place}: nested deeper than {MAX_DEPTH} levels; does it contain itself?")
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return {"$bytes": self._put(memoryview(value).cast("B"))}
        if isinstance(value, tuple):
            return {"$tuple": [self.encode(each, f"{place}[{index}]", depth - 1) for index, each in enumerate(value)]}
        if isinstance(value, list):
            return [self.encode(each, f"{place}[{index}]", depth - 1) for index, each in enumerate(value)]
        if isinstance(value, (set, frozenset)):
            return {"$set": [self.encode(each, f"{place}{{}}", depth - 1) for each in sorted(value, key=repr)]}
        if isinstance(value, dict):
            return self._dictionary(value, place, depth)
        if type(value).__module__.split(".")[0] == "torch" and hasattr(value, "detach"):
            array = value.detach().to("cpu")
            name = str(array.dtype).replace("torch.", "")
            raw = array.float().numpy() if name == "bfloat16" else array.numpy()
            return {"$torch": self._array(raw, place)["$array"], "dtype": name, "device": str(value.device)}
        raise DreamloopError(
            "invalid_state",
            f"{place}: expected plain values and arrays (numbers, strings, lists, dicts, NumPy arrays, tensors), found {found(value)}; "
            "keep objects of your own on self, or write snapshot and restore",
        )

    def payload(self) -> bytes:
        """All bytes in order."""
        return b"".join(self._chunks)

    def _dictionary(self, value: Dict[Any, Any], place: str, depth: int) -> Any:
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: self.encode(each, f"{place}[{key!r}]", depth - 1) for key, each in value.items()}
        pairs = [[self.encode(key, f"{place} (a key)", depth - 1), self.encode(each, f"{place}[{key!r}]", depth - 1)] for key, each in value.items()]
        return {"$map": pairs}

    def _array(self, array: Any, place: str) -> Dict[str, Any]:
        name = array.dtype.name
        if name not in ARRAY_TYPES:
            raise DreamloopError("invalid_value", f"{place}: arrays of dtype {name} do not travel; use one of {', '.join(ARRAY_TYPES)}")
        raw = np.ascontiguousarray(array, dtype=ARRAY_TYPES[name])
        return {"$array": {"type": name, "shape": list(array.shape), **self._put(memoryview(raw.reshape(-1)).cast("B"))}}

    def _put(self, raw: Any) -> Dict[str, int]:
        offset = self.size
        self._chunks.append(raw)
        padding = -len(raw) % _ALIGNMENT
        if padding:
            self._chunks.append(bytes(padding))
        self.size += len(raw) + padding
        return {"offset": offset, "bytes": len(raw)}


def encode(value: Any, place: str) -> Tuple[Any, bytes]:
    """A value as JSON and payload."""
    encoder = Encoder()
    return encoder.encode(value, place), encoder.payload()


def decode(value: Any, payload: Any, depth: int = MAX_DEPTH) -> Any:
    """The value that ``encode`` took; arrays are read-only views of ``payload``. Refuses references that leave the payload."""
    if not isinstance(value, (dict, list)):
        return value
    if depth == 0:
        raise _broken("nested too deeply", value)
    if isinstance(value, list):
        return [decode(each, payload, depth - 1) for each in value]
    tag = next(iter(value), "")
    if not isinstance(tag, str) or not tag.startswith("$"):
        return {key: decode(each, payload, depth - 1) for key, each in value.items()}
    try:
        return _decode_tagged(tag, value, payload, depth)
    except DreamloopError:
        raise
    except Exception as error:  # whatever a broken header provokes
        raise _broken(f"{tag} cannot be read ({error})", value[tag]) from error


def _decode_tagged(tag: str, value: Dict[str, Any], payload: Any, depth: int) -> Any:
    inner = value[tag]
    if tag == "$array":
        return _decode_array(inner, payload)
    if tag == "$bytes":
        return bytes(_slice(inner, payload))
    if tag == "$tuple":
        return tuple(decode(each, payload, depth - 1) for each in _list(inner))
    if tag == "$set":
        return {decode(each, payload, depth - 1) for each in _list(inner)}
    if tag == "$map":
        return {decode(key, payload, depth - 1): decode(each, payload, depth - 1) for key, each in inner}
    if tag == "$int":
        return int(str(inner)[:400])
    if tag == "$float":
        return float(inner)
    if tag == "$torch":
        import torch  # only worlds that use PyTorch get here

        tensor = torch.from_numpy(_decode_array(inner, payload).copy())
        return tensor.to(dtype=getattr(torch, str(value["dtype"])), device=str(value["device"]))
    raise _broken(f"unknown tag {tag}", inner)


def _decode_array(reference: Dict[str, Any], payload: Any) -> Any:
    dtype = ARRAY_TYPES[reference["type"]]
    shape = tuple(int(side) for side in _list(reference["shape"]))
    raw = _slice(reference, payload)
    if any(side < 0 for side in shape) or math.prod(shape) * dtype.itemsize != len(raw):
        raise _broken("an array whose shape and bytes differ", reference)
    array = np.frombuffer(raw, dtype=dtype).reshape(shape)
    array.flags.writeable = False
    return array


def _slice(reference: Dict[str, Any], payload: Any) -> Any:
    offset, size = reference["offset"], reference["bytes"]
    if type(offset) is not int or type(size) is not int or offset < 0 or size < 0 or offset + size > len(payload):
        raise _broken("bytes outside of the payload", reference)
    return memoryview(payload)[offset : offset + size]


def _list(value: Any) -> List[Any]:
    if not isinstance(value, list):
        raise _broken("a list is missing", value)
    return value


def _broken(what: str, value: Any) -> DreamloopError:
    return DreamloopError("invalid_value", f"message: {what}: {found(value)}")
