"""Errors with a stable code, as everywhere in Dreamloop."""

from __future__ import annotations

from typing import Any, Dict, Optional


class DreamloopError(Exception):
    """What Dreamloop refuses or reports: a stable code, and a message that says what was wrong, what was found and what to do.

    ``code`` is one of the codes that the TypeScript side knows, such as ``invalid_value``. ``place`` is ``file:line`` of the author's code,
    where one is to blame. ``details`` holds further facts for machines.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        place: Optional[str] = None,
        retryable: bool = False,
        details: Optional[Dict[str, Any]] = None,
    ) -> None:
        super().__init__(message if place is None else f"{place}: {message}")
        self.code = code
        self.message = str(self)
        self.place = place
        self.retryable = retryable
        self.details: Dict[str, Any] = dict(details or {})


class Cancelled(Exception):
    """Raised by ``check_cancelled`` inside a load or a step that nobody wants any longer."""


def found(value: Any) -> str:
    """Describes a found value in an error message: short, with its type where that helps."""
    if value is None:
        return "None"
    if isinstance(value, str):
        return repr(value) if len(value) <= 60 else f"a string of {len(value)} characters starting {value[:40]!r}"
    if isinstance(value, (bool, int, float)):
        return repr(value)
    shape = getattr(value, "shape", None)
    if shape is not None and hasattr(value, "dtype"):
        return f"{type(value).__name__} of shape {tuple(int(side) for side in shape)} and dtype {str(value.dtype).replace('torch.', '')}"
    if isinstance(value, (list, tuple, dict, set)):
        return f"{type(value).__name__} of {len(value)}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if callable(value):
        return f"the function {getattr(value, '__name__', '?')}"
    return f"an object of class {type(value).__name__}"
