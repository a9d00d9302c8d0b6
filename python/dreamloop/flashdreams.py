"""Runs models that are written for FlashDreams: adapters of its runtime, and its native pipelines.

``dreamloop run flashdreams:package.module:Adapter`` runs an adapter as it is. From a Python file of your own::

    from dreamloop import Video
    from dreamloop.flashdreams import world_of
    from my_package import Adapter

    World = world_of(Adapter(), video=Video(1280, 704, fps=30, layout="chw", range="signed", frames_per_step=8, first_step_frames=5))

The names are those of ``flashdreams.runtime`` as of revision 1cbf9c13 (``InferenceInput``, ``canonical_input_schema``,
``map_global_conditioning_inputs``) and of pull request 403 before it (``ModelInputs``, ``map_initial_inputs``).
"""

from __future__ import annotations

import importlib
import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Type

from .context import LoadContext, RolloutContext, Step, StepContext
from .controls import MODALITIES, Fields
from .errors import DreamloopError, found
from .inputs import Input, choice, flag, number, text, value
from .video import Video
from .world import World

__all__ = ["PipelineWorld", "adapter_world", "world_of"]

#: Axes of an output: batch, view, time, channels, height, width.
LAYOUTS = ("tchw", "btchw", "bvtchw", "bcthw", "thwc", "bthwc", "bvthwc")

_VIDEO_OPTIONS: Dict[str, Input] = {
    "width": number(integer=True, min=1, max=16_384, description="width of a frame in pixels"),
    "height": number(integer=True, min=1, max=16_384, description="height of a frame in pixels"),
    "fps": number(min=0.1, max=1000, default=30, description="frames a second on the world's own timeline"),
    "frames_per_step": number(integer=True, min=1, default=1, description="frames of each step after the first"),
    "first_step_frames": number(integer=True, min=1, optional=True, description="frames of the first step; default the same"),
    "range": choice(["signed", "unit", "full"], default="signed", description="what the numbers mean: -1 to 1, 0 to 1, or 0 to 255"),
    "deterministic": flag(default=False, description="whether the same inputs and seed give the same frames on the same machine"),
}
_MODEL_OPTIONS = {"compile": "compile", "graphCapture": "cuda_graph"}


class _Rollout:
    """A session that cannot take a step back: knows how far it is, and refuses to be used from an earlier state."""

    def __init__(self, native: Any, close: Callable[[], None]) -> None:
        self.native = native
        self.steps = 0
        self.fault = ""
        self._close: Optional[Callable[[], None]] = close

    def at(self, steps: int) -> Any:
        """The session, if it stands where the caller believes."""
        if self.fault:
            raise DreamloopError("invalid_state", f"{self.fault}; a FlashDreams session cannot take a step back, so reset the session")
        if self.steps != steps:
            message = f"the session has run {self.steps} steps and is asked to continue after {steps}"
            raise DreamloopError("invalid_state", f"{message}; a FlashDreams session cannot take a step back, so reset it")
        return self.native

    def advance(self, work: Callable[[], Any]) -> Any:
        """Runs one step; one that fails leaves the session unusable until a reset."""
        index = self.steps
        try:
            made = work()
        except BaseException as error:
            self.fault = f"step {index} of the session failed ({type(error).__name__}: {error})"
            raise
        self.steps += 1
        return made

    def give_up(self) -> None:
        """Leaves the native session to another rollout."""
        self._close = None
        self.fault = "the session was reset"

    def close(self) -> None:
        """Ends the native session, once."""
        close, self._close = self._close, None
        if close is not None:
            close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # nobody is left who could be told
            pass


class _StatefulWorld(World):
    """What both kinds have in common: the state of a rollout lies in the model and has no snapshot."""

    def snapshot(self, state: Any) -> Any:
        raise DreamloopError("unavailable", "sessions of FlashDreams have no snapshots: their caches lie in the model")


def world_of(adapter: Any, *, video: Optional[Video] = None, layout: str = "tchw") -> Type[World]:
    """Makes a world of a FlashDreams ``ModelAdapter``.

    ``video`` describes the frames; without it the options ``width``, ``height``, ``fps``, ``frames_per_step``, ``first_step_frames``, ``range`` and
    ``deterministic`` do, since the reference's runtime says nothing of them before the first result. ``layout`` names the axes of ``StepResult.output``,
    such as ``"bvtchw"``; batch and view have to be 1. The option ``runtime_options`` goes to ``InferenceConfig.runtime_options`` as it is.

    An update of a field whose ``update_policy`` allows it reaches the session as a global slot that is not empty. What the runtime cannot do stays so: a failed
    step ends the rollout until it is reset, and there are no snapshots. Raises ``invalid_value`` for an object that is no adapter, for a
    modality that no device feeds, and for a mapping that reads raw events.
    """
    _require(adapter, ("model_id", "default_input_mapping", "validate_config", "create_runtime"), "a FlashDreams ModelAdapter")
    names = _Names()
    if layout not in LAYOUTS:
        raise DreamloopError("invalid_value", f"world_of(layout=...): expected one of {', '.join(LAYOUTS)}, found {found(layout)}")
    mapping = adapter.default_input_mapping()
    controls = _controls(adapter, mapping)
    specs = _initial_specs(adapter)
    options: Dict[str, Input] = {"runtime_options": value(default={}, description="the adapter's own options")}
    if video is None:
        options.update(_VIDEO_OPTIONS)

    class AdapterWorld(_StatefulWorld):
        """A model of FlashDreams."""

        def load(self, ctx: LoadContext) -> Any:
            config = names.config(adapter, ctx)
            adapter.validate_config(config)
            if mapping is not None and hasattr(mapping, "validate"):
                names.validate(mapping, adapter)
            self._runtime = adapter.create_runtime(config)
            self._current: Optional[_Rollout] = None
            _require(self._runtime, ("start_session", "close"), "an InferenceRuntime of FlashDreams")

        def start(self, ctx: RolloutContext) -> Dict[str, Any]:
            given = {name: each for name, each in ctx.initial.items() if each is not None}
            initial = names.map_initial(mapping, names.inputs(initial=given))
            rollout = self._start(initial)
            self._current = rollout if self.max_sessions == 1 else None
            return {"rollout": rollout, "steps": 0, "request": _next_request(rollout.native, 0)}

        def _start(self, initial: Any) -> _Rollout:
            before = self._current
            if before is not None and not before.fault:
                # One session at a time: a reset goes to the session that there is.
                native = before.native
                native.reset(initial)
                before.give_up()
            else:
                if before is not None:
                    before.close()
                native = self._runtime.start_session(initial)
                _require(native, ("next_step_request", "step", "reset", "close"), "an InferenceSession of FlashDreams")
            return _Rollout(native, native.close)

        def step(self, ctx: StepContext) -> Step:
            state = ctx.state
            rollout: _Rollout = state["rollout"]
            session = rollout.at(state["steps"])
            if state["request"] is None:
                raise DreamloopError("invalid_state", "the rollout is complete; reset the session")
            update = {name: ctx.initial[name] for name in ctx.updated}
            canonical = {name: dict(each) for name, each in ctx.controls.items() if each is not None}
            inputs = names.map_step(mapping, canonical, update, state["request"])
            result = rollout.advance(lambda: session.step(inputs))
            _require(result, ("step_index", "output"), "a StepResult of FlashDreams")
            request = _next_request(session, rollout.steps)
            after = {"rollout": rollout, "steps": rollout.steps, "request": request}
            metrics = {name: each for name, each in dict(result.metrics).items() if isinstance(each, (int, float)) and not isinstance(each, bool)}
            frames = _frames(result.output, layout, ctx.video)
            return Step(frames, after, last=request is None, metadata=_plain(result.metadata), metrics=metrics)

        def close(self) -> None:
            current, self._current = self._current, None
            if current is not None:
                current.close()
            self._runtime.close()

    AdapterWorld.__module__ = __name__
    AdapterWorld.id = str(adapter.model_id)
    AdapterWorld.version = str(getattr(adapter, "version", "1"))
    AdapterWorld.title = str(adapter.model_id)
    AdapterWorld.video = video if video is not None else staticmethod(_video_of)
    AdapterWorld.controls = controls
    AdapterWorld.inputs = specs
    AdapterWorld.options = options
    AdapterWorld.devices = ("cpu", "cuda", *(f"cuda:{index}" for index in range(16)))
    AdapterWorld.precisions = ("fp32", "fp16", "bf16")
    AdapterWorld.model_options = tuple(_MODEL_OPTIONS)
    AdapterWorld.max_sessions = int(getattr(adapter, "max_sessions", 1))
    return AdapterWorld


def adapter_world(place: str) -> Type[World]:
    """The world of ``package.module:Adapter``, as ``dreamloop run flashdreams:package.module:Adapter`` names it.

    ``Adapter`` is an adapter, a class of adapters or a function without arguments that makes one. Raises ``not_found`` with what is missing.
    """
    module_name, _, attribute = place.partition(":")
    if not module_name or not attribute:
        raise DreamloopError("invalid_value", f"flashdreams:{place}: expected flashdreams:package.module:Adapter")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        hint = "install it into the interpreter that runs, or choose another with --python"
        raise DreamloopError("not_found", f"flashdreams:{place}: there is no module {error.name!r}; {hint}") from error
    adapter = getattr(module, attribute, None)
    if adapter is None:
        raise DreamloopError("not_found", f"flashdreams:{place}: the module {module_name!r} has no {attribute!r}")
    if isinstance(adapter, type) or (callable(adapter) and not hasattr(adapter, "create_runtime")):
        adapter = adapter()
    return world_of(adapter)


class PipelineWorld(_StatefulWorld):
    """A native pipeline of FlashDreams as a world; subclass it, declare ``video`` and ``controls``, and write ``pipeline``.

    ::

        class Town(PipelineWorld):
            video = Video(1280, 704, fps=30, layout="chw", range="signed", frames_per_step=8, first_step_frames=5, deterministic=False)
            controls = {"drive": "driver_command"}
            prompt = text(default="a sunny street", live=True)
            output_axes = "bvtchw"

            def pipeline(self, ctx):
                return my_config(compile=False).setup().to(device=ctx.device)

            def conditioning(self, ctx):
                return {"text": [ctx.initial.prompt]}

            def chunk_input(self, ctx):
                return my_controls(ctx.controls.drive, ctx.seconds)

            def refresh(self, ctx, cache):
                cache.text = my_embedding(ctx.initial.prompt)

    ``generate`` makes the frames of a step and hands them over; ``finalize`` writes the caches while they are on their way. The first chunk may be
    smaller than the rest: say so in ``video``.
    """

    #: Axes of what ``generate`` gives, one of ``LAYOUTS``.
    output_axes: str = "tchw"
    max_sessions = 1

    def pipeline(self, ctx: LoadContext) -> Any:
        """Makes the pipeline; ``ctx.device`` says where."""
        raise NotImplementedError

    def conditioning(self, ctx: RolloutContext) -> Mapping[str, Any]:
        """Keyword arguments of the pipeline's ``initialize_cache``."""
        return {}

    def chunk_input(self, ctx: StepContext) -> Any:
        """What ``generate`` gets as ``input``."""
        return None

    def refresh(self, ctx: StepContext, cache: Any) -> None:
        """Puts changed initial inputs (``ctx.updated``) into the cache before the step."""
        names = ", ".join(ctx.updated)
        raise DreamloopError("update_refused", f"{type(self).__name__}.refresh is not written, so {names} cannot change while the world runs")

    def load(self, ctx: LoadContext) -> Any:
        if type(self).output_axes not in LAYOUTS:
            raise DreamloopError("invalid_value", f"output_axes: expected one of {', '.join(LAYOUTS)}, found {found(type(self).output_axes)}")
        native = self.pipeline(ctx)
        _require(native, ("initialize_cache", "generate", "finalize"), "a pipeline of FlashDreams")
        return native

    def start(self, ctx: RolloutContext) -> Dict[str, Any]:
        cache = ctx.model.initialize_cache(**dict(self.conditioning(ctx)))
        return {"rollout": _Rollout(cache, lambda: None), "steps": 0}

    def step(self, ctx: StepContext) -> Step:
        rollout: _Rollout = ctx.state["rollout"]
        index = ctx.state["steps"]
        cache = rollout.at(index)
        counted = getattr(ctx.model, "get_num_output_frames", None)
        if counted is not None and int(counted(index)) != ctx.frame_count:
            message = f"the pipeline makes {int(counted(index))} frames in step {index}, the video declares {ctx.frame_count}"
            raise DreamloopError("step_failed", f"{message}; set frames_per_step and first_step_frames of Video(...)")

        def generate() -> Any:
            if ctx.updated:
                self.refresh(ctx, cache)
            return ctx.model.generate(autoregressive_index=index, cache=cache, input=self.chunk_input(ctx))

        output = rollout.advance(generate)
        return Step(_frames(output, type(self).output_axes, ctx.video), {"rollout": rollout, "steps": rollout.steps})

    def finalize(self, ctx: StepContext, state: Any) -> Any:
        rollout: _Rollout = state["rollout"]
        try:
            ctx.model.finalize(state["steps"] - 1, rollout.native)
        except BaseException as error:
            rollout.fault = f"the finalisation of step {state['steps'] - 1} failed ({type(error).__name__}: {error})"
            raise
        return state


class _Names:
    """The names of the reference in the version that is installed."""

    def __init__(self) -> None:
        try:
            self._inputs = importlib.import_module("flashdreams.runtime.inputs")
            self._config = importlib.import_module("flashdreams.runtime.config")
        except ModuleNotFoundError as error:
            hint = "install FlashDreams into the interpreter that runs, or choose another with --python"
            raise DreamloopError("unavailable", f"there is no module {error.name!r}; {hint}") from error
        self.is_early = not hasattr(self._inputs, "InferenceInput")
        if self.is_early and not hasattr(self._inputs, "ModelInputs"):
            message = "flashdreams.runtime.inputs has neither InferenceInput nor ModelInputs"
            raise DreamloopError("unavailable", f"{message}; this version of FlashDreams is not known, the known ones are in docs/python-worlds.md")

    def inputs(self, initial: Optional[Dict[str, Any]] = None, step: Optional[Dict[str, Any]] = None) -> Any:
        if self.is_early:
            return self._inputs.ModelInputs(initial=initial or {}, step=step or {})
        return self._inputs.InferenceInput(global_conditioning=initial or {}, step=step or {})

    def config(self, adapter: Any, ctx: LoadContext) -> Any:
        model = dict(ctx.config.get("model") or {})
        known = {theirs: model[ours] for ours, theirs in _MODEL_OPTIONS.items() if model.get(ours) is not None}
        given: Dict[str, Any] = {
            "model_id": str(adapter.model_id),
            "preset_id": ctx.config.get("presetId"),
            "checkpoint": ctx.config.get("checkpoint"),
            "device": ctx.config.get("device"),
            "precision": ctx.config.get("precision") or "auto",
            "runtime_options": dict(ctx.options.runtime_options),
            **known,
        }
        return self._config.InferenceConfig(**{name: each for name, each in given.items() if each is not None})

    def validate(self, mapping: Any, adapter: Any) -> None:
        if self.is_early:
            mapping.validate(user_schema=None, model_schema=_schema(adapter))
        else:
            mapping.validate(canonical_schema=getattr(adapter, "canonical_input_schema", None), inference_input_schema=_schema(adapter))

    def map_initial(self, mapping: Any, inputs: Any) -> Any:
        if mapping is None:
            return inputs
        if self.is_early:
            return mapping.map_initial_inputs(user_inputs=self._inputs.UserInputs(), model_inputs=inputs)
        return mapping.map_global_conditioning_inputs(canonical_inputs=self._inputs.CanonicalInputs(), inference_input=inputs)

    def map_step(self, mapping: Any, canonical: Dict[str, Any], update: Dict[str, Any], request: Any) -> Any:
        if mapping is None:
            return self.inputs(initial=update, step=canonical)
        base = self.inputs(initial=update)
        if self.is_early:
            return mapping.map_step_inputs(user_inputs=self._inputs.UserInputs(), model_inputs=base, request=request)
        values = self._inputs.CanonicalInputs(values=canonical)
        return mapping.map_step_inputs(canonical_inputs=values, inference_input=base, request=request)


def _schema(adapter: Any) -> Any:
    return getattr(adapter, "inference_input_schema", None) or getattr(adapter, "model_input_schema", None)


def _initial_specs(adapter: Any) -> Dict[str, Input]:
    schema = _schema(adapter)
    fields: Tuple[Any, ...] = ()
    for name in ("global_conditioning_fields", "global_fields", "initial_fields"):
        fields = fields or tuple(getattr(schema, name, ()) or ())
    specs: Dict[str, Input] = {}
    for field in fields:
        policy = getattr(field, "update_policy", None)
        live = policy is not None and str(policy).lower() != "session_start_only"
        make = text if field.name in ("prompt", "negative_prompt") else value
        specs[field.name] = make(optional=not field.required, live=live, description=field.description or "")
    return specs


def _controls(adapter: Any, mapping: Any) -> Dict[str, str]:
    schema = getattr(adapter, "canonical_input_schema", None)
    modalities: List[str] = [modality.name for modality in getattr(schema, "modalities", ()) or ()]
    for name in modalities:
        if name not in MODALITIES or name == "conditioning":
            known = ", ".join(each for each in MODALITIES if each != "conditioning")
            raise DreamloopError("invalid_value", f"{adapter.model_id}: no device feeds the modality {name!r}; known: {known}")
    steps = [field.name for field in getattr(_schema(adapter), "step_fields", ()) or () if field.required]
    if not modalities and steps and hasattr(mapping, "map_initial_inputs"):
        message = f"{adapter.model_id}: its mapping makes {', '.join(steps)} from raw user events, which do not reach a Python process"
        raise DreamloopError("invalid_value", f"{message}; use a mapping from canonical inputs (canonical_input_schema)")
    return {name: name for name in modalities}


def _video_of(options: Fields) -> Video:
    first = options.first_step_frames
    return Video(
        options.width,
        options.height,
        options.fps,
        layout="chw",
        range=options.range,
        frames_per_step=options.frames_per_step,
        first_step_frames=options.frames_per_step if first is None else first,
        deterministic=options.deterministic,
    )


def _next_request(session: Any, index: int) -> Any:
    request = session.next_step_request()
    if request is not None and getattr(request, "step_index", index) != index:
        raise DreamloopError("step_failed", f"next_step_request() asks for step {request.step_index}; expected step {index}")
    if request is None and index == 0:
        raise DreamloopError("step_failed", "next_step_request() returned None before the first step")
    return request


def _frames(output: Any, axes: str, video: Video) -> Any:
    """The output with batch and view taken off, its axes in the order that the video declares."""
    shape = tuple(getattr(output, "shape", ()))
    if len(shape) != len(axes):
        raise DreamloopError("step_failed", f"the output is {found(output)}; expected an array or tensor with the axes {axes} (layout)")
    for axis, letter in reversed(list(enumerate(axes))):
        if letter not in "bv":
            continue
        if shape[axis] != 1:
            raise DreamloopError("step_failed", f"the output has {shape[axis]} entries on axis {letter!r} of {axes}; a world shows one")
        output = output[(slice(None),) * axis + (0,)]
    left = [letter for letter in axes if letter not in "bv"]
    wanted = {"hwc": "thwc", "chw": "tchw", "cthw": "cthw"}[video.layout]
    order = tuple(left.index(letter) for letter in wanted)
    if order == (0, 1, 2, 3):
        return output
    return output.permute(*order) if hasattr(output, "permute") else output.transpose(order)


def _plain(metadata: Any) -> Dict[str, Any]:
    """Those facts of a result that are plain JSON."""
    plain: Dict[str, Any] = {}
    for name, each in dict(metadata or {}).items():
        try:
            plain[str(name)] = json.loads(json.dumps(each, allow_nan=False))
        except (TypeError, ValueError):
            continue
    return plain


def _require(given: Any, names: Tuple[str, ...], what: str) -> None:
    missing = [name for name in names if not hasattr(given, name)]
    if missing:
        raise DreamloopError("invalid_value", f"expected {what}, found {found(given)} without {', '.join(missing)}")
