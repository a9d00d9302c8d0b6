"""Slots of shared memory through which frames reach the driver without a copy."""

from __future__ import annotations

import mmap
import os
import threading
from typing import Any, Dict, List, Optional

import numpy as np

MAX_SLOTS = 64
MIN_SLOTS = 4
MAX_SHARED_BYTES = 512 * 1024 * 1024


class SlotPool:
    """Slots in a shared memory object that both sides have open. Each is held by counted leases: that of the driver, which reads it, and that of
    a session, which may have to send the same reply again. A slot without leases is used anew; when none is free and no more may be made, frames travel
    through the socket.
    """

    def __init__(self, descriptor: int, chunk_bytes: int) -> None:
        page = mmap.ALLOCATIONGRANULARITY
        self.slot_bytes = -(-chunk_bytes // page) * page
        self.max_slots = max(MIN_SLOTS, min(MAX_SLOTS, MAX_SHARED_BYTES // self.slot_bytes))
        self._descriptor = descriptor
        self._maps: List[mmap.mmap] = []
        self._leases: Dict[int, int] = {}
        self._lock = threading.Lock()
        self._is_full = False

    def take(self) -> Optional[int]:
        """A slot with one lease; None when there is none and no room for another."""
        with self._lock:
            free = next((slot for slot in range(len(self._maps)) if self._leases.get(slot, 0) == 0), None)
            slot = self._grow() if free is None else free
            if slot is not None:
                self._leases[slot] = 1
            return slot

    def array(self, slot: int, frame_count: int, height: int, width: int) -> "np.ndarray[Any, Any]":
        """The memory of a slot as frames."""
        return np.frombuffer(self._maps[slot], dtype=np.uint8, count=frame_count * height * width * 3).reshape(frame_count, height, width, 3)

    def keep(self, slot: int) -> None:
        """Adds a lease."""
        with self._lock:
            self._leases[slot] = self._leases.get(slot, 0) + 1

    def release(self, slot: Any) -> None:
        """Takes a lease away; what is not leased is left alone."""
        with self._lock:
            if type(slot) is int and self._leases.get(slot, 0) > 0:
                self._leases[slot] -= 1

    def _grow(self) -> Optional[int]:
        if self._is_full or len(self._maps) == self.max_slots:
            return None
        slot = len(self._maps)
        offset = slot * self.slot_bytes
        try:
            # Reserved now: memory that is missing is an error here, and not a bus error at the first write.
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self._descriptor, offset, self.slot_bytes)
            else:
                os.ftruncate(self._descriptor, offset + self.slot_bytes)
            self._maps.append(mmap.mmap(self._descriptor, self.slot_bytes, offset=offset))
        except (OSError, ValueError):
            self._is_full = True
            return None
        return slot
