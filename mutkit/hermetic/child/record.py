"""Owns the record of one call while it is written: a file a call, a line a fact.

Part of the child: it runs under ``python -I -S`` and imports as little as it can.
"""

from __future__ import annotations

import posix
import time

FLUSH_EVERY = 512  # chunks between two lines of the record,
FLUSH_AFTER = 0.02  # or seconds


class Record:
    """The file of one call: a line a fact, each a Python literal, so that a kill leaves it readable."""

    def __init__(self, folder: str, name: str) -> None:
        """Create the next free ``<name>.<number>.call``; the number is this call's, counted from 1."""
        self.began = self._flushed = time.monotonic()
        self._runs: list[tuple[int, int, int]] = []  # descriptor, size of chunks, how many
        self._count = 0
        flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_APPEND | posix.O_CLOEXEC
        self.number = _first_free(folder, name)
        while True:
            try:
                self.fd = posix.open(_path(folder, name, self.number), flags, 0o644)
            except FileExistsError:  # another call at the same time
                self.number += 1
            else:
                return

    def add(self, key: str, value: object) -> None:
        """Append one fact, behind the chunks that were written before it."""
        self.flush()
        self._line(key, value)

    def wrote(self, fd: int, size: int) -> None:
        """Note one chunk that was written. Lines are written for many at a time, see ``flush``."""
        runs = self._runs
        if runs and runs[-1][0] == fd and runs[-1][1] == size:
            runs[-1] = (fd, size, runs[-1][2] + 1)
        else:
            runs.append((fd, size, 1))
        self._count += 1
        if self._count >= FLUSH_EVERY or time.monotonic() - self._flushed > FLUSH_AFTER:
            self.flush()

    def flush(self) -> None:
        """Append the chunks that were noted: before another fact, before a long wait, and now and then."""
        if self._runs:
            runs, self._runs, self._count = self._runs, [], 0
            self._flushed = time.monotonic()
            self._line("wrote", (tuple(runs), self.offset()))

    def offset(self) -> float:
        """Return the seconds since the call began."""
        return round(time.monotonic() - self.began, 6)

    def _line(self, key: str, value: object) -> None:
        line = f"{(key, value)!r}\n".encode("ascii", "backslashreplace")
        while line:  # a full disk or a signal may cut a write
            line = line[posix.write(self.fd, line) :]


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
