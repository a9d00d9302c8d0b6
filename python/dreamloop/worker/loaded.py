"""A loaded world: the author's object, and calls into it whose errors name the author's line."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Type

from ..author import place_of_traceback
from ..context import LoadContext
from ..controls import Fields
from ..errors import Cancelled, DreamloopError, found
from ..inputs import values_of
from ..video import Video
from ..world import Declaration, World
from .slots import SlotPool
from .state import HINT

_CODES = {"load": "load_failed", "start": "step_failed", "step": "step_failed", "finalize": "step_failed"}


class LoadedWorld:
    """One object of a world's class with its model, options and video; all sessions share it."""

    def __init__(
        self,
        cls: Type[World],
        declaration: Declaration,
        config: Dict[str, Any],
        log: Callable[[str], None],
        rank: int = 0,
        ranks: int = 1,
    ) -> None:
        self.cls = cls
        self.declaration = declaration
        self.config = config
        self.model: Any = None
        self.slots: Optional[SlotPool] = None
        #: Which of the processes that run the world together this is, and how many there are.
        self.rank, self.ranks = rank, ranks
        self._log = log
        values = values_of(declaration.options, dict(config.get("runtimeOptions") or {}), "InferenceConfig.runtimeOptions")
        self.options = Fields(values, "options")
        self.world: World = self.guard("load", cls)
        self.video: Video = self.guard("load", lambda: declaration.video(self.options))

    @property
    def identity(self) -> str:
        """Whose snapshots these are."""
        return f"{self.declaration.id}@{self.declaration.version}"

    def load(self, progress: Callable[[str, Optional[float]], None], is_cancelled: Callable[[], bool]) -> None:
        """Loads the model."""
        self.model = self.call("load", LoadContext(progress=progress, **self.surroundings(is_cancelled)))

    def facts(self) -> Dict[str, Any]:
        """What the world says of its model."""
        given = self.call("facts")
        if not isinstance(given, dict):
            raise DreamloopError("load_failed", f"facts() returned {found(given)}; expected a dict", place=self.declaration.method("facts"))
        return given

    def close(self) -> None:
        """Frees the model."""
        self.call("close")

    def surroundings(self, is_cancelled: Callable[[], bool]) -> Dict[str, Any]:
        """What every context holds."""
        return {
            "video": self.video,
            "options": self.options,
            "config": self.config,
            "is_cancelled": is_cancelled,
            "log": self._log,
            "rank": self.rank,
            "ranks": self.ranks,
        }

    def call(self, name: str, *arguments: Any) -> Any:
        """Calls a function of the world; what it raises becomes an error that names the line."""
        return self.guard(name, lambda: getattr(self.world, name)(*arguments))

    def guard(self, name: str, work: Callable[[], Any]) -> Any:
        """Runs work of the author's; what it raises becomes an error that names the line, with the original as its cause."""
        try:
            return work()
        except DreamloopError as error:
            place = place_of_traceback(error.__traceback__)
            if error.place is not None or place is None:
                raise
            raise DreamloopError(error.code, str(error), place=place, retryable=error.retryable, details=error.details) from error
        except Cancelled as error:
            raise DreamloopError("cancelled", f"{name} was cancelled") from error
        except (SystemExit, KeyboardInterrupt) as error:
            place = place_of_traceback(error.__traceback__) or self.declaration.method(name)
            raise DreamloopError(_CODES.get(name, "step_failed"), f"{name}() ended the program with {error!r}; raise an error instead", place=place) from error
        except MemoryError as error:
            place = place_of_traceback(error.__traceback__)
            raise DreamloopError("limit_exceeded", f"{name}() ran out of memory ({error or 'MemoryError'})", place=place) from error
        except Exception as error:
            raise explained(error, name, self.declaration) from error


def explained(error: BaseException, name: str, declaration: Declaration) -> DreamloopError:
    """An error of the author's code as ours: place, kind, text, and a hint where one is known."""
    place = place_of_traceback(error.__traceback__) or declaration.method(name)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    hint = _hint(error)
    return DreamloopError(
        _CODES.get(name, "step_failed"),
        f"{text}{'; ' + hint if hint and hint not in text else ''}",
        place=place,
        details={"function": name, "kind": type(error).__name__},
    )


def _hint(error: BaseException) -> str:
    text = str(error)
    if isinstance(error, ValueError) and "read-only" in text:
        return HINT
    if isinstance(error, ModuleNotFoundError):
        return install_hint(error)
    if "CUDA out of memory" in text or type(error).__name__ == "OutOfMemoryError":
        return "the device has no memory left: fewer sessions (max_sessions), a smaller window, or half precision"
    if isinstance(error, RuntimeError) and "can't call numpy() on Tensor that requires grad" in text.lower():
        return "wrap the network in torch.no_grad()"
    if isinstance(error, TypeError) and "can't convert cuda" in text:
        return "return the tensor itself; it is converted where it lies"
    return ""


def install_hint(error: ModuleNotFoundError) -> str:
    """How a missing module is installed for the interpreter that runs."""
    import sys

    packages = {"cv2": "opencv-python", "PIL": "pillow", "yaml": "pyyaml", "sklearn": "scikit-learn", "skimage": "scikit-image"}
    top = (error.name or "").split(".")[0]
    return f"install it with {sys.executable} -m pip install {packages.get(top, top)}, or choose another interpreter with --python"
