"""What a world's frames are: size, rate, and how its arrays are laid out."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional

from .errors import DreamloopError, found

__all__ = ["Video"]

LAYOUTS = ("hwc", "chw", "cthw")
RANGES = ("full", "unit", "signed")
_MAX_SIDE = 16_384


class Video:
    """Size, rate and layout of a world's frames.

    ``width`` and ``height`` are pixels, ``fps`` is the world's own rate. ``layout`` says how the arrays that ``step`` returns are laid out:
    ``"hwc"`` (default; rows, columns, channels), ``"chw"``, or ``"cthw"`` (channels first, then frames, as video models give it). ``range`` says what their numbers
    mean: ``"full"`` (default; ``uint8``, 0 to 255), ``"unit"`` (floats, 0 to 1) or ``"signed"`` (floats, -1 to 1). ``frames_per_step`` is
    1 unless said otherwise, ``first_step_frames`` the same as it. ``deterministic`` is True; say False where the same inputs and seed may give other frames
    on the same machine. ``input_latency_steps`` is 0: how many steps later than the next one an input shows.
    """

    def __init__(
        self,
        width: int,
        height: int,
        fps: float,
        *,
        layout: str = "hwc",
        range: str = "full",
        frames_per_step: int = 1,
        first_step_frames: Optional[int] = None,
        deterministic: bool = True,
        input_latency_steps: int = 0,
    ) -> None:
        self.width = _count("width", width)
        self.height = _count("height", height)
        if isinstance(fps, bool) or not isinstance(fps, (int, float)) or not math.isfinite(fps) or not 0 < fps <= 1000:
            raise _refused("fps", "a number above 0 and at most 1000", fps)
        self.fps = float(fps)
        self.layout = _choice("layout", layout, LAYOUTS)
        self.range = _choice("range", range, RANGES)
        self.frames_per_step = _count("frames_per_step", frames_per_step)
        self.first_step_frames = self.frames_per_step if first_step_frames is None else _count("first_step_frames", first_step_frames)
        if not isinstance(deterministic, bool):
            raise _refused("deterministic", "True or False", deterministic)
        self.deterministic = deterministic
        self.input_latency_steps = _count("input_latency_steps", input_latency_steps, 0, 1000)

    def frames_of_step(self, step_index: int) -> int:
        """Frames that the step with this index gives."""
        return self.first_step_frames if step_index == 0 else self.frames_per_step

    @property
    def chunk_bytes(self) -> int:
        """Bytes of the largest chunk as it travels: packed 8-bit RGB."""
        return self.width * self.height * 3 * max(self.frames_per_step, self.first_step_frames)

    def describe(self) -> Dict[str, Any]:
        """The form in which it crosses to the driver."""
        return {
            "width": self.width,
            "height": self.height,
            "framesPerSecond": self.fps,
            "framesPerStep": self.frames_per_step,
            "firstStepFrames": self.first_step_frames,
            "inputLatencySteps": self.input_latency_steps,
            "deterministic": self.deterministic,
        }

    def __repr__(self) -> str:
        return f"Video({self.width}, {self.height}, fps={self.fps:g}, layout={self.layout!r}, range={self.range!r})"


def _refused(name: str, expected: str, value: Any) -> DreamloopError:
    return DreamloopError("invalid_value", f"Video.{name}: expected {expected}, found {found(value)}")


def _count(name: str, value: Any, least: int = 1, most: int = _MAX_SIDE) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _refused(name, f"an integer from {least} to {most}", value)
    return value


def _choice(name: str, value: Any, allowed: Any) -> str:
    if value not in allowed:
        raise _refused(name, "one of " + ", ".join(repr(each) for each in allowed), value)
    return str(value)
