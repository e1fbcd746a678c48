"""Owns the two pipes that a program writes to while it is captured, and how its writes are put together again.

A pipe of packets (O_DIRECT) keeps each write of up to 4,096 bytes for itself; a longer one comes as full packets and a
rest. Such a pipe has room for one packet only, so that of each stream at most one packet waits at a time, and the
kernel's events tell which of two was written first.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import sys
import termios
import time

from mutkit.hermetic.capture.captured import Boundaries, Chunk
from mutkit.hermetic.capture.watching import ACCESSED, WRITTEN, Watcher, works

_F_SETPIPE_SZ = 1031
_PACKET = 4096
_ROOM = 65536
_EVENT_WAIT, _MIDDLE_WAIT = 0.02, 0.001
"""Seconds that the event of a finished write may take; and that are waited to see whether a full packet is the last."""
STDIN = 0


class Outputs:
    """Standard output and standard error of a program, read as it writes."""

    def __init__(self, *, packets: bool = True) -> None:
        """Make the pipes; plain ones where packets are not wanted or not to be had here."""
        self.writers: dict[int, int] = {}
        self._readers: dict[int, int] = {}
        self.boundaries: Boundaries = "writes"
        self._watcher: Watcher | None = None
        if not packets or sys.platform != "linux" or not self._open(os.O_DIRECT):
            self.boundaries = "reads"
            self._open(0)
        elif works():
            self._watcher = Watcher()
            for fd, reader in self._readers.items():
                self._watcher.add(reader, WRITTEN, fd)
        self.began = time.monotonic()
        self.chunks: list[Chunk] = []
        self.unsure = 0
        self.stdin_after = 0
        self.ended: dict[int, float] = {}
        self.chunks_at_end: dict[int, int] = {}
        self._events: list[int] = []
        self._parts: dict[int, bytearray] = {1: bytearray(), 2: bytearray()}

    def _open(self, flag: int) -> bool:
        """Make both pipes; return whether the kernel gives such ones."""
        try:
            for fd in (1, 2):
                self._readers[fd], self.writers[fd] = os.pipe()
                if flag:
                    fcntl.fcntl(self.writers[fd], fcntl.F_SETFL, flag)
                    fcntl.fcntl(self.writers[fd], _F_SETPIPE_SZ, _PACKET)
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise
            self.close()
            return False
        return True

    def watch_input(self, reader: int) -> None:
        """Note when input is taken from the pipe behind ``reader``."""
        if self._watcher is not None:
            self._watcher.add(reader, ACCESSED, STDIN)

    def close_writers(self) -> None:
        """Leave the writing ends to the program."""
        for writer in self.writers.values():
            os.close(writer)
        self.writers.clear()

    def close(self) -> None:
        """Close everything."""
        for descriptor in (*self._readers.values(), *self.writers.values()):
            os.close(descriptor)
        self._readers.clear()
        self.writers.clear()
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None

    @property
    def open(self) -> tuple[int, ...]:
        """Return the streams that have not ended."""
        return tuple(self._readers)

    def pump(self, seconds: float) -> None:
        """Wait so long at most for something to be written, then take all that is there."""
        poll = select.poll()
        for descriptor in (*self._readers.values(), *([self._watcher.fd] if self._watcher else [])):
            poll.register(descriptor, select.POLLIN)
        poll.poll(seconds * 1000)
        while self._take_one():
            pass

    def _take_one(self) -> bool:
        """Take what was written first of that which waits; return whether there was anything."""
        waiting = self._settled()
        if len([fd for fd in waiting if fd not in self._events]) > 1:
            self.unsure += 1
        for fd in waiting:
            self._take(fd)
            return True
        if any(bytes_in(reader) for reader in self._readers.values()):  # it came while we looked at the events
            return True
        for fd in (1, 2):
            if self._parts[fd] and fd in self._events:  # the event of a write whose last packet was a full one
                self._finish(fd)
        self._note_input(len(self._events))
        self._events.clear()  # of what was taken before its event came
        for fd, reader in list(self._readers.items()):
            if _hung_up(reader):
                self._end(fd)
        return False

    def _settled(self) -> list[int]:
        """Return the streams on which something waits, that which was written first in front."""
        waiting = [fd for fd, reader in self._readers.items() if bytes_in(reader)]
        if self._watcher is None:
            return waiting
        self._events += self._watcher.events()
        began = time.monotonic()
        while missing := [fd for fd in waiting if fd not in self._events]:
            full = all(bytes_in(self._readers[fd]) >= _PACKET for fd in missing)
            if time.monotonic() - began > (_MIDDLE_WAIT if full else _EVENT_WAIT):
                break
            select.select([self._watcher.fd], [], [], _MIDDLE_WAIT / 4)
            self._events += self._watcher.events()
        # Where one has no event yet, its write has not returned: it began after all that is finished.
        last = len(self._events)
        return sorted(waiting, key=lambda fd: self._events.index(fd) if fd in self._events else last)

    def _take(self, fd: int) -> None:
        size = bytes_in(self._readers[fd])
        data = os.read(self._readers[fd], _ROOM)
        finished = fd in self._events
        if finished:
            self._note_input(self._events.index(fd))
            self._events.remove(fd)
        self._parts[fd] += data
        if self.boundaries == "reads" or finished or size < _PACKET:
            self._finish(fd)

    def _note_input(self, before: int) -> None:
        """Take the events of input that lie before this place in the queue."""
        if STDIN in self._events[:before]:
            self.stdin_after = len(self.chunks)
            self._events[:before] = [event for event in self._events[:before] if event != STDIN]

    def _finish(self, fd: int) -> None:
        self.chunks.append(Chunk(fd, bytes(self._parts[fd]), time.monotonic() - self.began))
        self._parts[fd].clear()

    def _end(self, fd: int) -> None:
        if self._parts[fd]:
            self._finish(fd)
        os.close(self._readers.pop(fd))
        self.ended[fd] = time.monotonic() - self.began
        self.chunks_at_end[fd] = len(self.chunks)


def bytes_in(reader: int) -> int:
    """Return how many bytes wait in a pipe."""
    return int.from_bytes(fcntl.ioctl(reader, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder)


def _hung_up(reader: int) -> bool:
    """Return whether nobody can write any more and nothing is left."""
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    return any(event & select.POLLHUP for _, event in poll.poll(0)) and not bytes_in(reader)
