"""Owns how JSON-RPC messages are cut out of a stream of bytes, and put into one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

_LENGTH = re.compile(
    rb"(?:\A|\r?\n)content-length:[ \t]*(\d+)[ \t]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n",
    re.IGNORECASE,
)


class Framing(Protocol):
    """One way to cut messages; an instance holds what has come of the next one."""

    def wrap(self, message: bytes) -> bytes:
        """Return a message as it is sent."""

    def push(self, data: bytes) -> Iterator[bytes]:
        """Take the next bytes, yield the messages that are complete now."""


class NewlineFraming:
    """A message a line. A last line without a newline is no message: a client would wait for the rest."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._held: list[bytes] = []

    def wrap(self, message: bytes) -> bytes:
        """Return the message as a line."""
        return message + b"\n"

    def push(self, data: bytes) -> Iterator[bytes]:
        """Yield each complete line; only ``data`` is looked through, so that long lines cost no more than
        their length.
        """
        *complete, rest = data.split(b"\n")
        for line in complete:
            self._held.append(line)
            whole = b"".join(self._held)
            self._held = []
            yield whole
        if rest:
            self._held.append(rest)


class ContentLengthFraming:
    """A header with the length in bytes, an empty line, the message (as language servers have it)."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._held = bytearray()
        self._wanted = 0  # bytes of the message that has begun; 0: a header is next

    def wrap(self, message: bytes) -> bytes:
        """Return the message behind its header."""
        return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)

    def push(self, data: bytes) -> Iterator[bytes]:
        """Yield each complete message; what stands before a header is passed over."""
        self._held += data
        while True:
            if not self._wanted:
                header = _LENGTH.search(self._held)
                if header is None:
                    return
                self._wanted = int(header[1])
                del self._held[: header.end()]
            if len(self._held) < self._wanted:
                return
            message = bytes(self._held[: self._wanted])
            del self._held[: self._wanted]
            self._wanted = 0
            yield message
