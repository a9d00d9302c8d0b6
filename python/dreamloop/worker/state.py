"""Keeps a committed state as it was: changing it in place fails at once instead of breaking a step that fails later."""

from __future__ import annotations

import copy
from typing import Any, Dict, NoReturn

import numpy as np

from ..errors import DreamloopError

_MAX_DEPTH = 8
HINT = "ctx.state stays as it was, so that a failed step changes nothing: make a new state ({**ctx.state, ...}, array.copy()), or set in_place = True"


class FrozenDict(Dict[Any, Any]):
    """A dict that refuses to be changed; a copy of it is a plain dict."""

    def _refuse(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError(HINT)

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]
    __ior__ = _refuse  # type: ignore[assignment]

    def copy(self) -> Dict[Any, Any]:
        """A plain dict with the same entries."""
        return dict(self)

    def __copy__(self) -> Dict[Any, Any]:
        return dict(self)

    def __deepcopy__(self, memo: Any) -> Dict[Any, Any]:
        return {key: copy.deepcopy(value, memo) for key, value in self.items()}

    def __reduce__(self) -> Any:
        return (dict, (dict(self),))


def frozen(state: Any, depth: int = _MAX_DEPTH) -> Any:
    """The state with its dicts and arrays read-only; lists, tensors and other objects stay as they are."""
    if isinstance(state, np.ndarray):
        if state.flags.writeable:
            state.flags.writeable = False
        return state
    if depth == 0:
        return state
    if type(state) is dict:
        return FrozenDict({key: frozen(value, depth - 1) for key, value in state.items()})
    if type(state) is tuple:
        return tuple(frozen(value, depth - 1) for value in state)
    if type(state) is list:
        for value in state:
            frozen(value, depth - 1)
    return state


def thawed(state: Any) -> Any:
    """A copy in depth that may be changed."""
    try:
        return copy.deepcopy(state)
    except Exception as error:
        message = f"the state cannot be copied ({error}); a world with in_place = True needs a state that copy.deepcopy takes"
        raise DreamloopError("invalid_state", message) from error
