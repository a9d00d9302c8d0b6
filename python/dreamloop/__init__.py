"""Write interactive world models in Python and run them with Dreamloop (docs/python-worlds.md)."""

from .context import LoadContext, RolloutContext, Step, StepContext
from .errors import Cancelled, DreamloopError
from .inputs import Input, choice, flag, image, number, text, value
from .random import RandomStream
from .video import Video
from .world import World, world

__version__ = "0.1.0"

__all__ = [
    "Cancelled",
    "DreamloopError",
    "Input",
    "LoadContext",
    "RandomStream",
    "RolloutContext",
    "Step",
    "StepContext",
    "Video",
    "World",
    "choice",
    "flag",
    "image",
    "number",
    "text",
    "value",
    "world",
]
