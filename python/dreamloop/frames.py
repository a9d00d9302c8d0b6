"""Turns what ``step`` returned into packed 8-bit RGB frames, where the data lie."""

from __future__ import annotations

import sys
from typing import Any, Optional, Tuple

import numpy as np

from .errors import DreamloopError, found
from .video import Video

#: How far beyond its declared range a float picture may reach before it is taken for one in another range.
_OVERSHOOT = 16.0
_SCALES = {"unit": (255.0, 0.0), "signed": (127.5, 127.5)}
_CHANNEL_AXES = {"hwc": 3, "chw": 1, "cthw": 0}


def write_frames(frames: Any, video: Video, frame_count: int, target: "np.ndarray[Any, Any]", place: Optional[str]) -> None:
    """Writes the frames of a step into ``target``, ``uint8`` of shape (frames, height, width, 3).

    Arrays of NumPy, PyTorch and CuPy are taken in the declared layout and range and converted on their device, so that one copy of bytes leaves it.
    Refuses another shape, dtype or range, and NaN or infinity (``bad_frame``); the error names ``place``.
    """
    if isinstance(frames, np.ndarray) and frames.size == target.size and np.may_share_memory(frames, target):
        if frames.dtype == np.uint8 and frames.flags.c_contiguous and frames.ctypes.data == target.ctypes.data:
            return  # the author wrote into ctx.frames
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(frames, torch.Tensor):
        _write_torch(torch, frames, video, frame_count, target, place)
        return
    cupy = sys.modules.get("cupy")
    library = cupy if cupy is not None and isinstance(frames, cupy.ndarray) else np
    array = _as_array(frames, library, frame_count, place)
    packed = _packed(_arranged(array, video, frame_count, place), video, library, place)
    if library is np:
        np.copyto(target, packed)
    else:
        packed.get(out=target)


def _as_array(frames: Any, library: Any, frame_count: int, place: Optional[str]) -> Any:
    if isinstance(frames, library.ndarray):
        return frames
    if isinstance(frames, (list, tuple)):
        if len(frames) != frame_count:
            raise _refused(f"a list of {frame_count} frame(s)", frames, place)
        frames = [np.asarray(frame) for frame in frames]
        if len({frame.shape for frame in frames}) != 1:
            raise _refused("frames of one shape", frames, place)
        return np.stack(frames)
    if frames is None or not hasattr(frames, "__array_interface__"):
        hint = "; does it end without return?" if frames is None else ""
        raise _refused(f"an array or tensor with {frame_count} frame(s){hint}", frames, place)
    return np.asarray(frames)


def _arranged(array: Any, video: Video, frame_count: int, place: Optional[str]) -> Any:
    """The array as (frames, height, width, 3); a view."""
    shape = tuple(int(side) for side in array.shape)
    full = _full_shape(video, frame_count)
    single = tuple(side for axis, side in enumerate(full) if axis != (1 if video.layout == "cthw" else 0))
    if shape == single and frame_count == 1:
        array = array.reshape(full)
    elif shape == (1, *full):  # a batch of one
        array = array[0]
    elif shape != full:
        raise DreamloopError("step_failed", f"step() returned {found(array)}; {_shape_advice(shape, full, single, frame_count, video)}", place=place)
    if video.layout == "chw":
        return array.transpose(0, 2, 3, 1) if not _is_torch(array) else array.permute(0, 2, 3, 1)
    if video.layout == "cthw":
        return array.transpose(1, 2, 3, 0) if not _is_torch(array) else array.permute(1, 2, 3, 0)
    return array


def _shape_advice(shape: Tuple[int, ...], full: Tuple[int, ...], single: Tuple[int, ...], frame_count: int, video: Video) -> str:
    wanted = f"expected shape {single if frame_count == 1 else full} (layout {video.layout!r})"
    for layout in _CHANNEL_AXES:
        other = Video(video.width, video.height, video.fps, layout=layout, frames_per_step=video.frames_per_step)
        candidate = _full_shape(other, frame_count)
        if layout != video.layout and shape in (candidate, tuple(side for axis, side in enumerate(candidate) if axis != (1 if layout == "cthw" else 0))):
            return f"{wanted}; the array is laid out as {layout!r}: say Video(..., layout={layout!r}) or turn it"
    channels = shape[_CHANNEL_AXES[video.layout] - len(full)] if len(shape) >= 3 else None
    if channels in (1, 4):
        return f"{wanted}; it has {channels} channel(s) and frames have 3: {'repeat it' if channels == 1 else 'leave alpha out'}"
    if len(shape) == 2:
        return f"{wanted}; a grey picture needs its channel three times"
    if len(shape) == len(full) and shape[0] != full[0] and video.layout != "cthw":
        return f"{wanted}; this step has {frame_count} frame(s), see Video(frames_per_step=...)"
    if sorted(shape[-3:]) == sorted(full[-3:]):
        return f"{wanted}; are width and height the other way round?"
    return wanted


def _full_shape(video: Video, frame_count: int) -> Tuple[int, ...]:
    height, width = video.height, video.width
    if video.layout == "hwc":
        return (frame_count, height, width, 3)
    return (frame_count, 3, height, width) if video.layout == "chw" else (3, frame_count, height, width)


def _packed(array: Any, video: Video, library: Any, place: Optional[str]) -> Any:
    is_float = array.dtype.kind == "f"
    if video.range == "full":
        if array.dtype != library.uint8:
            raise _wrong_dtype(array, video, is_float, place)
        return array
    if not is_float:
        raise _wrong_dtype(array, video, is_float, place)
    if array.dtype == library.float16:
        array = array.astype(library.float32)
    _check_range(float(array.min()), float(array.max()), video, place)
    scale, offset = _SCALES[video.range]
    scaled = array * scale
    scaled += offset + 0.5
    library.clip(scaled, 0, 255, out=scaled)
    return scaled.astype(library.uint8)  # cuts off, which after adding a half is rounding half up


def _write_torch(torch: Any, tensor: Any, video: Video, frame_count: int, target: "np.ndarray[Any, Any]", place: Optional[str]) -> None:
    tensor = _arranged(tensor.detach(), video, frame_count, place)
    if video.range == "full":
        if tensor.dtype != torch.uint8:
            raise _wrong_dtype(tensor, video, tensor.is_floating_point(), place)
    else:
        if not tensor.is_floating_point():
            raise _wrong_dtype(tensor, video, False, place)
        if tensor.dtype in (torch.float16, torch.bfloat16):
            tensor = tensor.float()
        low, high = torch.aminmax(tensor)
        _check_range(float(low), float(high), video, place)
        scale, offset = _SCALES[video.range]
        tensor = (tensor * scale).add_(offset + 0.5).clamp_(0, 255).to(torch.uint8)
    torch.from_numpy(target).copy_(tensor)


def _check_range(low: float, high: float, video: Video, place: Optional[str]) -> None:
    if not (low - low == 0 and high - high == 0):  # false for NaN and infinity
        raise DreamloopError("bad_frame", "step() returned a frame with NaN or infinity; the rollout stops at the last good step", place=place)
    least, most = (0, 1) if video.range == "unit" else (-1, 1)
    if high > most + _OVERSHOOT or low < least - _OVERSHOOT:
        raise DreamloopError(
            "step_failed",
            f"step() returned values from {low:g} to {high:g}, and range={video.range!r} means {least} to {most}; "
            "divide them, or declare the range that they have",
            place=place,
        )


def _wrong_dtype(array: Any, video: Video, is_float: bool, place: Optional[str]) -> DreamloopError:
    wanted = "uint8 (0 to 255)" if video.range == "full" else "floats"
    advice = 'say Video(..., range="unit") for 0 to 1 or range="signed" for -1 to 1' if is_float else "convert it with astype or to"
    if video.range != "full":
        advice = 'say Video(..., range="full") if they are 0 to 255' if "uint8" in str(array.dtype) else "convert it to float32"
    return DreamloopError("step_failed", f"step() returned {found(array)}; range={video.range!r} means {wanted}; {advice}", place=place)


def _refused(expected: str, value: Any, place: Optional[str]) -> DreamloopError:
    return DreamloopError("step_failed", f"step() returned {found(value)}; expected {expected}", place=place)


def _is_torch(array: Any) -> bool:
    return type(array).__module__.split(".")[0] == "torch"
