"""Owns standard input as a mock reads it: every byte recorded, no more read than is asked for.

Part of the child: it runs under ``python -I -S`` and imports as little as it can.
"""

from __future__ import annotations

import posix

from .streams import UnableError, wait_for

TYPE_CHECKING = False  # importing it from `typing` would import re and enum at each start
if TYPE_CHECKING:
    from .record import Record
    from .secrets import Secrets


class Stdin:
    """Standard input: what was read of it and not yet asked for, and whether its end was seen."""

    def __init__(self, record: Record, secrets: Secrets) -> None:
        """Take the open record, and what must not be in it."""
        self._record, self._secrets = record, secrets
        self._ahead = b""  # read to choose an answer by it, for the steps to come
        self._unrecorded = bytearray()
        self.ended = self._told = False

    def look_ahead(self) -> bytes:
        """Return all of standard input, which steps will read again."""
        self._ahead = self.read_all()
        return self._ahead

    def read_all(self) -> bytes:
        """Return everything up to the end."""
        pieces = [self._ahead]
        self._ahead = b""
        while not self.ended:
            pieces.append(self._read(65536))
            self._unrecorded += pieces[-1]
            self._write_down(final=self.ended)
        return b"".join(pieces)

    def read_line(self) -> bytes:
        """Return one line with its line feed, or what there is before the end; not one byte beyond it is read."""
        if self._ahead:
            first, feed, self._ahead = self._ahead.partition(b"\n")
            return first + feed
        line = bytearray()
        while not self.ended and line[-1:] != b"\n":
            there = self._there()
            if not there:
                self._write_down(final=False)  # the next byte may be long in coming
            for _ in range(there or 1):
                byte = self._read(1)
                line += byte
                self._unrecorded += byte
                if self.ended or byte == b"\n":
                    break
        self._write_down(final=True)
        return bytes(line)

    def _read(self, size: int) -> bytes:
        while True:
            try:
                data = posix.read(0, size)
                break
            except BlockingIOError:  # the open file is shared with whoever made it so
                wait_for(0, writing=False)
            except ConnectionResetError:  # the other end was closed with data of ours in it
                data = b""
                break
            except OSError as error:
                raise UnableError(f"standard input cannot be read: {error.strerror}") from error
        if not data:
            self.ended = True
        return data

    def _there(self) -> int:
        """Return how many bytes can be read without waiting, as far as that can be told."""
        import fcntl
        import sys
        import termios

        try:
            return int.from_bytes(fcntl.ioctl(0, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder)
        except OSError:
            return 0

    def leave(self) -> None:
        """Record what is not recorded yet, before the mock ends."""
        self._write_down(final=True)

    def _write_down(self, *, final: bool) -> None:
        """Record what was read; a beginning of a secret is held back until it is known what it is."""
        data = bytes(self._unrecorded)
        self._unrecorded = bytearray()
        if self._secrets:
            data = self._secrets.clean(data)
            held = self._secrets.held_back(data)
            data, rest = data[: len(data) - held], data[len(data) - held :]
            if final:
                data += self._secrets.clean_rest(rest)
            else:
                self._unrecorded += rest
        if data:
            self._record.add("stdin", data)
        if self.ended and not self._told:
            self._told = True
            self._record.add("stdin-ended", True)
