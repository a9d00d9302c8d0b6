"""The session protocol: messages as a JSON header and raw bytes (docs/session-protocol.md)."""

from __future__ import annotations

import json
import socket
import struct
import threading
from typing import Any, Dict, Optional, Tuple

from .errors import DreamloopError, found

PROTOCOL_VERSION = 1
MAGIC = b"DLP1"
MAX_HEADER_BYTES = 1024 * 1024
MAX_PAYLOAD_BYTES = 512 * 1024 * 1024
_PREFIX = struct.Struct("<4sII")

#: What each message from the driver must hold, by type: names and types of its fields. Further fields are left alone.
MESSAGES: Dict[str, Dict[str, type]] = {
    "hello": {"protocol": list},
    "describe": {"id": int},
    "load": {"id": int, "config": dict},
    "open": {"id": int, "session": int, "seed": int, "initial": dict},
    "step": {"id": int, "session": int, "number": int, "step": dict, "update": dict},
    "finalize": {"id": int, "session": int, "number": int},
    "discard": {"id": int, "session": int, "number": int},
    "reset": {"id": int, "session": int, "number": int},
    "snapshot": {"id": int, "session": int},
    "restore": {"id": int, "session": int, "number": int},
    "close": {"id": int, "session": int},
    "cancel": {"id": int},
    "release": {"slots": list},
    "ping": {"id": int},
    "bye": {},
}


class Message:
    """One message: its header and the raw bytes that came with it."""

    __slots__ = ("header", "payload")

    def __init__(self, header: Dict[str, Any], payload: Any) -> None:
        self.header = header
        self.payload = payload

    @property
    def type(self) -> str:
        """What it is."""
        return str(self.header["type"])


class Channel:
    """Messages over a stream socket. Any thread may send; one thread receives."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._sending = threading.Lock()

    def send(self, header: Dict[str, Any], payload: Any = b"") -> None:
        """Sends a message; blocks until the system has taken it."""
        text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
        if len(text) > MAX_HEADER_BYTES or len(payload) > MAX_PAYLOAD_BYTES:
            raise DreamloopError("limit_exceeded", f"a message of {len(text)} + {len(payload)} bytes is too large to send")
        start = _PREFIX.pack(MAGIC, len(text), len(payload)) + text
        with self._sending:
            self._connection.sendall(start)
            if len(payload) > 0:
                self._connection.sendall(payload)

    def receive(self) -> Optional[Message]:
        """The next message; None when the other side is gone. Raises ``invalid_value`` or ``limit_exceeded`` for what is no message."""
        prefix = self._read(_PREFIX.size)
        if prefix is None:
            return None
        magic, header_bytes, payload_bytes = _PREFIX.unpack(prefix)
        if magic != MAGIC:
            raise DreamloopError("invalid_value", f"session protocol: expected a message that begins with {MAGIC!r}, found {bytes(magic)!r}")
        if header_bytes > MAX_HEADER_BYTES or payload_bytes > MAX_PAYLOAD_BYTES:
            raise DreamloopError("limit_exceeded", f"session protocol: a message of {header_bytes} + {payload_bytes} bytes is too large")
        header = self._read(header_bytes)
        payload = self._read(payload_bytes)
        if header is None or payload is None:
            return None
        return Message(read_header(header), payload)

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def fileno(self) -> int:
        """The descriptor of the connection."""
        return self._connection.fileno()

    def _read(self, count: int) -> Optional[bytearray]:
        data = bytearray(count)
        view = memoryview(data)
        done = 0
        while done < count:
            try:
                got = self._connection.recv_into(view[done:])
            except (ConnectionError, OSError):
                return None
            if got == 0:
                return None
            done += got
        return data


def read_header(raw: Any) -> Dict[str, Any]:
    """Reads and checks the header of a message from the driver; refuses everything that is not as documented."""
    try:
        header = json.loads(bytes(raw).decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise DreamloopError("invalid_value", f"session protocol: the header is not JSON ({error})") from None
    kind = header.get("type") if isinstance(header, dict) else None
    if not isinstance(kind, str) or kind not in MESSAGES:
        raise DreamloopError("invalid_value", f"session protocol: expected a message of a known type, found {found(kind)}")
    for name, wanted in MESSAGES[kind].items():
        given = header.get(name)
        if not isinstance(given, wanted) or isinstance(given, bool):
            raise DreamloopError("invalid_value", f"session protocol: {kind}.{name}: expected {wanted.__name__}, found {found(given)}")
        if wanted is int and not 0 <= given <= 2**53:
            raise DreamloopError("invalid_value", f"session protocol: {kind}.{name}: expected an integer from 0 to 2^53, found {given}")
    return header


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def agree(offered: Any) -> int:
    """The version of the protocol to speak: the newest that both sides know. Raises ``unavailable`` when there is none."""
    pair: Tuple[Any, Any] = (None, None)
    if isinstance(offered, list) and len(offered) == 2:
        pair = (offered[0], offered[1])
    if type(pair[0]) is not int or type(pair[1]) is not int or not pair[0] <= PROTOCOL_VERSION <= pair[1]:
        raise DreamloopError(
            "unavailable",
            f"session protocol: this side speaks version {PROTOCOL_VERSION}, the other one {found(offered)}; use a dreamloop package of the same version on both sides",
        )
    return PROTOCOL_VERSION
