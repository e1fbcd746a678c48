"""Owns what a reader gives back, and the limits in time within which it does."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Task:
    """What a reader is to do: start ``argv`` with the environment ``env`` and read its standard output to the end.

    ``pause`` is slept, in seconds, before each read; ``seconds`` is the time after which everything is killed;
    ``folder`` is for what the reader has to write down, and for what the mock says on standard error.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    folder: Path
    pause: float = 0.0
    seconds: float = 120.0

    @property
    def errors(self) -> Path:
        """Return the file that standard error goes to."""
        return self.folder / "stderr"


@dataclass(frozen=True)
class Reading:
    """What a reader got: all bytes in order, and the size of each read; ``expired``: it was killed at its limit."""

    data: bytes
    sizes: tuple[int, ...]
    expired: bool = False


@dataclass(frozen=True)
class Reader:
    """One way to read a child's output.

    ``descriptor`` is what the mock's standard output is then, as the mock itself names it ("pipe", "unix socket", ...);
    ``sees_reads`` says whether the sizes are those of single read(2) calls, otherwise ``glues`` says what puts them
    together; ``needs`` is a program that must be on the PATH. ``refused``: nothing can prove reads there, and the mock
    must say so instead of writing.
    """

    name: str
    descriptor: str
    read: Callable[[Task], Reading]
    sees_reads: bool = True
    glues: str = ""
    needs: str = ""
    refused: bool = False


@dataclass
class Collected:
    """Reads as they come in."""

    pause: float = 0.0
    pieces: list[bytes] = field(default_factory=list)

    def wait(self) -> None:
        """Be slow, where that is wanted."""
        if self.pause:
            time.sleep(self.pause)

    def add(self, piece: bytes) -> None:
        """Keep one read."""
        self.pieces.append(piece)

    def reading(self, watch: Watch) -> Reading:
        """Return all that came in."""
        return Reading(b"".join(self.pieces), tuple(map(len, self.pieces)), watch.expired)


class Watch:
    """Ends a session of processes after some seconds."""

    def __init__(self, pid: int, seconds: float) -> None:
        """Take the leader of the session."""
        self._pid = pid
        self.expired = False
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def _expire(self) -> None:
        self.expired = True
        self.end()

    def end(self) -> None:
        """Kill everything in the session."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)

    def stop(self) -> None:
        """Watch no longer."""
        self._timer.cancel()


@contextlib.contextmanager
def watched(pid: int, seconds: float) -> Iterator[Watch]:
    """Kill the session led by ``pid`` after ``seconds``, or when what is done meanwhile fails."""
    watch = Watch(pid, seconds)
    try:
        yield watch
    except BaseException:
        watch.end()
        raise
    finally:
        watch.stop()


@contextlib.contextmanager
def started(
    task: Task, stdout: int = subprocess.PIPE, bufsize: int = -1, argv: tuple[str, ...] = ()
) -> Iterator[tuple[subprocess.Popen[bytes], Watch]]:
    """Start the task's program (or ``argv``) in a session of its own; wait for its end."""
    with (
        task.errors.open("ab") as errors,
        subprocess.Popen(
            argv or task.argv,
            env=dict(task.env),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=errors,
            bufsize=bufsize,
            start_new_session=True,
        ) as process,
        watched(process.pid, task.seconds) as watch,
    ):
        yield process, watch
        process.wait()
