"""Runs worlds written as text in this process, the way the worker does."""

import os
import sys
import tempfile
import textwrap

from dreamloop.worker.loaded import LoadedWorld
from dreamloop.worker.session import Session
from dreamloop.worker.world_file import WorldFile

NEVER = lambda: False  # noqa: E731
DRIVE = {"throttle": 0.5, "brake": 0.0, "steer": 0.0, "reverse": False, "stop": False}
HEAD = "import numpy as np\nfrom dreamloop import *\n"


def write_world(text):
    """Writes a world's text into a fresh folder and gives the file's path."""
    folder = tempfile.mkdtemp(prefix="dreamloop-world-")
    path = os.path.join(folder, f"mine_{os.path.basename(folder)[-6:]}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + textwrap.dedent(text))
    return path


def open_session(text, *, name=None, options=None, initial=None, seed=7):
    """Imports, loads and starts a world."""
    before = list(sys.path)
    try:
        file = WorldFile(write_world(text), name)
        file.declaration.describe()
        world = LoadedWorld(file.cls, file.declaration, {"runtimeOptions": options or {}}, lambda line: None)
        world.load(lambda stage, fraction: None, NEVER)
        world.facts()
        return Session(world, seed, initial or {}, NEVER)
    finally:
        sys.path[:] = before


def run_steps(session, count=2, update=None):
    """Runs steps and gives the bytes of their frames."""
    controls = {key: DRIVE for key in session._world.declaration.controls}
    frames = []
    for index in range(count):
        reply, payload = session.step(controls, (update or {}) if index == 1 else {}, NEVER)
        session.finalize(NEVER)
        frames.append(bytes(payload))
        assert reply["index"] == index
    return frames
