"""Imports the author's file."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any, List, Optional, Type

from ..author import is_author_file, place_of_traceback, shown_path
from ..errors import DreamloopError
from ..world import Declaration, World, find_world
from .loaded import install_hint


#: What begins the place of an adapter of FlashDreams, where a file's path would be.
FLASHDREAMS = "flashdreams:"


class WorldFile:
    """A Python file with a world in it."""

    def __init__(self, path: str, name: Optional[str]) -> None:
        self.path = path
        module = import_file(path)
        self.cls: Type[World] = find_world(module, name, shown_path(path))
        self.declaration = Declaration(self.cls, os.path.splitext(os.path.basename(path))[0])

    @property
    def files(self) -> List[str]:
        """The author's files that were imported so far; a change of one of them makes another world."""
        paths = {self.path} - {""}
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if isinstance(path, str) and path.endswith(".py") and is_author_file(path):
                paths.add(os.path.abspath(path))
        return sorted(paths)


class AdapterFile(WorldFile):
    """An adapter of FlashDreams in a module: ``package.module:Adapter``."""

    def __init__(self, adapter: str) -> None:
        from ..flashdreams import adapter_world

        self.path = ""
        sys.path.insert(0, os.getcwd())
        try:
            self.cls = adapter_world(adapter)
        except DreamloopError:
            raise
        except (Exception, SystemExit) as error:
            raise _import_error(error, f"{FLASHDREAMS}{adapter}") from error
        self.declaration = Declaration(self.cls, adapter.rpartition(":")[2])


def open_world(place: str, name: Optional[str]) -> WorldFile:
    """Imports the world of a file (the one called ``name``, or the only one), or of ``flashdreams:package.module:Adapter``."""
    if place.startswith(FLASHDREAMS):
        return AdapterFile(place[len(FLASHDREAMS) :])
    return WorldFile(os.path.abspath(place), name)


def import_file(path: str) -> Any:
    """Imports a file as the module of its name, with its folder first on the path, as ``python file.py`` would have it."""
    name = os.path.splitext(os.path.basename(path))[0]
    sys.path.insert(0, os.path.dirname(path))
    if name in sys.modules:  # a file called like a module of Python or Dreamloop
        name = f"world_file_{name}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise DreamloopError("load_failed", f"{shown_path(path)}: this is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except DreamloopError:
        raise
    except FileNotFoundError as error:
        if error.filename == path:
            raise DreamloopError("not_found", f"{shown_path(path)}: there is no such file") from error
        raise _import_error(error, path) from error
    except (Exception, SystemExit) as error:
        raise _import_error(error, path) from error
    return module


def _import_error(error: BaseException, path: str) -> DreamloopError:
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{shown_path(error.filename)}:{error.lineno}"
        text = (error.text or "").strip()
        return DreamloopError("load_failed", f"{type(error).__name__}: {error.msg}{f': {text}' if text else ''}", place=place)
    place = place_of_traceback(error.__traceback__) or shown_path(path)
    hint = f"; {install_hint(error)}" if isinstance(error, ModuleNotFoundError) else ""
    return DreamloopError("load_failed", f"{type(error).__name__}: {error}{hint}", place=place)
