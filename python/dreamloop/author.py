"""Finds the line of the author's Python that an error is about."""

from __future__ import annotations

import inspect
import linecache
import os
import re
import sys
import sysconfig
import traceback
from types import TracebackType
from typing import Any, Callable, List, Optional, Type

_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_LIBRARY_FOLDERS = tuple(
    os.path.abspath(path) + os.sep for path in {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")} if path
)
_MAX_TRACEBACK_CHARACTERS = 16_000


def shown_path(path: str) -> str:
    """A path as a person would write it: relative to the working folder where it lies below, else as it is."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):  # another drive, or a working folder that is gone
        return path
    return path if relative.startswith("..") else relative


def is_author_file(path: str) -> bool:
    """Whether a file belongs to the author: neither Dreamloop's, nor Python's, nor an installed package's."""
    if path.startswith("<"):
        return False
    full = os.path.abspath(path)
    if full.startswith(_OWN_FOLDER) or os.path.basename(full) == "dreamloop_worker.py" or f"{os.sep}site-packages{os.sep}" in full or f"{os.sep}dist-packages{os.sep}" in full:
        return False
    return not full.startswith(_LIBRARY_FOLDERS)


def place_of_function(function: Callable[..., Any]) -> Optional[str]:
    """``file:line`` where a function is defined; None for one without source."""
    function = inspect.unwrap(function)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None or code.co_filename.startswith("<"):
        return None
    return f"{shown_path(code.co_filename)}:{code.co_firstlineno}"


def place_of_class(cls: Type[Any], attribute: Optional[str] = None) -> Optional[str]:
    """``file:line`` of a class, or of the line in it that sets ``attribute``."""
    try:
        lines, first = inspect.getsourcelines(cls)
        path = inspect.getsourcefile(cls)
    except (OSError, TypeError):
        return None
    if path is None:
        return None
    line = first
    if attribute is not None:
        pattern = re.compile(rf"^\s+(?:{re.escape(attribute)}\s*[:=]|(?:async\s+)?def\s+{re.escape(attribute)}\b)")
        line = next((first + index for index, text in enumerate(lines) if pattern.match(text)), first)
    return f"{shown_path(path)}:{line}"


def place_of_traceback(tb: Optional[TracebackType]) -> Optional[str]:
    """``file:line in function`` of the innermost line of the author's code."""
    place = None
    for frame, line in traceback.walk_tb(tb):
        if is_author_file(frame.f_code.co_filename):
            name = frame.f_code.co_name
            where = "" if name.startswith("<") else f" in {name}"
            place = f"{shown_path(frame.f_code.co_filename)}:{line}{where}"
    return place


def place_of_stack(frame: Any) -> Optional[str]:
    """The same for a running stack, whose innermost frame is given."""
    while frame is not None:
        if is_author_file(frame.f_code.co_filename):
            return f"{shown_path(frame.f_code.co_filename)}:{frame.f_lineno} in {frame.f_code.co_name}"
        frame = frame.f_back
    return None


def author_traceback(error: BaseException) -> str:
    """The traceback of an error without Dreamloop's own frames, as Python would print it; what is very long loses its middle."""
    text = "".join(traceback.format_exception(type(error), error, _without_own_frames(error.__traceback__)))
    if len(text) > _MAX_TRACEBACK_CHARACTERS:
        half = _MAX_TRACEBACK_CHARACTERS // 2
        text = f"{text[:half]}\n  …\n{text[-half:]}"
    return text.rstrip()


def _without_own_frames(tb: Optional[TracebackType]) -> Optional[TracebackType]:
    while tb is not None and os.path.abspath(tb.tb_frame.f_code.co_filename).startswith(_OWN_FOLDER):
        tb = tb.tb_next
    return tb


def current_stack(thread_id: int) -> str:
    """The stack of a thread right now, as text."""
    frame = sys._current_frames().get(thread_id)
    if frame is None:
        return ""
    lines: List[str] = traceback.format_stack(frame)
    linecache.checkcache()
    return "".join(lines).rstrip()
