"""Owns our ends of a program's three standard streams: never blocking, and bounded in memory."""

from __future__ import annotations

import contextlib
import os
from collections import deque

from mutkit.model.ending import Capture

CHUNK = 65536
"""Bytes that are read or written at once: the capacity of a pipe on Linux."""

TAIL = 65536
"""Bytes that are kept of the end of an output which is over the cap: its last words say why it ended."""


class OutputPipe:
    """The end from which a program's output is read: the first ``cap`` bytes are kept, and the last ones, all
    are counted.

    With ``queued`` every byte is also put in ``queue``, to be taken out by whoever talks to the program.
    """

    def __init__(self, descriptor: int, cap: int, *, queued: bool = False) -> None:
        """Take the descriptor (owned from now on), the number of bytes to keep, and whether to queue."""
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self.queue: deque[bytes] = deque()
        self.queue_size = 0
        self._queued = queued
        self._cap = cap
        self._head = bytearray()
        self._beyond = bytearray()  # what came behind the head; only the end of it counts
        self._total = 0
        self.is_open = True

    def read_some(self) -> bool:
        """Read at most one chunk, not waiting; return whether there was any. Closes the pipe at its end."""
        try:
            data = os.read(self.descriptor, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self.close()
            return False
        self._total += len(data)
        room = self._cap - len(self._head)
        self._head += data[:room]
        self._beyond += data[room:]
        if len(self._beyond) > 2 * TAIL:
            del self._beyond[:-TAIL]
        if self._queued:
            self.queue.append(data)
            self.queue_size += len(data)
        return True

    def take(self) -> bytes | None:
        """Return the oldest bytes of the queue, or None if it is empty."""
        if not self.queue:
            return None
        data = self.queue.popleft()
        self.queue_size -= len(data)
        return data

    def stop_queueing(self) -> None:
        """Keep what is queued, queue no more."""
        self._queued = False

    def close(self) -> None:
        """Close the descriptor; what was kept stays."""
        if self.is_open:
            self.is_open = False
            os.close(self.descriptor)

    @property
    def capture(self) -> Capture:
        """Return what was read up to now."""
        last = b""
        if self._beyond:
            last = bytes(self._head[-TAIL:] + self._beyond)[-TAIL:]
        return Capture(bytes(self._head), self._total, last)


class InputPipe:
    """The end into which a program's input is written; what it does not take now waits in ``pending``."""

    def __init__(self, descriptor: int) -> None:
        """Take the descriptor (owned from now on)."""
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self.pending = memoryview(b"")
        self._close_when_written = False
        self.is_open = True

    def add(self, data: bytes) -> None:
        """Put bytes behind those that are still waiting."""
        self.pending = memoryview(bytes(self.pending) + data)

    def write_some(self) -> None:
        """Write what the program takes without waiting; closes the pipe if the program has closed its end."""
        while self.is_open and self.pending:
            try:
                written = os.write(self.descriptor, self.pending[:CHUNK])
            except BlockingIOError:
                return
            except BrokenPipeError:
                self.close()
                return
            self.pending = self.pending[written:]
        if self._close_when_written:
            self.close()

    def close_when_written(self) -> None:
        """Close the pipe as soon as nothing is waiting."""
        self._close_when_written = True
        self.write_some()

    def close(self) -> None:
        """Close the descriptor and forget what is waiting."""
        if self.is_open:
            self.is_open = False
            self.pending = memoryview(b"")
            with contextlib.suppress(BrokenPipeError):
                os.close(self.descriptor)
