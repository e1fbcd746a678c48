"""Owns how JSON-RPC messages are cut out of a stream of bytes, and put into one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 64 * 2**20
"""Bytes of one message that are waited for: a server that goes on without an end must not fill the memory."""

_LENGTH = re.compile(rb"content-length:[ \t]*(\d+)[ \t]*", re.IGNORECASE)


class OverLimitError(Exception):
    """A message has more bytes than ``LIMIT``, or says that it will have."""


class Framing(Protocol):
    """One way to cut messages; an instance holds what has come of the next one, ``LIMIT`` bytes at most."""

    def wrap(self, message: bytes) -> bytes:
        """Return a message as it is sent."""

    def push(self, data: bytes) -> Iterator[bytes]:
        """Take the next bytes, yield the messages that are complete now; OverLimitError if one is too long."""


class NewlineFraming:
    """A message a line. A last line without a newline is no message: a client would wait for the rest."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._held = bytearray()

    def wrap(self, message: bytes) -> bytes:
        """Return the message as a line."""
        return message + b"\n"

    def push(self, data: bytes) -> Iterator[bytes]:
        """Yield each complete line; only ``data`` is looked through, so that long lines cost no more than
        their length.
        """
        *complete, rest = data.split(b"\n")
        for line in complete:
            _hold(self._held, line)
            whole = bytes(self._held)
            self._held.clear()
            yield whole
        _hold(self._held, rest)


class ContentLengthFraming:
    """A header with the length in bytes, an empty line, the message (as language servers have it)."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._held = bytearray()  # of a line, or of a message
        self._length: int | None = None  # as the header has it that is being read
        self._in_message = False

    def wrap(self, message: bytes) -> bytes:
        """Return the message behind its header."""
        return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)

    def push(self, data: bytes) -> Iterator[bytes]:
        """Yield each complete message; what stands before a header is passed over, and not looked at again."""
        at = 0
        while at < len(data):
            if not self._in_message:
                end = data.find(b"\n", at) + 1
                _hold(self._held, data[at : end or len(data)])
                at = end or len(data)
                if end:
                    self._end_line()
            if self._in_message:
                assert self._length is not None
                piece = data[at : at + self._length - len(self._held)]
                self._held += piece
                at += len(piece)
                if len(self._held) == self._length:
                    yield bytes(self._held)
                    self._held.clear()
                    self._length, self._in_message = None, False

    def _end_line(self) -> None:
        line = bytes(self._held).rstrip(b"\r\n")
        self._held.clear()
        if not line:
            self._in_message = self._length is not None
        elif self._length is None and (header := _LENGTH.fullmatch(line)):
            digits = header[1].lstrip(b"0") or b"0"
            if len(digits) > len(str(LIMIT)) or int(digits) > LIMIT:
                told = digits[:20].decode() + ("..." if len(digits) > 20 else "")
                raise OverLimitError(f"a header announces a message of {told} bytes, over the limit of {LIMIT:,}")
            self._length = int(digits)


def _hold(held: bytearray, piece: bytes) -> None:
    if len(held) + len(piece) > LIMIT:
        raise OverLimitError(f"more than {LIMIT:,} bytes came without the end of a message")
    held += piece
