"""Owns the start of a supervisor and the talk with it."""

from __future__ import annotations

import contextlib
import marshal
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.errors import HostError
from mutkit.process.supervisor import LINUX, descendants, tell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SUPERVISOR = str(Path(__file__).with_name("supervisor.py"))

START_LIMIT = 60.0
"""Seconds after which a supervisor that has not started the program is held to be unable to."""
SWEEP_LIMIT = 2.0
"""Seconds that are spent on killing what a vanished supervisor has left."""
END_LIMIT = 10.0
"""Seconds that a supervisor has to end everything; more than its own limits together."""


def encode_job(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> bytes:
    """Return the message that starts a program; ValueError says what no system could start."""
    if not argv or not argv[0]:
        raise ValueError("the command is empty")
    for name in env:
        if not name or "=" in name:
            raise ValueError(f"{name!r} cannot be the name of an environment variable")
    for text in (*argv, str(cwd), *env, *env.values()):
        if "\0" in text:
            raise ValueError(f"{text!r} holds a NUL character")
    try:
        job = (
            [os.fsencode(word) for word in argv],
            os.fsencode(cwd),
            {os.fsencode(name): os.fsencode(value) for name, value in env.items()},
        )
    except UnicodeEncodeError as error:
        raise ValueError(f"{error.object!r} cannot be encoded for the operating system") from error
    body = marshal.dumps(job)
    return len(body).to_bytes(8, "big") + body


class Link:
    """A supervisor that has been started, and our end of the socket to it."""

    def __init__(self, job: bytes, streams: tuple[int, int, int], namespaces: tuple[int, ...] = ()) -> None:
        """Start a supervisor on a job, with the program's ends of its streams, and the descriptors of the namespaces
        that it is to join; HostError if impossible.
        """
        if not sys.executable:
            raise HostError("the path of the Python interpreter is unknown: nothing can be started")
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", SUPERVISOR, str(theirs.fileno()), *map(str, namespaces)],
                    stdin=streams[0],
                    stdout=streams[1],
                    stderr=streams[2],
                    pass_fds=(theirs.fileno(), *namespaces),
                    start_new_session=True,
                )
            except OSError as error:
                ours.close()
                raise HostError(f"cannot start a process: {error}") from error
        self._socket = ours
        self.session = self._process.pid
        self._received = b""
        self.is_open = True
        self._socket.settimeout(START_LIMIT)
        with contextlib.suppress(OSError):  # it died at once: reading says so
            self._socket.sendall(job)
        self._socket.setblocking(False)

    def fileno(self) -> int:
        """Return the descriptor to be waited for."""
        return self._socket.fileno()

    def messages(self) -> list[tuple[str, str]]:
        """Return what has been said by now, as (first word, rest); ``is_open`` is false after the last."""
        try:
            data = self._socket.recv(4096)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        self.is_open = bool(data)
        *lines, self._received = (self._received + data).split(b"\n")
        words = (line.decode("utf-8", "backslashreplace").partition(" ") for line in lines)
        return [(first, rest) for first, _, rest in words]

    def stop(self) -> None:
        """Ask for the end of the program and all its descendants."""
        with contextlib.suppress(OSError):
            self._socket.send(b"s")

    def close(self) -> str:
        """Close the socket, wait for the supervisor, and return how it ended (for people)."""
        self._socket.close()
        try:
            code = self._process.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        return f"its supervisor ended with {signal.Signals(-code).name if code < 0 else f'exit {code}'}"


def sweep(session: int, pipes: frozenset[str]) -> None:
    """Kill what can still be found of a program whose supervisor has vanished, as far as it can be found.

    ``session``: the supervisor's, which the program shares; ``pipes``: the program's streams, as ``pipe_name`` gives
    them. Found are the members of the session and whoever holds the streams, their descendants, and the sessions that
    these have made. ValueError for a session that cannot be a supervisor's: our own, or those of the system (0 and 1).
    """
    if session <= 1 or session == os.getsid(0):
        raise ValueError(f"session {session} is no supervisor's")
    limit = time.monotonic() + SWEEP_LIMIT
    while time.monotonic() < limit:
        living = _kin(session, pipes)
        if not living:
            return
        for pid in living:
            tell(pid, signal.SIGKILL)


def _kin(session: int, pipes: frozenset[str]) -> set[int]:
    sessions = {pid: number for pid in _processes() if (number := _session(pid)) > 1}
    found = {pid for pid, number in sessions.items() if number == session} | set(_holders(pipes))
    found |= {below for pid in found for below in descendants(pid)}
    # A session bears the number of the process that made it: only those made by one of these are theirs.
    found |= {pid for pid, number in sessions.items() if number in found}
    spared = {os.getpid(), os.getppid(), 1}
    return {pid for pid in found if pid in sessions} - spared


def pipe_name(descriptor: int) -> str:
    """Return the name that /proc gives a pipe, the same for both of its ends."""
    return f"pipe:[{os.fstat(descriptor).st_ino}]"


def _processes() -> list[int]:
    if not LINUX:
        return []
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def _holders(pipes: frozenset[str]) -> Iterator[int]:
    for pid in _processes():
        if pid != os.getpid():
            # It is gone, or another user's.
            with contextlib.suppress(OSError):
                if any(str(item.readlink()) in pipes for item in Path(f"/proc/{pid}/fd").iterdir()):
                    yield pid


def _session(pid: int) -> int:
    """Return the session of a living process, else 0."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b") ")[2][:1]
        return 0 if state in b"ZX" else os.getsid(pid)
    except OSError:
        return 0
