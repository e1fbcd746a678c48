"""Owns the record of one call while it is written: a file a call, a line a fact.

Part of the child: it runs under ``python -I -S`` and imports as little as it can.
"""

from __future__ import annotations

import posix
import time

TYPE_CHECKING = False  # importing it from `typing` would import re and enum at each start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FLUSH_EVERY = 512  # chunks between two lines of the record,
FLUSH_AFTER = 0.02  # or seconds


class Record:
    """The file of one call: a line a fact, each a Python literal, so that a kill leaves it readable."""

    def __init__(self, folder: str, name: str) -> None:
        """Create the next free ``<name>.<number>.call``; the number is this call's, counted from 1."""
        self.began = self._flushed = time.monotonic()
        self._runs: list[tuple[int, int, int]] = []  # descriptor, size of chunks, how many
        self._count = self._busy = 0
        self._waiting: list[Callable[[], None]] = []
        flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_APPEND | posix.O_CLOEXEC
        self.number = _first_free(folder, name)
        while True:
            try:
                self.fd = _above_streams(posix.open(_path(folder, name, self.number), flags, 0o644))
            except FileExistsError:  # another call at the same time
                self.number += 1
            else:
                return

    def when_idle(self, action: Callable[[], None]) -> None:
        """Do something now, or once the line that is being written is complete: a signal may end the process."""
        if self._busy:
            self._waiting.append(action)
        else:
            action()

    def add_all(self, facts: Iterable[tuple[str, object]]) -> None:
        """Append several facts at once."""
        self._write("".join(f"{fact!r}\n" for fact in facts))

    def add(self, key: str, value: object) -> None:
        """Append one fact, behind the chunks that were written before it."""
        self._busy += 1
        self._write(f"{self._take_runs()}{(key, value)!r}\n")
        self.release()

    def wrote(self, fd: int, size: int) -> None:
        """Note one chunk that was written. Lines are written for many at a time, see ``flush``."""
        self._busy += 1
        runs = self._runs
        if runs and runs[-1][0] == fd and runs[-1][1] == size:
            runs[-1] = (fd, size, runs[-1][2] + 1)
        else:
            runs.append((fd, size, 1))
        self._count += 1
        if self._count >= FLUSH_EVERY or time.monotonic() - self._flushed > FLUSH_AFTER:
            self._write(self._take_runs())
        self.release()

    def flush(self) -> None:
        """Append the chunks that were noted: before another fact, before a long wait, and now and then."""
        if self._runs:
            self._busy += 1
            self._write(self._take_runs())
            self.release()

    def _take_runs(self) -> str:
        if not self._runs:
            return ""
        runs, self._runs, self._count = tuple(self._runs), [], 0
        self._flushed = time.monotonic()
        return f"{('wrote', (runs, self.offset()))!r}\n"

    def hold(self) -> None:
        """Let signals wait: what is done now and its line in the record belong together."""
        self._busy += 1

    def release(self) -> None:
        """Let signals come again, those that waited first."""
        self._busy -= 1
        while self._waiting and not self._busy:
            self._waiting.pop(0)()

    def offset(self) -> float:
        """Return the seconds since the call began."""
        return round(time.monotonic() - self.began, 6)

    def _write(self, lines: str) -> None:
        data = lines.encode("ascii", "backslashreplace")
        while data:  # a full disk may cut a write
            data = data[posix.write(self.fd, data) :]


def _above_streams(fd: int) -> int:
    """Return the file under a number above 2: started with a closed stream, it has got the number of that."""
    lower = []
    while fd <= 2:
        lower.append(fd)
        fd = posix.dup(fd)
    for one in lower:
        posix.close(one)
    return fd


def _path(folder: str, name: str, number: int) -> str:
    return f"{folder}/{name}.{number:05d}.call"


def _first_free(folder: str, name: str) -> int:
    """Return a number that is free, or was until now: the thousandth call does not try a thousand names."""
    taken, free = 0, 1
    while _exists(_path(folder, name, free)):
        taken, free = free, free * 2
    while free - taken > 1:
        middle = (taken + free) // 2
        if _exists(_path(folder, name, middle)):
            taken = middle
        else:
            free = middle
    return free


def _exists(path: str) -> bool:
    try:
        posix.stat(path)
    except FileNotFoundError:
        return False
    return True
