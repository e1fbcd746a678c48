"""Owns the ends at which nothing can prove where a read ends, so that a mock must refuse exact boundaries there."""

from __future__ import annotations

import os
import pty
import socket
from typing import TYPE_CHECKING

from mutkit.hermetic.selftest.reading import Collected, Reader, Reading, started

if TYPE_CHECKING:
    from mutkit.hermetic.selftest.reading import Task


def _file(task: Task) -> Reading:
    target = task.folder / "output"
    with target.open("wb") as file, started(task, stdout=file.fileno()) as (_, watch):
        pass
    got = Collected()
    got.add(target.read_bytes())
    return got.reading(watch)


def _terminal(task: Task) -> Reading:
    master, slave = pty.openpty()
    try:
        with started(task, stdout=slave) as (_, watch):
            pass
    finally:
        os.close(slave)
        os.close(master)
    return Collected().reading(watch)


def _tcp(task: Task) -> Reading:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        theirs, _ = server.accept()
        with theirs, started(task, stdout=theirs.fileno()) as (_, watch):
            pass
    return Collected().reading(watch)


READERS = (
    Reader("a file", "file", _file, refused=True),
    Reader("a terminal", "tty", _terminal, refused=True),
    Reader("a TCP connection", "tcp socket", _tcp, refused=True),
)
