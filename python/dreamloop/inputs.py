"""Inputs and options of a world: what they are called, what they may be, and what stands in when none is given."""

from __future__ import annotations

import math
from typing import Any, Dict, Mapping, Optional, Sequence, Union

import numpy as np

from .errors import DreamloopError, found

__all__ = ["Input", "text", "number", "flag", "choice", "image", "value"]

CONDITIONING = ("prompt", "negativePrompt", "image", "textEvent", "textEvents")
_MISSING: Any = object()


class Input:
    """One input of a world; made by ``text``, ``number``, ``flag``, ``choice``, ``image`` and ``value``."""

    def __init__(
        self,
        kind: str,
        limits: Dict[str, Any],
        *,
        default: Any = None,
        optional: bool = False,
        live: Union[bool, str] = False,
        description: str = "",
    ) -> None:
        self.kind = kind
        self.limits = limits
        self.default = default
        self.optional = _flag(kind, "optional", optional)
        self.description = description if isinstance(description, str) else _refuse(f"{kind}(description=...)", "a string", description)
        if live not in (True, False, *CONDITIONING):
            _refuse(f"{kind}(live=...)", "True, False or one of " + ", ".join(CONDITIONING), live)
        self.live = live
        if default is not None:
            self.check(default, f"{kind}(default=...)")
            if optional:
                raise DreamloopError("invalid_value", f"{kind}(optional=True): leave it out, as an input with a default is never absent")

    @property
    def required(self) -> bool:
        """Whether it has to be given."""
        return self.default is None and not self.optional

    def check(self, given: Any, place: str) -> Any:
        """The value if it may be given, with a message that begins with ``place`` if not."""
        return _CHECKS[self.kind](given, self.limits, place)

    def describe(self, name: str) -> Dict[str, Any]:
        """The form in which it crosses to the driver."""
        described: Dict[str, Any] = {"name": name, "kind": self.kind, **self.limits, "optional": self.optional}
        if self.default is not None:
            described["default"] = self.default
        if self.live is not False:
            described["live"] = self.live
        if self.description:
            described["description"] = self.description
        return described


def text(*, default: Optional[str] = None, max_length: int = 4000, optional: bool = False, live: Union[bool, str] = False, description: str = "") -> Input:
    """A string of at most ``max_length`` characters (default 4000): ``text(default="a sunny road", live=True)``."""
    return Input("text", {"maxLength": max_length}, default=default, optional=optional, live=live, description=description)


def number(
    *,
    default: Optional[float] = None,
    min: Optional[float] = None,
    max: Optional[float] = None,
    integer: bool = False,
    optional: bool = False,
    live: Union[bool, str] = False,
    description: str = "",
) -> Input:
    """A finite number within bounds, both inclusive: ``number(min=0, max=1, default=0.5)``."""
    limits: Dict[str, Any] = {"integer": _flag("number", "integer", integer)}
    for name, bound in (("min", min), ("max", max)):
        if bound is not None:
            limits[name] = _finite(bound, {}, f"number({name}=...)")
    return Input("number", limits, default=default, optional=optional, live=live, description=description)


def flag(*, default: Optional[bool] = None, optional: bool = False, live: Union[bool, str] = False, description: str = "") -> Input:
    """True or False."""
    return Input("flag", {}, default=default, optional=optional, live=live, description=description)


def choice(
    values: Sequence[str], *, default: Optional[str] = None, optional: bool = False, live: Union[bool, str] = False, description: str = ""
) -> Input:
    """One of some strings: ``choice(["day", "night"])``."""
    if isinstance(values, str) or not isinstance(values, (list, tuple)) or not values or not all(isinstance(each, str) and each for each in values):
        _refuse("choice(values)", "a list of at least one string", values)
    return Input("choice", {"values": list(values)}, default=default, optional=optional, live=live, description=description)


def image(*, width: int, height: int, optional: bool = False, description: str = "") -> Input:
    """A picture to start from; it arrives as a ``uint8`` array of shape (height, width, 3), scaled and cropped to that size."""
    for name, side in (("width", width), ("height", height)):
        if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= 16_384:
            _refuse(f"image({name}=...)", "an integer from 1 to 16384", side)
    return Input("image", {"width": width, "height": height}, optional=optional, description=description)


def value(*, default: Any = None, optional: bool = False, live: Union[bool, str] = False, description: str = "") -> Input:
    """Anything else: plain values and arrays."""
    return Input("value", {}, default=default, optional=optional, live=live, description=description)


def values_of(specs: Mapping[str, Input], given: Mapping[str, Any], place: str) -> Dict[str, Any]:
    """The values of inputs with defaults, checked; an undeclared, missing or wrong one is refused."""
    for name in given:
        if name not in specs:
            raise DreamloopError("unknown_key", f"{place}.{name}: unknown{_nearest(name, specs)}; declared: {', '.join(specs) or 'none'}")
    values: Dict[str, Any] = {}
    for name, spec in specs.items():
        found_value = given.get(name)
        if found_value is None:
            if spec.required:
                raise DreamloopError("missing_input", f"{place}.{name}: missing required {name!r}")
            values[name] = spec.default
        else:
            values[name] = spec.check(found_value, f"{place}.{name}")
    return values


def _nearest(name: str, names: Any) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(names), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _refuse(place: str, expected: str, given: Any) -> Any:
    raise DreamloopError("invalid_value", f"{place}: expected {expected}, found {found(given)}")


def _flag(kind: str, name: str, given: Any) -> bool:
    return given if isinstance(given, bool) else bool(_refuse(f"{kind}({name}=...)", "True or False", given))


def _text(given: Any, limits: Dict[str, Any], place: str) -> str:
    if not isinstance(given, str) or len(given) > limits["maxLength"]:
        _refuse(place, f"a string of at most {limits['maxLength']} characters", given)
    return str(given)


def _finite(given: Any, limits: Dict[str, Any], place: str) -> Union[int, float]:
    least, most = limits.get("min", -math.inf), limits.get("max", math.inf)
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool) and math.isfinite(given)
    if not is_number or not least <= given <= most or (limits.get("integer") and given != int(given)):
        bounds = [f"at least {least:g}" if least > -math.inf else "", f"at most {most:g}" if most < math.inf else ""]
        wanted = " and ".join(each for each in bounds if each)
        _refuse(place, f"{'an integer' if limits.get('integer') else 'a finite number'}{' of ' if wanted else ''}{wanted}", given)
    return int(given) if limits.get("integer") else given


def _is_flag(given: Any, _limits: Dict[str, Any], place: str) -> bool:
    return given if isinstance(given, bool) else bool(_refuse(place, "True or False", given))


def _member(given: Any, limits: Dict[str, Any], place: str) -> str:
    if given not in limits["values"]:
        _refuse(place, "one of " + ", ".join(repr(each) for each in limits["values"]), given)
    return str(given)


def _picture(given: Any, limits: Dict[str, Any], place: str) -> Any:
    if isinstance(given, Mapping) and isinstance(given.get("data"), np.ndarray):
        given = given["data"]
    shape = (limits["height"], limits["width"], 3)
    if not isinstance(given, np.ndarray) or given.dtype != np.uint8 or given.size != math.prod(shape):
        _refuse(place, f"a picture of {limits['width']}×{limits['height']} (uint8)", given)
    return given.reshape(shape)


_CHECKS: Dict[str, Any] = {
    "text": _text,
    "number": _finite,
    "flag": _is_flag,
    "choice": _member,
    "image": _picture,
    "value": lambda given, _limits, _place: given,
}
