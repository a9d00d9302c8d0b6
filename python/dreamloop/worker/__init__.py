"""The worker: runs a world for a driver in another process (docs/session-protocol.md). Started by Dreamloop, not by hand."""

from __future__ import annotations

import argparse
import faulthandler
import os
import signal
import socket
import sys
from typing import List, Optional

from ..protocol import Channel
from .processes import lead_group, leave_forks_out, start_guardian
from .server import Server
from .world_file import open_world


def main(arguments: Optional[List[str]] = None) -> int:
    """Serves one world over inherited descriptors until the driver is gone."""
    parser = argparse.ArgumentParser(prog="dreamloop.worker", description="Runs a world for Dreamloop; started by it.")
    parser.add_argument("file")
    parser.add_argument("--name")
    parser.add_argument("--folder", required=True, help="the folder to work in")
    parser.add_argument("--control", type=int, required=True, help="descriptor of the connection")
    parser.add_argument("--lifeline", type=int, help="descriptor that is closed when the driver ends")
    parser.add_argument("--shared", type=int, help="descriptor of the shared memory")
    parser.add_argument("--rank", type=int, default=0, help="which of the processes that run the world together this is")
    parser.add_argument("--ranks", type=int, default=1, help="how many there are")
    given = parser.parse_args(arguments)
    own = tuple(number for number in (given.control, given.lifeline, given.shared) if number is not None)
    for descriptor in own:
        os.set_inheritable(descriptor, False)
    lead_group()
    if given.lifeline is not None:
        start_guardian(given.lifeline)
    leave_forks_out(tuple(number for number in (given.control, given.shared) if number is not None))
    faulthandler.enable()
    if hasattr(signal, "SIGUSR2"):
        # The stack of a world that hangs is written even while native code holds the interpreter's lock.
        faulthandler.register(signal.SIGUSR2, all_threads=True)
    _settle(given.folder)
    channel = Channel(socket.socket(fileno=given.control))
    server = Server(channel, lambda: open_world(given.file, given.name), given.shared, given.rank, given.ranks)
    server.serve()
    sys.stdout.flush()
    sys.stderr.flush()
    channel.close()
    # Threads and exit handlers of libraries must not hold the end up.
    os._exit(0)


def _settle(folder: str) -> None:
    """Lets the author's code find the folder and the modules that it would find as a program, and the processes that it starts find this package."""
    package_folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    os.chdir(folder)
    sys.path[:] = [entry for entry in sys.path if entry not in ("", package_folder)] + [package_folder]
    paths = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    os.environ["PYTHONPATH"] = os.pathsep.join([*paths, package_folder])
