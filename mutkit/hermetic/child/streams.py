"""Owns writing to a mock's streams: what they are, in which pieces, and when the reader has taken them.

Part of the child: it runs under ``python -I -S`` and imports as little as it can.
"""

from __future__ import annotations

import os
import stat
import sys
import time

TYPE_CHECKING = False  # importing it from `typing` would import re and enum at each start
if TYPE_CHECKING:
    from collections.abc import Iterator


def kind_of(fd: int) -> str:
    """Return what a descriptor is: pipe, socket, file, tty, null, device or closed."""
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        return "closed"
    if stat.S_ISFIFO(mode):
        return "pipe"
    if stat.S_ISSOCK(mode):
        return "socket"
    if stat.S_ISREG(mode):
        return "file"
    if os.isatty(fd):
        return "tty"
    return "null" if os.fstat(fd).st_rdev == os.makedev(1, 3) else "device"


def pieces(data: bytes, chunk: int, cut_at: list[int]) -> Iterator[bytes]:
    """Cut ``data`` into chunks of ``chunk`` bytes, or at the offsets; whole where neither is given."""
    if chunk:
        cut_at = list(range(chunk, len(data), chunk))
    start = 0
    for stop in [*cut_at, len(data)]:
        if data[start:stop]:
            yield data[start:stop]
        start = stop


def write_all(fd: int, data: bytes) -> None:
    """Write everything, in one call where the descriptor takes it."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            import select

            select.select([], [fd], [])


def wait_until_empty(fd: int) -> None:
    """Return once the reader has taken everything out of the pipe."""
    import fcntl
    import select
    import termios

    poll = select.poll()
    poll.register(fd, 0)
    spins = 0
    while int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder):
        spins += 1
        if spins < 20:
            os.sched_yield()
            continue
        if poll.poll(0):  # POLLERR: no reader is left, and the pipe will stay full
            raise BrokenPipeError
        time.sleep(0.0001)
