"""What a world is controlled by, as it sees it: values with attributes."""

from __future__ import annotations

import difflib
import re
from typing import Any, Dict, Iterator, Mapping

__all__ = ["Fields", "MODALITIES"]

#: The shipped modalities and their fields, in the spelling of Python.
MODALITIES: Dict[str, tuple] = {
    "driver_command": ("throttle", "brake", "steer", "reverse", "stop"),
    "camera_motion": ("move_forward", "move_right", "move_up", "turn_yaw", "turn_pitch", "turn_roll"),
    "look_delta": ("delta_x", "delta_y", "wheel"),
    "actions": ("held", "pressed"),
    "conditioning": ("prompt", "negative_prompt", "image", "text_event", "text_events"),
}


class Fields(Mapping[str, Any]):
    """Named values, read as attributes (``controls.drive.steer``) or by key; they cannot be changed."""

    __slots__ = ("_values", "_place")

    def __init__(self, values: Dict[str, Any], place: str) -> None:
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_place", place)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(self._unknown(name)) from None

    def __getitem__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise KeyError(self._unknown(name)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self._place}.{name} cannot be set; keep what changes in the state")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"{self._place}({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, list(self._values), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f"{self._place} has no {name!r}{hint} It has {', '.join(self._values) or 'nothing'}"


def snake_case(name: str) -> str:
    """``moveForward`` as Python spells it."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda letter: "_" + letter.group(1).lower(), name)


def control_fields(value: Any, place: str) -> Any:
    """The value of a modality with attributes; None for one that is absent."""
    if not isinstance(value, dict):
        return value
    return Fields({snake_case(name): each for name, each in value.items()}, place)
