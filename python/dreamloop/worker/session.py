"""One rollout inside the worker: its state, and the transaction of a step."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from ..context import RolloutContext, Step, StepContext, metric_samples
from ..controls import Fields, control_fields
from ..errors import DreamloopError, found
from ..frames import write_frames
from ..inputs import values_of
from ..values import decode, encode
from .loaded import LoadedWorld
from .state import frozen, thawed

SNAPSHOT_FORMAT = 1


class Position:
    """Everything that a rollout is at a step boundary."""

    __slots__ = ("seed", "step_index", "initial", "state", "is_complete")

    def __init__(self, seed: int, step_index: int, initial: Dict[str, Any], state: Any, is_complete: bool) -> None:
        self.seed = seed
        self.step_index = step_index
        self.initial = initial
        self.state = state
        self.is_complete = is_complete


class FrameTarget:
    """Where the frames of a step are written: a slot of shared memory, or memory of this process when none is free."""

    __slots__ = ("slot", "array")

    def __init__(self, slot: Optional[int], array: "np.ndarray[Any, Any]") -> None:
        self.slot = slot
        self.array = array


class Session:
    """A session of a loaded world. Requests carry numbers that count up by one; the last number again gives the last reply again."""

    def __init__(self, world: LoadedWorld, seed: int, initial: Dict[str, Any], is_cancelled: Callable[[], bool]) -> None:
        self._world = world
        self._position = self._first(seed, values_of(world.declaration.inputs, initial, "ModelInputs.initial"), is_cancelled)
        self._before: Optional[Position] = None
        self._pending: Optional[Tuple[Position, StepContext]] = None
        self._number = 0
        self._reply: Tuple[Dict[str, Any], Any] = ({}, b"")
        self._kept_slot: Optional[int] = None

    @property
    def status(self) -> Dict[str, Any]:
        """Where the rollout is, for every reply."""
        position = self._pending[0] if self._pending is not None else self._position
        return {"stepIndex": position.step_index, "isComplete": position.is_complete}

    def repeated(self, number: int) -> Optional[Tuple[Dict[str, Any], Any]]:
        """The reply to a request that has been answered already; refuses numbers out of order."""
        if number == self._number and number > 0:
            if self._kept_slot is not None:
                self._world.slots.keep(self._kept_slot)  # type: ignore[union-attr]
            return self._reply
        if number != self._number + 1:
            raise DreamloopError("invalid_state", f"request number {number}: expected {self._number + 1}, or {self._number} again")
        return None

    def answered(self, number: int, reply: Dict[str, Any], payload: Any = b"") -> Tuple[Dict[str, Any], Any]:
        """Notes the reply to a numbered request."""
        if self._kept_slot is not None:
            self._world.slots.release(self._kept_slot)  # type: ignore[union-attr]
            self._kept_slot = None
        slot = reply.get("frames", {}).get("slot") if isinstance(reply.get("frames"), dict) else None
        if slot is not None:
            self._world.slots.keep(slot)  # type: ignore[union-attr]
            self._kept_slot = slot
        self._number = number
        self._reply = (reply, payload)
        return self._reply

    def step(self, inputs: Dict[str, Any], update: Dict[str, Any], is_cancelled: Callable[[], bool]) -> Tuple[Dict[str, Any], Any]:
        """Runs one step; its state counts only if it succeeds."""
        world, position = self._world, self._position
        if self._pending is not None:
            raise DreamloopError("invalid_state", "the step before is not finalised; finalise or discard it first")
        if position.is_complete:
            raise DreamloopError("invalid_state", "the rollout is complete; reset the session")
        initial = self._updated(update)
        target: Optional[FrameTarget] = None
        video = world.video

        def make_frames() -> "np.ndarray[Any, Any]":
            nonlocal target
            if target is None:
                target = self._target(video.frames_of_step(position.step_index))
                target.array[...] = 0
            return target.array

        state = thawed(position.state) if world.cls.in_place else position.state
        controls, further = self._step_inputs(inputs)
        context = StepContext(
            controls=controls,
            inputs=further,
            state=state,
            updated=tuple(update),
            make_frames=make_frames,
            model=world.model,
            initial=Fields(initial, "ctx.initial"),
            seed=position.seed,
            step_index=position.step_index,
            **world.surroundings(is_cancelled),
        )
        place = world.declaration.method("step")
        try:
            outcome = self._read_outcome(world.call("step", context), context, place)
            if is_cancelled():
                raise DreamloopError("cancelled", "the step was cancelled")
            frame_count = video.frames_of_step(position.step_index)
            if world.rank == 0:
                if target is None:
                    target = self._target(frame_count)
                world.guard("step", lambda: write_frames(outcome.frames, video, frame_count, target.array, place))  # type: ignore[union-attr]
            metadata = _plain(outcome.metadata, "step() metadata", place)
            metrics = metric_samples(outcome.metrics)
        except BaseException:
            if target is not None and target.slot is not None:
                world.slots.release(target.slot)  # type: ignore[union-attr]
            raise
        max_steps = world.cls.max_steps
        is_complete = outcome.last or (max_steps is not None and position.step_index + 1 >= max_steps)
        state_after = outcome.state if world.cls.in_place else frozen(outcome.state)
        after = Position(position.seed, position.step_index + 1, initial, state_after, is_complete)
        if world.declaration.has_finalize:
            self._pending = (after, context)
        else:
            self._before, self._position = position, after
        reply: Dict[str, Any] = {"index": position.step_index, "frameCount": frame_count, "metadata": metadata, "metrics": metrics}
        payload: Any = b""
        if world.rank > 0 or target is None:
            # Only the frames of rank 0 go anywhere.
            reply["frames"] = {"bytes": 0}
        elif target.slot is None:
            payload = memoryview(target.array.reshape(-1))
            reply["frames"] = {"bytes": len(payload)}
        else:
            reply["frames"] = {"slot": target.slot, "bytes": target.array.size}
        return reply, payload

    def finalize(self, is_cancelled: Callable[[], bool]) -> None:
        """Completes the step just returned."""
        if self._pending is None:
            return
        after, context = self._pending
        context._is_cancelled = is_cancelled
        state = self._world.call("finalize", context, after.state)
        if state is None and after.state is not None:
            place = self._world.declaration.method("finalize")
            raise DreamloopError("step_failed", "finalize() returned None; return the state to keep", place=place)
        after.state = state if self._world.cls.in_place else frozen(state)
        self._before, self._position, self._pending = None, after, None

    def discard(self) -> None:
        """Takes the step just returned back, once."""
        if self._pending is not None:
            self._pending = None
        elif self._before is not None:
            self._position, self._before = self._before, None

    def reset(self, seed: Optional[int], initial: Optional[Dict[str, Any]], is_cancelled: Callable[[], bool]) -> None:
        """Starts the rollout anew; when that fails, the old one goes on."""
        specs = self._world.declaration.inputs
        values = self._position.initial if initial is None else values_of(specs, initial, "ModelInputs.initial")
        position = self._first(self._position.seed if seed is None else seed, values, is_cancelled)
        self._position, self._before, self._pending = position, None, None

    def snapshot(self) -> bytes:
        """Everything that the rollout is, as bytes: a line of JSON, then the arrays."""
        if self._pending is not None:
            raise DreamloopError("invalid_state", "the step before is not finalised; snapshots are taken at step boundaries")
        position = self._position
        world = self._world
        data = world.call("snapshot", position.state)
        place = f"{world.declaration.method('step')}: the state"
        content = {"seed": position.seed, "stepIndex": position.step_index, "initial": position.initial, "isComplete": position.is_complete}
        header, payload = encode({**content, "state": data}, place)
        line = json.dumps({"format": SNAPSHOT_FORMAT, "world": world.identity, "content": header}, allow_nan=False, separators=(",", ":"))
        return line.encode("utf-8") + b"\n" + payload

    def restore(self, data: Any, seed_from_here: Optional[int] = None) -> None:
        """Continues from a snapshot of the same world and version, with its seed or another; refuses what is none."""
        raw = memoryview(data)
        end = bytes(raw).find(b"\n")
        try:
            header = json.loads(bytes(raw[: max(0, end)]).decode("utf-8"))
            if header["format"] != SNAPSHOT_FORMAT or header["world"] != self._world.identity:
                raise ValueError(f"it is of {header['world']!r}, this is {self._world.identity!r}")
            # Copied, so that the arrays of the state do not depend on the message.
            content = decode(header["content"], bytes(raw[end + 1 :]))
            seed, step_index, is_complete = content["seed"], content["stepIndex"], content["isComplete"]
            if type(seed) is not int or type(step_index) is not int or not isinstance(is_complete, bool):
                raise ValueError("its counters are missing")
            initial = values_of(self._world.declaration.inputs, content["initial"], "snapshot.initial")
            state = content["state"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DreamloopError("invalid_value", f"restore: this is no snapshot of this world: {error}") from None
        made = self._world.call("restore", state)
        seed = seed if seed_from_here is None else seed_from_here
        position = Position(seed, step_index, initial, made if self._world.cls.in_place else frozen(made), is_complete)
        self._position, self._before, self._pending = position, None, None

    def close(self) -> None:
        """Gives the memory of the last reply back."""
        if self._kept_slot is not None:
            self._world.slots.release(self._kept_slot)  # type: ignore[union-attr]
            self._kept_slot = None
        self._position.state = None

    def _first(self, seed: int, initial: Dict[str, Any], is_cancelled: Callable[[], bool]) -> Position:
        world = self._world
        missing = _unmet_alternatives(world.cls.alternatives, initial)
        if missing:
            raise DreamloopError("missing_input", f"ModelInputs.initial: missing required {missing}")
        context = RolloutContext(
            model=world.model, initial=Fields(initial, "ctx.initial"), seed=seed, step_index=0, **world.surroundings(is_cancelled)
        )
        state = world.call("start", context)
        if state is None and world.declaration.has_start:
            place = world.declaration.method("start")
            raise DreamloopError("step_failed", "start() returned None; return the state before the first step", place=place)
        return Position(seed, 0, initial, state if world.cls.in_place else frozen(state), False)

    def _updated(self, update: Dict[str, Any]) -> Dict[str, Any]:
        specs = self._world.declaration.inputs
        refused = [name for name in update if name not in specs or specs[name].live is False]
        if refused:
            live = ", ".join(name for name, spec in specs.items() if spec.live is not False) or "none"
            names = ", ".join(repr(name) for name in refused)
            raise DreamloopError("update_refused", f"ModelInputs.update: no live input {names}; live ones: {live}", details={"fields": refused})
        if not update:
            return self._position.initial
        checked = {name: specs[name].check(given, f"ModelInputs.update.{name}") for name, given in update.items()}
        return {**self._position.initial, **checked}

    def _step_inputs(self, inputs: Dict[str, Any]) -> Tuple[Fields, Fields]:
        declaration = self._world.declaration
        known = {**declaration.controls, **declaration.optional_controls}
        further = {name: given for name, given in inputs.items() if name not in known}
        values = Fields(values_of(declaration.step_inputs, further, "ModelInputs.step"), "ctx.inputs")
        for name in declaration.controls:
            if not isinstance(inputs.get(name), dict):
                raise DreamloopError("missing_input", f"ModelInputs.step: missing required {name!r}")
        return Fields({name: control_fields(inputs.get(name), f"controls.{name}") for name in known}, "ctx.controls"), values

    def _target(self, frame_count: int) -> FrameTarget:
        video, slots = self._world.video, self._world.slots
        slot = None if slots is None else slots.take()
        if slot is None or slots is None:
            return FrameTarget(None, np.zeros((frame_count, video.height, video.width, 3), np.uint8))
        return FrameTarget(slot, slots.array(slot, frame_count, video.height, video.width))

    def _read_outcome(self, returned: Any, context: StepContext, place: Optional[str]) -> Step:
        has_state = self._world.declaration.has_start or self._position.state is not None
        in_place = self._world.cls.in_place
        if isinstance(returned, Step):
            outcome = returned
        elif isinstance(returned, tuple) and len(returned) == 2 and not _is_frame(returned[1]):
            outcome = Step(*returned)
        elif isinstance(returned, tuple) and has_state and len(returned) == 2:
            outcome = Step(*returned)
        elif isinstance(returned, dict):
            message = f"step() returned {found(returned)}; return the frames, (frames, state) or dreamloop.Step(frames, state)"
            raise DreamloopError("step_failed", message, place=place)
        else:
            outcome = Step(returned)
        if outcome.frames is None and self._world.rank == 0:
            raise DreamloopError("step_failed", "step() returned None for its frames; does it end without return?", place=place)
        if outcome.state is None and has_state:
            if not in_place:
                message = "step() returned frames without a state; return (frames, state), or set in_place = True if it changes ctx.state"
                raise DreamloopError("step_failed", message, place=place)
            outcome.state = context.state
        if not isinstance(outcome.last, bool):
            raise DreamloopError("step_failed", f"Step(last=...): expected True or False, found {found(outcome.last)}", place=place)
        return outcome


def _is_frame(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype") and len(value.shape) >= 3


def _unmet_alternatives(alternatives: Any, initial: Dict[str, Any]) -> str:
    if not alternatives or any(all(initial.get(name) is not None for name in names) for names in alternatives):
        return ""
    return " or ".join(names[0] if len(names) == 1 else f"({' and '.join(names)})" for names in alternatives)


def _plain(value: Any, what: str, place: Optional[str]) -> Dict[str, Any]:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise DreamloopError("step_failed", f"{what}: expected plain JSON, found {found(value)} ({error})", place=place) from None
    return dict(value)

