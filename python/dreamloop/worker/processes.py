"""Keeps a worker from outliving the program that started it."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import Optional


def lead_group() -> None:
    """Makes this process the leader of a process group of its own, so that all of the group can be ended at once."""
    if hasattr(os, "setsid") and os.getpid() != os.getpgrp():
        os.setsid()


def start_guardian(lifeline: int) -> Optional["subprocess.Popen[bytes]"]:
    """Starts a small process of this group that ends the whole group when the other end of ``lifeline`` is closed, by whatever death.

    A thread could not: it does not run while native code holds the interpreter's lock, and it dies with the process that forks.
    """
    if os.name != "posix":
        return None
    guardian = subprocess.Popen(
        ["/bin/sh", "-c", f"read _ <&{lifeline}; kill -KILL 0"],
        pass_fds=(lifeline,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=True,
    )
    os.close(lifeline)
    return guardian


def end_group() -> None:
    """Ends this process and all that it started."""
    if os.name == "posix" and os.getpid() == os.getpgrp():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def leave_forks_out(descriptors: "tuple[int, ...]") -> None:
    """Closes the worker's own descriptors in processes that the author forks, so that none of them speaks for the worker."""

    def close_all() -> None:
        for descriptor in descriptors:
            try:
                os.close(descriptor)
            except OSError:
                pass

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=close_all)
