"""Owns one child process: its start, the reading of its output, its time limit and its end."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

from examples.bridge.tools import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable

READ_SIZE = 65_536
"""The most bytes that one read of the child's output asks for."""

ERRORS_KEPT = 8_192
"""How many of the last bytes of the child's standard error are kept for error messages."""

HEAD_KEPT = 4_096
"""How many of its first bytes are kept for the banner, which a long transcript follows."""

LINGER = 1.0
"""Seconds for which output is still awaited after the child's end, while a grandchild holds its pipes."""

_live: set[int] = set()


class Limits(NamedTuple):
    """In seconds: how long a run may take (``timeout``), and a child to heed SIGTERM (``grace``)."""

    timeout: float = 3600.0
    grace: float = 2.0


class Ending(NamedTuple):
    """How a child ended: its exit ``code`` (negative: by that signal), and its standard error.

    ``errors`` is the last of standard error; ``head`` is its first lines, whole ones only.
    """

    code: int
    head: str
    errors: str
    limit: float
    timed_out: bool = False
    cancelled: bool = False


def run_child(
    argv: list[str], *, cwd: str | None, limits: Limits, stop: int, on_output: Callable[[bytes], None]
) -> Ending:
    """Run ``argv`` to its end, handing each piece of its standard output to ``on_output`` as it was read.

    ``stop`` is an eventfd: as soon as it can be read, the child is ended. The child gets no standard input
    (``codex`` waits for the end of an open one), and a process group of its own that is killed in the end.
    Raises ToolError if the child cannot be started.
    """
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # not found, no folder, too long, a NUL in it
        raise ToolError(f"codex could not be started: {error}") from error
    _live.add(process.pid)
    try:
        return _Watch(process, limits, stop, on_output).until_the_end()
    finally:
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()
        _live.discard(process.pid)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def kill_all() -> None:
    """Kill every child that is running, at once."""
    for group in list(_live):
        _signal_group(group, signal.SIGKILL)


class _Watch:
    """Reads both pipes of a child and waits for its end, its time limit and the stop signal, all at once."""

    def __init__(
        self, process: subprocess.Popen[bytes], limits: Limits, stop: int, on_output: Callable[[bytes], None]
    ) -> None:
        self._process = process
        self._limits = limits
        self._stop = stop
        self._on_output = on_output
        self._head = b""
        self._errors = b""
        self._deadline = time.monotonic() + limits.timeout
        self._exited = self._timed_out = self._cancelled = False
        self._asked_to_end = False

    def until_the_end(self) -> Ending:
        poller = select.poll()
        stdout, stderr = (pipe.fileno() for pipe in (self._process.stdout, self._process.stderr) if pipe)
        end = os.pidfd_open(self._process.pid)
        readers = {stdout: self._on_output, stderr: self._keep_errors}
        for fd in (stdout, stderr, end, self._stop):
            poller.register(fd, select.POLLIN)
        try:
            while readers or not self._exited:
                left = self._deadline - time.monotonic()
                if left <= 0 and not self._ask_to_end():
                    break  # what is left of the group is killed below
                for fd, _ in poller.poll(max(left, 0.0) * 1000):
                    if fd in readers:
                        chunk = os.read(fd, READ_SIZE)
                        if chunk:
                            readers[fd](chunk)
                            continue
                        del readers[fd]
                    elif fd == end:
                        self._exited = True
                        self._deadline = min(self._deadline, time.monotonic() + LINGER)
                    else:
                        self._cancelled = True
                        self._deadline = time.monotonic()
                    poller.unregister(fd)
        finally:
            os.close(end)
        _signal_group(self._process.pid, signal.SIGKILL)
        return self._ending()

    def _ask_to_end(self) -> bool:
        """Ask a child that has no time left to end; return whether there is still something to wait for."""
        if self._exited or self._asked_to_end:
            return False
        self._asked_to_end = True
        self._timed_out = not self._cancelled
        _signal_group(self._process.pid, signal.SIGTERM)
        self._deadline = time.monotonic() + self._limits.grace
        return True

    def _keep_errors(self, chunk: bytes) -> None:
        if len(self._head) < HEAD_KEPT:
            self._head = (self._head + chunk)[:HEAD_KEPT]
        self._errors = (self._errors + chunk)[-ERRORS_KEPT:]

    def _ending(self) -> Ending:
        head, errors = (kept.decode("utf-8", "replace") for kept in (self._head, self._errors))
        if len(self._head) == HEAD_KEPT:
            head = head[: head.rfind("\n") + 1]  # half a line may hold half an id
        code = self._process.wait()
        return Ending(code, head, errors, self._limits.timeout, self._timed_out, self._cancelled)


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)
