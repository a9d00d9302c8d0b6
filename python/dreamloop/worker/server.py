"""Answers the driver: one thread reads, the main thread runs the world."""

from __future__ import annotations

import queue
import sys
import threading
from typing import Any, Callable, Dict, Optional, Set, Tuple

from ..author import author_traceback
from ..errors import DreamloopError
from ..protocol import PROTOCOL_VERSION, Channel, Message, agree
from ..values import decode
from .loaded import LoadedWorld
from .processes import end_group
from .session import Session
from .slots import SlotPool
from .world_file import WorldFile

MAX_SESSIONS = 1024


class Server:
    """The worker's side of the session protocol (docs/session-protocol.md)."""

    def __init__(
        self, channel: Channel, open_world: Callable[[], WorldFile], shared_descriptor: Optional[int], rank: int = 0, ranks: int = 1
    ) -> None:
        self._channel = channel
        self._open_world = open_world
        self._shared = shared_descriptor
        self._rank, self._ranks = rank, ranks
        self._requests: "queue.SimpleQueue[Optional[Message]]" = queue.SimpleQueue()
        self._cancelled: Set[int] = set()
        self._file: Optional[WorldFile] = None
        self._loaded: Optional[LoadedWorld] = None
        self._sessions: Dict[int, Session] = {}
        self._answers: Dict[str, Callable[[Message], Tuple[Dict[str, Any], Any]]] = {
            "describe": self._describe,
            "load": self._load,
            "open": self._open,
            "step": self._step,
            "finalize": self._finalize,
            "discard": self._discard,
            "reset": self._reset,
            "snapshot": self._snapshot,
            "restore": self._restore,
            "close": self._close,
        }

    def serve(self) -> None:
        """Answers until the driver says ``bye`` or is gone."""
        threading.Thread(target=self._read, name="dreamloop-reader", daemon=True).start()
        while True:
            message = self._requests.get()
            if message is None:
                break
            self._answer(message)
        for session in self._sessions.values():
            session.close()
        if self._loaded is not None:
            self._loaded.close()

    def log(self, text: str, level: str = "info") -> None:
        """Sends a line for the log of the program that runs the world."""
        self._channel.send({"type": "log", "level": level, "text": text[:4000]})

    def _read(self) -> None:
        """Takes messages in while the world runs, so that a heartbeat is answered and a cancellation is seen at once."""
        try:
            while True:
                message = self._channel.receive()
                if message is None:
                    end_group()
                    return
                kind = message.type
                if kind == "ping":
                    self._channel.send({"type": "pong", "id": message.header["id"]})
                elif kind == "cancel":
                    self._cancelled.add(message.header["id"])
                elif kind == "release":
                    self._release(message.header["slots"])
                elif kind == "hello":
                    agree(message.header["protocol"])
                    self._channel.send({"type": "hello", "protocol": PROTOCOL_VERSION, "facts": facts()})
                elif kind == "bye":
                    self._requests.put(None)
                    return
                else:
                    self._requests.put(message)
        except DreamloopError as error:
            # The bytes that follow mean nothing: the error is told, then the connection ends.
            self._channel.send({"type": "error", "id": 0, "error": error_record(error)})
            self._requests.put(None)

    def _release(self, slots: Any) -> None:
        pool = self._loaded.slots if self._loaded is not None else None
        if pool is not None:
            for slot in slots:
                pool.release(slot)

    def _answer(self, message: Message) -> None:
        request_id = message.header["id"]
        try:
            value, payload = self._answers[message.type](message)
            reply, raw = {"type": "result", "id": request_id, "value": value}, payload
        except DreamloopError as error:
            reply, raw = {"type": "error", "id": request_id, "error": error_record(error)}, b""
        except BaseException as error:  # a fault of this package, which must not end the worker
            fault = DreamloopError("internal", f"dreamloop: {type(error).__name__}: {error}")
            fault.__cause__ = error
            reply, raw = {"type": "error", "id": request_id, "error": error_record(fault)}, b""
        self._cancelled.discard(request_id)
        sys.stdout.flush()
        try:
            self._channel.send(reply, raw)
        except DreamloopError as error:
            self._channel.send({"type": "error", "id": request_id, "error": error_record(error)})

    def _describe(self, _message: Message) -> Tuple[Dict[str, Any], Any]:
        if self._file is None:
            self._file = self._open_world()
        return {"world": self._file.declaration.describe(), "files": self._file.files}, b""

    def _load(self, message: Message) -> Tuple[Dict[str, Any], Any]:
        if self._loaded is not None:
            raise DreamloopError("invalid_state", "load: the world is loaded already; a worker loads one world once")
        request_id = message.header["id"]
        self._describe(message)
        assert self._file is not None
        loaded = LoadedWorld(self._file.cls, self._file.declaration, message.header["config"], self.log, self._rank, self._ranks)

        def progress(stage: str, fraction: Optional[float]) -> None:
            told = {"type": "progress", "id": request_id, "stage": stage[:200]}
            self._channel.send(told if fraction is None else {**told, "fraction": fraction})

        loaded.load(progress, lambda: request_id in self._cancelled)
        if request_id in self._cancelled:
            loaded.close()
            raise DreamloopError("cancelled", "the load was cancelled")
        facts_of_world = loaded.facts()
        if self._shared is not None:
            loaded.slots = SlotPool(self._shared, loaded.video.chunk_bytes)
        self._loaded = loaded
        slots = None if loaded.slots is None else {"bytes": loaded.slots.slot_bytes, "most": loaded.slots.max_slots}
        value = {
            "video": loaded.video.describe(),
            "facts": {**facts(), **facts_of_world},
            "slots": slots,
            "files": self._file.files,
        }
        return value, b""

    def _world(self) -> LoadedWorld:
        if self._loaded is None:
            raise DreamloopError("invalid_state", "the world is not loaded; send load first")
        return self._loaded

    def _open(self, message: Message) -> Tuple[Dict[str, Any], Any]:
        key = message.header["session"]
        if key in self._sessions:
            raise DreamloopError("invalid_state", f"session {key} is open already")
        if len(self._sessions) >= min(MAX_SESSIONS, self._world().cls.max_sessions):
            raise DreamloopError("busy", f"all {len(self._sessions)} sessions are open; close one, or raise max_sessions", retryable=True)
        initial = decode(message.header["initial"], message.payload)
        session = Session(self._world(), message.header["seed"], initial, self._cancellation(message))
        self._sessions[key] = session
        return session.status, b""

    def _step(self, message: Message) -> Tuple[Dict[str, Any], Any]:
        session, header = self._session(message), message.header
        repeated = session.repeated(header["number"])
        if repeated is not None:
            return repeated
        inputs, update = (decode(header[slot], message.payload) for slot in ("step", "update"))
        value, payload = session.step(inputs, update, self._cancellation(message))
        return session.answered(header["number"], {**value, **session.status}, payload)

    def _finalize(self, message: Message) -> Tuple[Dict[str, Any], Any]:
        return self._numbered(message, lambda session: session.finalize(self._cancellation(message)))

    def _discard(self, message: Message) -> Tuple[Dict[str, Any], Any]:
        return self._numbered(message, lambda session: session.discard())

    def _reset(self, message: Message) -> Tuple[Dict[str, Any], Any]:
        header = message.header
        seed = header.get("seed")
        initial = header.get("initial")
        if (seed is not None and type(seed) is not int) or (initial is not None and not isinstance(initial, dict)):
            raise DreamloopError("invalid_value", "session protocol: reset.seed: expected int; reset.initial: expected dict")
        given = None if initial is None else decode(initial, message.payload)
        return self._numbered(message, lambda session: session.reset(seed, given, self._cancellation(message)))

    def _snapshot(self, message: Message) -> Tuple[Dict[str, Any], Any]:
        data = self._session(message).snapshot()
        return {"bytes": len(data)}, data

    def _restore(self, message: Message) -> Tuple[Dict[str, Any], Any]:
        seed = message.header.get("seed")
        if seed is not None and (type(seed) is not int or not 0 <= seed <= 2**53):
            raise DreamloopError("invalid_value", "session protocol: restore.seed: expected an integer from 0 to 2^53")
        return self._numbered(message, lambda session: session.restore(message.payload, seed))

    def _close(self, message: Message) -> Tuple[Dict[str, Any], Any]:
        session = self._sessions.pop(message.header["session"], None)
        if session is not None:
            session.close()
        return {}, b""

    def _numbered(self, message: Message, work: Callable[[Session], None]) -> Tuple[Dict[str, Any], Any]:
        session = self._session(message)
        number = message.header["number"]
        repeated = session.repeated(number)
        if repeated is not None:
            return repeated
        work(session)
        return session.answered(number, session.status)

    def _session(self, message: Message) -> Session:
        session = self._sessions.get(message.header["session"])
        if session is None:
            raise DreamloopError("not_found", f"session {message.header['session']} is not open")
        return session

    def _cancellation(self, message: Message) -> Callable[[], bool]:
        request_id = message.header["id"]
        return lambda: request_id in self._cancelled


def error_record(error: DreamloopError) -> Dict[str, Any]:
    """An error in the form in which it crosses to the driver, with the author's traceback."""
    record: Dict[str, Any] = {"code": error.code, "message": error.message[:8000], "retryable": error.retryable, "details": error.details}
    if error.place is not None:
        record["details"] = {**error.details, "place": error.place}
    cause = error.__cause__
    if cause is not None:
        record["traceback"] = author_traceback(cause)
    return record


def facts() -> Dict[str, Any]:
    """What runs the world, for traces."""
    import platform

    import numpy

    known = {"python": platform.python_version(), "numpy": numpy.__version__}
    torch = sys.modules.get("torch")
    if torch is not None:
        known["torch"] = str(torch.__version__)
        known["torchThreads"] = torch.get_num_threads()
    return known
