"""How a world is written: a class with declared inputs, or a function."""

from __future__ import annotations

import difflib
import inspect
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, Union

from .author import place_of_class, place_of_function
from .controls import MODALITIES
from .errors import DreamloopError, found
from .inputs import CONDITIONING, Input
from .video import Video

__all__ = ["World", "world"]


class World:
    """A world; subclass it, declare what it needs, write ``step``.

    ::

        class Lamp(World):
            video = Video(64, 64, fps=20)
            controls = {"drive": "driver_command"}
            prompt = text(default="warm", live=True)

            def start(self, ctx):
                return {"light": 0.0}

            def step(self, ctx):
                light = 0.9 * ctx.state["light"] + 25 * ctx.controls.drive.throttle
                frame = np.full((64, 64, 3), light, np.uint8)
                return frame, {"light": light}

    One object of the class serves all sessions of a loaded world, one call at a time and always in the same thread. Keep weights on ``self`` (set them in
    ``load``) and what belongs to a rollout in the state, which is what ``start`` and ``step`` return: then sessions do not see each other,
    a step that fails has not happened, and snapshots work without further code.
    """

    #: Stable identity; default the file's name.
    id: str = ""
    #: Version of its behaviour, recorded in traces and snapshots.
    version: str = "1"
    #: For people.
    title: str = ""
    #: For people; default the class's docstring.
    description: str = ""
    #: Size, rate and layout of the frames, or a function of the options that gives it.
    video: Union[Video, Callable[..., Video], None] = None
    #: What it is controlled by, under names of its own: ``{"drive": "driver_command"}``.
    controls: Mapping[str, str] = {}
    #: The same for what may be absent.
    optional_controls: Mapping[str, str] = {}
    #: Keys of named actions: ``{"jump": "Space"}``; each is a key's code or a list of codes.
    actions: Mapping[str, Union[str, Sequence[str]]] = {}
    #: Initial inputs, beside those that are attributes of their own (``prompt = text()``).
    inputs: Mapping[str, Input] = {}
    #: Inputs of each step beside the controls, for worlds whose mapping is written in TypeScript: ``{"map": value()}``, read as ``ctx.inputs.map``.
    step_inputs: Mapping[str, Input] = {}
    #: Options of ``runtimeOptions``: ``{"noise": number(default=0.1)}``; without them every option is refused.
    options: Mapping[str, Input] = {}
    #: Sets of initial inputs of which one must be complete.
    alternatives: Sequence[Sequence[str]] = ()
    #: Words that the prompt understands; empty: free text.
    prompt_vocabulary: Sequence[str] = ()
    #: Whole prompts that players offer as buttons.
    prompt_suggestions: Sequence[str] = ()
    #: Devices that the configuration may ask for.
    devices: Sequence[str] = ("cpu",)
    #: Precisions that it may ask for.
    precisions: Sequence[str] = ("fp32",)
    #: Fields of ``ModelConfig`` that have an effect: ``compile``, ``denoisingSteps`` and so on.
    model_options: Sequence[str] = ()
    #: Sessions that may be open at a time.
    max_sessions: int = 64
    #: Steps after which a rollout is complete; None: no limit.
    max_steps: Optional[int] = None
    #: Whether ``step`` changes the state in place; a copy is then kept for the case that the step fails.
    in_place: bool = False

    def load(self, ctx: Any) -> Any:
        """Loads what all sessions share; what it returns is ``ctx.model``."""

    def start(self, ctx: Any) -> Any:
        """Makes the state before the first step; left out: a world without state."""

    def step(self, ctx: Any) -> Any:
        """Makes the frames of one step: returns them, or ``(frames, state)``, or a ``Step``."""
        raise NotImplementedError

    def finalize(self, ctx: Any, state: Any) -> Any:
        """Completes the state of a step whose frames are on their way already, such as a cache; returns the state to keep."""

    def snapshot(self, state: Any) -> Any:
        """The state as plain values and arrays; only needed where the state holds anything else."""
        return state

    def restore(self, data: Any) -> Any:
        """The state from what ``snapshot`` gave."""
        return data

    def facts(self) -> Dict[str, Any]:
        """Facts for traces and statistics: weights, kernels, versions; plain JSON."""
        return {}

    def close(self) -> None:
        """Frees what ``load`` made."""


def world(step: Optional[Callable[..., Any]] = None, **declared: Any) -> Any:
    """Makes a world of a function: ``@world(video=Video(64, 64, fps=20), controls={"drive": "driver_command"})``.

    Takes what a subclass of ``World`` declares, the functions ``start``, ``load``, ``finalize``, ``close`` and ``facts`` (without ``self``) among it, and
    ``inputs={"prompt": text()}`` for the initial inputs.
    """
    if step is None:
        return lambda function: world(function, **declared)
    place = place_of_function(step)
    attributes: Dict[str, Any] = {"step": staticmethod(step), "__doc__": step.__doc__, "__module__": step.__module__, "_place": place}
    for name, given in declared.items():
        if name not in _KNOWN:
            raise DreamloopError("unknown_key", f"world({name}=...): unknown{_nearest(name, sorted(_KNOWN))}", place=place)
        attributes[name] = staticmethod(given) if inspect.isfunction(given) else given
    return type(step.__name__, (World,), attributes)


_KNOWN = frozenset(name for name in vars(World) if not name.startswith("_"))
_FUNCTIONS = {"load": 1, "start": 1, "step": 1, "finalize": 2, "snapshot": 1, "restore": 1, "facts": 0, "close": 0}


class Declaration:
    """What a world class declares, checked; errors name the line."""

    def __init__(self, cls: Type[World], default_id: str) -> None:
        self.cls = cls
        self.place = getattr(cls, "_place", None) or place_of_class(cls)
        self._check_names()
        self.id = self._text("id", default=_slug(default_id), most=200)
        self.version = self._text("version", most=64)
        self.title = self._text("title", default="", most=200)
        self.description = self._text("description", default=inspect.cleandoc(cls.__doc__ or ""), most=4000)
        self.inputs = self._inputs()
        self.options = self._specs("options")
        self.step_inputs = self._specs("step_inputs")
        self.controls = self._controls("controls")
        self.optional_controls = self._controls("optional_controls")
        self.actions = self._actions()
        self.has_start = cls.start is not World.start
        self.has_finalize = cls.finalize is not World.finalize
        self._check_functions()
        self._check_together()

    def method(self, name: str) -> Optional[str]:
        """Where a function of the world is defined."""
        return place_of_function(getattr(self.cls, name)) or self.place

    def video(self, options: Any = None) -> Video:
        """The video under some options; for a fixed one they do not matter."""
        video = inspect.getattr_static(self.cls, "video", None)
        if isinstance(video, Video):
            return video
        if video is None:
            raise self._refused("video", "Video(width, height, fps=...)", None)
        function = video.__func__ if isinstance(video, staticmethod) else video
        if not callable(function) or options is None:
            raise self._refused("video", "Video(width, height, fps=...) or a function of the options that gives it", video)
        arguments = (self.cls, options) if len(inspect.signature(function).parameters) == 2 else (options,)
        made = function(*arguments)
        if not isinstance(made, Video):
            raise DreamloopError("invalid_value", f"{self.cls.__name__}.video() returned {found(made)}; expected Video(...)", place=self.method("video"))
        return made

    @property
    def has_fixed_video(self) -> bool:
        """Whether the video depends on nothing."""
        return isinstance(inspect.getattr_static(self.cls, "video", None), (Video, type(None)))

    def describe(self) -> Dict[str, Any]:
        """The form in which it crosses to the driver (docs/session-protocol.md)."""
        cls = self.cls
        return {
            "id": self.id,
            "version": self.version,
            "title": self.title,
            "description": self.description,
            "video": self.video().describe() if self.has_fixed_video else None,
            "initial": [spec.describe(name) for name, spec in self.inputs.items()],
            "step": [spec.describe(name) for name, spec in self.step_inputs.items()],
            "alternatives": [list(names) for names in cls.alternatives],
            "options": [spec.describe(name) for name, spec in self.options.items()],
            "controls": dict(self.controls),
            "optionalControls": dict(self.optional_controls),
            "actions": self.actions,
            "promptVocabulary": self._words("prompt_vocabulary"),
            "promptSuggestions": self._words("prompt_suggestions"),
            "supports": {
                "devices": self._words("devices"),
                "precisions": self._words("precisions"),
                "modelOptions": self._words("model_options"),
            },
            "maxSessions": self._count("max_sessions"),
            "maxSteps": None if cls.max_steps is None else self._count("max_steps"),
            "capabilities": {"finalize": self.has_finalize, "snapshots": True},
        }

    def _refused(self, name: str, expected: str, given: Any) -> DreamloopError:
        place = place_of_class(self.cls, name) or self.place
        return DreamloopError("invalid_value", f"{self.cls.__name__}.{name}: expected {expected}, found {found(given)}", place=place)

    def _text(self, name: str, default: Optional[str] = None, most: int = 4000) -> str:
        given = getattr(self.cls, name)
        if given == "" and default is not None:
            given = default
        if not isinstance(given, str) or len(given) > most or (default != "" and name != "description" and not given.strip()):
            raise self._refused(name, f"a string of 1 to {most} characters", given)
        return given

    def _words(self, name: str) -> List[str]:
        given = getattr(self.cls, name)
        if isinstance(given, str) or not isinstance(given, (list, tuple)) or not all(isinstance(word, str) for word in given):
            raise self._refused(name, "a list of strings", given)
        return list(given)

    def _count(self, name: str) -> int:
        given = getattr(self.cls, name)
        if isinstance(given, bool) or not isinstance(given, int) or given < 1:
            raise self._refused(name, "an integer of at least 1", given)
        return given

    def _inputs(self) -> Dict[str, Input]:
        inputs = self._specs("inputs")
        for base in reversed(self.cls.__mro__):
            inputs.update({name: value for name, value in vars(base).items() if isinstance(value, Input)})
        followed: Dict[str, str] = {}
        for name, spec in inputs.items():
            part = spec.live if isinstance(spec.live, str) else name if spec.live and name in CONDITIONING else None
            if part is not None and part in followed:
                raise self._refused(name, f"a part of the conditioning that {followed[part]!r} does not follow already", part)
            if part is not None:
                followed[part] = name
        return inputs

    def _specs(self, name: str) -> Dict[str, Input]:
        given = getattr(self.cls, name)
        if not isinstance(given, Mapping):
            raise self._refused(name, 'a dict such as {"noise": number(default=0.1)}', given)
        for key, spec in given.items():
            if not isinstance(key, str) or not isinstance(spec, Input):
                raise self._refused(name, f"number(), text() or another of its kind for {key!r}", spec)
            if name in ("options", "step_inputs") and (spec.kind == "image" or spec.live is not False):
                raise self._refused(name, f"an input that is no picture and not live for {key!r}", spec)
        return dict(given)

    def _controls(self, name: str) -> Dict[str, str]:
        given = getattr(self.cls, name)
        if not isinstance(given, Mapping) or not all(isinstance(key, str) and key.isidentifier() for key in given):
            raise self._refused(name, 'a dict such as {"drive": "driver_command"}', given)
        for key, modality in given.items():
            if modality not in MODALITIES:
                near = difflib.get_close_matches(str(modality), list(MODALITIES), 1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise self._refused(name, f"one of {', '.join(MODALITIES)} for {key!r}{hint}", modality)
        return dict(given)

    def _actions(self) -> Dict[str, List[str]]:
        given = self.cls.actions
        if not isinstance(given, Mapping):
            raise self._refused("actions", 'a dict such as {"jump": "Space"}', given)
        bindings = {name: [codes] if isinstance(codes, str) else list(codes) for name, codes in given.items()}
        if not all(isinstance(name, str) and codes and all(isinstance(code, str) for code in codes) for name, codes in bindings.items()):
            raise self._refused("actions", 'key codes for each action, such as {"jump": "Space"} or {"left": ["KeyA", "ArrowLeft"]}', given)
        if bindings and "actions" not in (*self.controls.values(), *self.optional_controls.values()):
            raise self._refused("actions", 'a world with controls = {"...": "actions"}, as nothing else sees them', given)
        return bindings

    def _check_names(self) -> None:
        for base in self.cls.__mro__:
            if base in (World, object):
                continue
            for name, given in vars(base).items():
                if name.startswith("_") or name in _KNOWN or isinstance(given, Input):
                    continue
                near = difflib.get_close_matches(name, _KNOWN, 1, 0.84)
                if near and near[0] not in vars(base):
                    place = place_of_class(self.cls, name) or self.place
                    raise DreamloopError("unknown_key", f"{self.cls.__name__}.{name}: unknown; did you mean {near[0]!r}?", place=place)
                if isinstance(given, tuple) and len(given) == 1 and isinstance(given[0], Input):
                    raise self._refused(name, "an input without a comma behind it", given)

    def _check_functions(self) -> None:
        cls = self.cls
        if cls.step is World.step:
            raise DreamloopError("invalid_value", f"{cls.__name__}: it has no step; write def step(self, ctx)", place=self.place)
        for name, count in _FUNCTIONS.items():
            raw = inspect.getattr_static(cls, name)
            if getattr(World, name) is getattr(cls, name):
                continue
            function = raw.__func__ if isinstance(raw, (staticmethod, classmethod)) else raw
            if not inspect.isfunction(function):
                raise self._refused(name, "a function", raw)
            place = place_of_function(function) or self.place
            if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
                is_generator = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
                kind = "a generator; return the frames instead of yielding them" if is_generator else "async; write a plain def"
                raise DreamloopError("invalid_value", f"{cls.__name__}.{name} is {kind}", place=place)
            own = 0 if isinstance(raw, staticmethod) else 1
            try:
                inspect.signature(function).bind(*range(own + count))
            except TypeError:
                wanted = ", ".join((["self"] if own else []) + ["ctx", "state"][:count]) if name not in ("snapshot", "restore") else "self, data"
                message = f"{cls.__name__}.{name}{inspect.signature(function)} cannot be called; write def {name}({wanted})"
                raise DreamloopError("invalid_value", message, place=place) from None
        if "__init__" in vars(cls):
            try:
                inspect.signature(cls.__init__).bind(None)
            except TypeError:
                message = f"{cls.__name__}.__init__ takes arguments, and a world is made without any; load weights in load(self, ctx), declare settings in options"
                raise DreamloopError("invalid_value", message, place=place_of_function(cls.__init__)) from None

    def _check_together(self) -> None:
        twice = next((name for name in self.optional_controls if name in self.controls), None)
        if twice is not None:
            raise self._refused("optional_controls", "names that controls does not have", twice)
        fleeting = next((name for name, modality in self.controls.items() if modality == "conditioning"), None)
        if fleeting is not None:
            raise self._refused("controls", "conditioning in optional_controls, as it is absent in most steps", fleeting)
        if isinstance(self.cls.alternatives, str) or not all(isinstance(names, (list, tuple)) for names in self.cls.alternatives):
            raise self._refused("alternatives", 'a list of lists such as [["prompt"], ["photo"]]', self.cls.alternatives)
        for name in (name for names in self.cls.alternatives for name in names):
            if name not in self.inputs:
                raise self._refused("alternatives", "names of inputs", name)
            if not self.inputs[name].optional:
                raise self._refused("alternatives", "inputs that are optional=True", name)
        if not isinstance(self.cls.in_place, bool):
            raise self._refused("in_place", "True or False", self.cls.in_place)


def find_world(module: Any, name: Optional[str], path: str) -> Type[World]:
    """The world in a module: the one called ``name``, or the only one; refuses none and several."""
    worlds: Dict[str, Type[World]] = {}
    for key, given in vars(module).items():
        if isinstance(given, type) and issubclass(given, World) and given is not World and given.__module__ == module.__name__:
            worlds.setdefault(key, given)
    if name is not None:
        chosen = getattr(module, name, None)
        if isinstance(chosen, World):
            chosen = type(chosen)
        if isinstance(chosen, type) and issubclass(chosen, World) and chosen is not World:
            return chosen
        near = difflib.get_close_matches(name, list(worlds), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise DreamloopError("not_found", f"{path}: it has no world {name!r}{hint} Its worlds: {', '.join(worlds) or 'none'}")
    distinct = list(dict.fromkeys(worlds.values()))
    leaves = [cls for cls in distinct if not any(other is not cls and issubclass(other, cls) for other in distinct)]
    if len(leaves) == 1:
        return leaves[0]
    if not leaves:
        raise DreamloopError(
            "not_found",
            f"{path}: it holds no world; write class MyWorld(dreamloop.World) with a video and a step, or put @dreamloop.world(video=...) over a function",
        )
    names = ", ".join(cls.__name__ for cls in leaves)
    raise DreamloopError("invalid_value", f"{path}: it holds {len(leaves)} worlds; say which one: {path}:{leaves[0].__name__} (found {names})")


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "world"


def _nearest(name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(names)}"
