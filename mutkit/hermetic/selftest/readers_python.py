"""Owns the readers that Python programs have without an event loop of asyncio."""

from __future__ import annotations

import os
import selectors
import socket
from typing import TYPE_CHECKING

from mutkit.hermetic.selftest.reading import Collected, Reader, Reading, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from mutkit.hermetic.selftest.reading import Task

_ROOM = 65536


def _os_read(task: Task) -> Reading:
    got = Collected(task.pause)
    with started(task, bufsize=0) as (process, watch):
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        _drain(got, lambda: os.read(descriptor, _ROOM))
    return got.reading(watch)


def _read1(task: Task) -> Reading:
    got = Collected(task.pause)
    with started(task) as (process, watch):
        stream = process.stdout
        assert stream is not None
        _drain(got, lambda: stream.read1(_ROOM))  # type: ignore[attr-defined]  # a BufferedReader
    return got.reading(watch)


def _selectors(task: Task) -> Reading:
    got = Collected(task.pause)
    with started(task, bufsize=0) as (process, watch), selectors.DefaultSelector() as selector:
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        os.set_blocking(descriptor, False)
        selector.register(descriptor, selectors.EVENT_READ)

        def ready() -> bytes:
            while True:
                selector.select()
                try:
                    return os.read(descriptor, _ROOM)
                except BlockingIOError:
                    continue

        _drain(got, ready)
    return got.reading(watch)


def _recv(task: Task) -> Reading:
    got = Collected(task.pause)
    ours, theirs = socket.socketpair()
    with ours, theirs, started(task, stdout=theirs.fileno()) as (_, watch):
        theirs.close()  # the mock has the last one, so that its end is the end of input
        _drain(got, lambda: ours.recv(_ROOM))
    return got.reading(watch)


def _buffered(task: Task) -> Reading:
    got = Collected(task.pause)
    with started(task) as (process, watch):
        stream = process.stdout
        assert stream is not None
        _drain(got, lambda: stream.read(100))
    return got.reading(watch)


def _readline(task: Task) -> Reading:
    got = Collected(task.pause)
    with started(task) as (process, watch):
        stream = process.stdout
        assert stream is not None
        _drain(got, stream.readline)
    return got.reading(watch)


def _communicate(task: Task) -> Reading:
    got = Collected(task.pause)
    with started(task) as (process, watch):
        got.add(process.communicate()[0])
    return got.reading(watch)


def _drain(got: Collected, read: Callable[[], bytes]) -> None:
    """Read to the end, each read kept."""
    while True:
        got.wait()
        piece = read()
        if not piece:
            return
        got.add(piece)


READERS = (
    Reader("os.read", "pipe", _os_read),
    Reader("read1", "pipe", _read1),
    Reader("selectors", "pipe", _selectors),
    Reader("recv", "unix socket", _recv),
    Reader("read(100)", "pipe", _buffered, sees_reads=False, glues="BufferedReader fills its buffer first"),
    Reader("readline", "pipe", _readline, sees_reads=False, glues="BufferedReader reads up to the end of the line"),
    Reader("communicate", "pipe", _communicate, sees_reads=False, glues="subprocess joins all that it reads"),
)
