"""Owns a mock's streams: what they are, in which pieces they are written, and plain writing.

Part of the child: it runs under ``python -I -S`` and imports as little as it can.
"""

from __future__ import annotations

import posix
import time

TYPE_CHECKING = False  # importing it from `typing` would import re and enum at each start
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .exact import Pipe, Socket
    from .record import Record

NAMES = ("stdin", "stdout", "stderr")
_FORMAT, _FIFO, _CHAR, _FILE, _SOCKET = 0o170000, 0o010000, 0o020000, 0o100000, 0o140000
_NULL = (1 << 8) + 3  # the number of /dev/null on Linux: 1, 3


class UnableError(Exception):
    """What the script asks for cannot be done here; the text says why."""


def kind_of(fd: int) -> str:
    """Return what a descriptor is: pipe, unix socket, tcp socket, socket, file, tty, null, device or closed."""
    try:
        status = posix.fstat(fd)
    except OSError:
        return "closed"
    form = status.st_mode & _FORMAT
    if form == _FIFO:
        return "pipe"
    if form == _SOCKET:
        return _kind_of_socket(fd)
    if form == _FILE:
        return "file"
    if form == _CHAR and posix.isatty(fd):
        return "tty"
    return "null" if form == _CHAR and status.st_rdev == _NULL else "device"


def _kind_of_socket(fd: int) -> str:
    """Ask the kernel for the protocol's name, which needs no module; old kernels say UNIX for all UNIX sockets."""
    try:
        protocol = posix.getxattr(fd, "system.sockprotoname").rstrip(b"\0")
    except OSError:
        return "socket"
    if protocol == b"UNIX-STREAM":
        return "unix socket"
    return "tcp socket" if protocol in (b"TCP", b"TCPv6") else "socket"


def pieces(data: bytes, chunk: int, cut_at: list[int]) -> Iterator[bytes]:
    """Cut ``data`` into chunks of ``chunk`` bytes, or at the offsets; whole where neither is given."""
    stops = range(chunk, len(data), chunk) if chunk else cut_at
    start = 0
    for stop in stops:
        if start < stop < len(data):
            yield data[start:stop]
            start = stop
    if data:
        yield data[start:]


class Writer:
    """Writes the script's chunks to standard output and standard error, and records each."""

    def __init__(self, record: Record) -> None:
        """Take the open record."""
        self._record = record
        self.mark = False  # whether some step may be exact, so that a plain write before it must end a read
        self._sockets: dict[int, Socket] = {}
        self._pipe: Pipe | None = None

    def write(self, fd: int, data: bytes, how: dict[str, Any]) -> None:
        """Write ``data`` as ``how`` says: chunk, cut_at, exact, pause, deadline.

        BrokenPipeError where the reader has gone; UnableError where the pace cannot be had here.
        """
        if how["exact"]:
            self._write_exactly(fd, data, how)
            return
        marked = self._socket(fd) if self.mark and kind_of(fd) == "unix socket" else None
        for piece in pieces(data, how["chunk"], how["cut_at"]):
            if marked is None:
                self._write_piece(fd, piece)
            else:
                marked.write_marked(piece)
            self._pause(how["pause"])
        self._record.flush()

    def leave(self, *, drain: bool) -> None:
        """Leave the streams as they were found; ``drain``: and wait for the readers of sockets that are marked.

        A reader takes the rest of a socket that is marked only while the mock lives: a Node process that has read a
        part and sees the other end closed takes that for the end. What was written plainly is left to the reader, as
        any program leaves it: who waits for the exit before reading must not wait for ever.
        """
        self._record.flush()
        if self._pipe is not None:
            self._pipe.restore()
        if not drain:
            return
        for marked in self._sockets.values():
            try:
                marked.drain(_LEAVING)
            except (OSError, UnableError) as error:
                self._record.add("not-taken", (marked.fd, str(error)))

    def _write_exactly(self, fd: int, data: bytes, how: dict[str, Any]) -> None:
        from .exact import Pipe, sizes_of

        count, largest = sizes_of(len(data), how["chunk"], how["cut_at"])
        kind = kind_of(fd)
        exact: Pipe | Socket
        if kind == "pipe":
            exact = self._pipe = Pipe(fd, self._record)
        elif "socket" in kind:
            exact = self._socket(fd)
        else:
            what = {"tty": "a terminal", "null": "/dev/null", "closed": "closed"}.get(kind, f"a {kind}")
            raise UnableError(
                f'pace = "exact" needs a pipe or a UNIX stream socket; {NAMES[fd]} is {what}, '
                "where reads have no boundaries"
            )
        exact.begin(count, largest, how.get("deadline", 30.0))
        self._record.add("exact-begun", (fd, kind, exact.mode, count))
        try:
            for piece in pieces(data, how["chunk"], how["cut_at"]):
                exact.write(piece)
                self._pause(how["pause"])
            exact.end()
        finally:
            self._record.add("exact", (fd, kind, exact.mode, exact.chunks, exact.proofs))
        self._pipe = None

    def _socket(self, fd: int) -> Socket:
        if fd not in self._sockets:
            from .exact import Socket

            self._sockets[fd] = Socket(fd, self._record)
        return self._sockets[fd]

    def _write_piece(self, fd: int, piece: bytes) -> None:
        if len(piece) > _MAY_BLOCK:  # killed while it waits for the reader, nobody can tell how much of it was taken
            self._record.add("begun", (fd, len(piece)))
        written = 0
        view = memoryview(piece)
        try:
            while written < len(piece):
                try:
                    written += posix.write(fd, view[written:])
                except BlockingIOError:  # Node's sockets: that they do not block is shared by all who have them
                    wait_for(fd, writing=True)
        finally:
            if written:
                self._record.wrote(fd, written)

    def _pause(self, seconds: float) -> None:
        if seconds:
            if seconds > _LONG:
                self._record.flush()
            time.sleep(seconds)


_MAY_BLOCK = 4096
_LONG = 0.005  # seconds: before a longer wait the record is brought up to date
_LEAVING = 30.0  # seconds that the reader of a socket has at the end


def wait_for(fd: int, *, writing: bool) -> None:
    """Return once a descriptor that does not block can be read or written, or its other end has gone."""
    import select

    poll = select.poll()
    poll.register(fd, select.POLLOUT if writing else select.POLLIN)
    poll.poll()
