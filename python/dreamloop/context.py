"""What the functions of a world are given."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from .controls import Fields
from .errors import Cancelled
from .random import RandomStream
from .video import Video

__all__ = ["LoadContext", "RolloutContext", "StepContext"]


class _Context:
    """What every function of a world is given."""

    def __init__(
        self,
        *,
        video: Video,
        options: Fields,
        config: Dict[str, Any],
        is_cancelled: Callable[[], bool],
        log: Callable[[str], None],
        rank: int = 0,
        ranks: int = 1,
    ) -> None:
        #: Size, rate and layout of the frames.
        self.video = video
        #: The world's own options.
        self.options = options
        #: The configuration in force: ``device``, ``precision``, ``model`` and so on, as the driver gave it.
        self.config = config
        #: Which of the processes that run the world together this is: 0 to ``ranks - 1``. Only the frames of rank 0 count.
        self.rank = rank
        #: How many processes run the world together; 1 unless the configuration says ``resourceHints.ranks``.
        self.ranks = ranks
        self._is_cancelled = is_cancelled
        self._log = log

    @property
    def device(self) -> str:
        """The device that the configuration asks for; ``cpu`` unless said otherwise."""
        return str(self.config.get("device") or "cpu")

    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the result any longer; long work looks at it now and then."""
        return self._is_cancelled()

    def check_cancelled(self) -> None:
        """Raises ``Cancelled`` when nobody wants the result any longer."""
        if self._is_cancelled():
            raise Cancelled()

    def log(self, text: str) -> None:
        """Writes a line to the log of the program that runs the world."""
        self._log(str(text))


class LoadContext(_Context):
    """What ``load`` is given."""

    def __init__(self, *, progress: Callable[[str, Optional[float]], None], **rest: Any) -> None:
        super().__init__(**rest)
        self._progress = progress

    def progress(self, stage: str, fraction: Optional[float] = None) -> None:
        """Tells what happens now, such as ``"weights"``, and how much of it is done, 0 to 1."""
        self._progress(str(stage), None if fraction is None else min(1.0, max(0.0, float(fraction))))


class RolloutContext(_Context):
    """What ``start`` is given; the same for every step of a rollout."""

    _purpose = "start"

    def __init__(self, *, model: Any, initial: Fields, seed: int, step_index: int = 0, **rest: Any) -> None:
        super().__init__(**rest)
        #: What ``load`` returned; shared by all sessions and not to be changed.
        self.model = model
        #: The initial inputs in force: as given, with defaults, amended by updates.
        self.initial = initial
        #: The seed of the rollout.
        self.seed = seed
        #: Index of the step since the start or the last reset.
        self.step_index = step_index

    def random(self, stream: str, sub_step: int = 0) -> RandomStream:
        """Random numbers that depend on the seed, the step and the name alone: ``ctx.random("noise").normal((4, 28, 48))``."""
        return RandomStream(seed=self.seed, step=self.step_index, sub_step=sub_step, stream=f"{self._purpose}/{stream}")


class StepContext(RolloutContext):
    """What ``step`` and ``finalize`` are given."""

    _purpose = "step"

    def __init__(
        self,
        *,
        controls: Fields,
        inputs: Fields,
        state: Any,
        updated: Tuple[str, ...],
        make_frames: Callable[[], "np.ndarray[Any, Any]"],
        **rest: Any,
    ) -> None:
        super().__init__(**rest)
        #: What the controls say right now: ``ctx.controls.drive.steer``.
        self.controls = controls
        #: The inputs of this step beside the controls, see ``World.step_inputs``.
        self.inputs = inputs
        #: What the step before gave; a new state is made from it, the old one stays as it was (unless the world says ``in_place``).
        self.state = state
        #: Names of the initial inputs that an update changed at this step.
        self.updated = updated
        self._make_frames = make_frames
        self._frames: Optional["np.ndarray[Any, Any]"] = None

    @property
    def frame_count(self) -> int:
        """Frames of this step."""
        return self.video.frames_of_step(self.step_index)

    @property
    def seconds(self) -> float:
        """Duration of this step on the world's own timeline; advance by this, never by a clock."""
        return self.frame_count / self.video.fps

    @property
    def frames(self) -> "np.ndarray[Any, Any]":
        """An array for the frames of this step, all zero, ``uint8`` of shape (height, width, 3), with the frames as the first axis where a step has several.

        It lies in the memory that the driver reads: a world that draws into it and returns it hands its frames over without a copy.
        """
        if self._frames is None:
            frames = self._make_frames()
            self._frames = frames[0] if self.frame_count == 1 else frames
        return self._frames


class Step:
    """What ``step`` may return when frames and state are not all: ``Step(frames, state, last=True)``.

    ``last`` ends the rollout with this step, ``metadata`` holds further facts, ``metrics`` measurements by name (``{"denoise_ms": 12.5}``).
    """

    def __init__(
        self,
        frames: Any,
        state: Any = None,
        *,
        last: bool = False,
        metadata: Optional[Dict[str, Any]] = None,
        metrics: Optional[Dict[str, float]] = None,
    ) -> None:
        self.frames = frames
        self.state = state
        self.last = last
        self.metadata: Dict[str, Any] = dict(metadata or {})
        self.metrics: Dict[str, float] = dict(metrics or {})


def metric_samples(metrics: Dict[str, float]) -> List[Dict[str, Any]]:
    """Measurements in the form in which they cross to the driver; units follow from the ending of the name, and times become seconds."""
    units = (("_s", "s", "timing"), ("_fps", "fps", "throughput"), ("_bytes", "bytes", "memory"), ("_count", "count", "runtime"))
    samples = []
    for name, value in metrics.items():
        if name.endswith("_ms"):
            name, value = f"{name[:-3]}_s", value / 1000
        unit, category = next(((unit, category) for ending, unit, category in units if name.endswith(ending)), ("value", "runtime"))
        samples.append({"name": name, "value": float(value), "unit": unit, "category": category})
    return samples
