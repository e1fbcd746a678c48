"""Owns the kernel's own account of the order in which pipes are written and read (inotify).

A pipe is watched through its name under /proc. Each finished write(2) queues an event, of all watched pipes in one
queue: that gives the order of writes to different pipes, and tells where a write ended that came as several packets.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

ACCESSED, WRITTEN = 1, 2
_EVENT = struct.Struct("iIII")


class Watcher:
    """The queue of events of some pipes."""

    def __init__(self) -> None:
        """Make the queue; OSError where there is none."""
        if sys.platform != "linux":
            raise OSError("there is no inotify on this system")
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.fd = _checked(self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))
        self._names: dict[int, int] = {}

    def add(self, descriptor: int, event: int, name: int) -> None:
        """Report ``event`` of the pipe behind ``descriptor`` as ``name``; OSError where it cannot be watched."""
        path = f"/proc/self/fd/{descriptor}".encode()
        self._names[_checked(self._libc.inotify_add_watch(self.fd, path, event))] = name

    def events(self) -> list[int]:
        """Return the names of what happened since the last look, in order; equal ones in a row may be one."""
        found: list[int] = []
        while True:
            try:
                data = os.read(self.fd, 65536)
            except BlockingIOError:
                return found
            at = 0
            while at < len(data):
                watch, _, _, extra = _EVENT.unpack_from(data, at)
                at += _EVENT.size + extra
                if watch in self._names:
                    found.append(self._names[watch])

    def close(self) -> None:
        """Watch no longer."""
        os.close(self.fd)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def works() -> bool:
    """Return whether writes to pipes are reported here: some kernels and sandboxes do not."""
    reader, writer = os.pipe()
    try:
        watcher = Watcher()
        try:
            watcher.add(reader, WRITTEN, 1)
            os.write(writer, b"x")
            return watcher.events() == [1]
        finally:
            watcher.close()
    except OSError:
        return False
    finally:
        os.close(reader)
        os.close(writer)
