"""Owns the network that programs are started in: this machine's, or one of its own with nothing but a loopback."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.errors import HostError
from mutkit.model.isolation import CLOSED, OPEN, Isolation
from mutkit.process.link import END_LIMIT, START_LIMIT
from mutkit.process.supervisor import LINUX, tell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

HOLDER = str(Path(__file__).with_name("holder.py"))
ENTER = str(Path(__file__).with_name("enter.py"))
SWITCH = "MUTKIT_NAMESPACES"
"""The environment variable that, with the value ``off``, keeps mutkit from using namespaces."""

SWEEP_LIMIT = 5.0
"""Seconds that are spent on killing what runs in a network."""
CONNECT_LIMIT = 10.0
"""Seconds that a connection to a loopback may take: it takes that long only where the listener's queue is full."""

_LIMITS = {
    "user/max_user_namespaces": ("0", "user.max_user_namespaces is 0"),
    "user/max_net_namespaces": ("0", "user.max_net_namespaces is 0"),
    "kernel/unprivileged_userns_clone": ("0", "kernel.unprivileged_userns_clone is 0"),
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "kernel.apparmor_restrict_unprivileged_userns is 1"),
}
"""Settings of the kernel (below /proc/sys) that forbid namespaces, and how they are told."""


class Network:
    """A network that programs are started in; with ``closed`` one of its own, with nothing but a loopback.

    ``isolation`` says which it became, and why where this machine allows no other than its own: programs run all the
    same. ``namespaces`` are the descriptors of what a process has to join, in their order (none for the machine's own
    network). Leaving the context gives the network up; what runs in it goes on. Safe to be used by several threads.
    """

    isolation: Isolation
    namespaces: tuple[int, ...] = ()

    def __init__(self, *, closed: bool = True) -> None:
        """Make a network, closed where that is possible; HostError if no process can be started at all."""
        self._lock = threading.Lock()
        self._holder: subprocess.Popen[bytes] | None = None
        self._talk: socket.socket | None = None
        if not closed:
            self.isolation = Isolation(OPEN, "it was asked for")
        elif os.environ.get(SWITCH) == "off":
            self.isolation = Isolation(OPEN, f"namespaces are turned off by {SWITCH}=off")
        elif not LINUX:
            self.isolation = Isolation(OPEN, "only Linux has network namespaces")
        else:
            self.isolation = self._hold()

    def _hold(self) -> Isolation:
        """Start the holder and take what it gives."""
        if not sys.executable:
            raise HostError("the path of the Python interpreter is unknown: nothing can be started")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                self._holder = subprocess.Popen(
                    [sys.executable, "-I", "-S", HOLDER, str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                    cwd="/",
                    start_new_session=True,
                )
            except OSError as error:
                ours.close()
                raise HostError(f"cannot start a process: {error}") from error
        self._talk = ours
        ours.settimeout(START_LIMIT)
        word, rest, descriptors = self._receive()
        if word == "ready" and descriptors:
            self.namespaces = descriptors
            return Isolation(CLOSED)
        self.close()
        return Isolation(OPEN, f"no network namespace can be made here: {rest}{_forbidding()}")

    def _receive(self) -> tuple[str, str, tuple[int, ...]]:
        assert self._talk is not None
        try:
            data, descriptors, _, _ = socket.recv_fds(self._talk, 1024, 4)
        except OSError as error:
            return "", f"its process does not answer ({error})", ()
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)  # Python does not see to it
        if not data:
            return "", "its process ended at once", ()
        word, _, rest = data.decode("utf-8", "backslashreplace").partition(" ")
        return word, rest, tuple(descriptors)

    def make_socket(self, family: int = socket.AF_INET, kind: int = socket.SOCK_STREAM) -> socket.socket:
        """Return a new socket that belongs to this network, to be used by this process; HostError where impossible."""
        if self._talk is None:
            return socket.socket(family, kind)
        with self._lock:
            with contextlib.suppress(OSError):  # it is gone: the answer says so
                self._talk.send(b"%d %d" % (family, kind))
            word, rest, descriptors = self._receive()
        if word != "made" or not descriptors:
            raise HostError(f"no socket can be made in a network of its own: {rest}", slug="network-namespace")
        return socket.socket(fileno=descriptors[0])

    def listen(self, port: int = 0, host: str = "127.0.0.1") -> socket.socket:
        """Return a socket that listens on the loopback of this network; port 0: any that is free.

        ``host`` may be ``::1``. OSError where the port is taken.
        """
        made = self.make_socket(_family(host))
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind((host, port))
            made.listen(128)
        except BaseException:
            made.close()
            raise
        return made

    def connect(self, port: int, host: str = "127.0.0.1") -> socket.socket:
        """Return a socket that is connected to a port of the loopback of this network; OSError where nobody listens."""
        made = self.make_socket(_family(host))
        try:
            made.settimeout(CONNECT_LIMIT)
            made.connect((host, port))
            made.settimeout(None)
        except BaseException:
            made.close()
            raise
        return made

    def command(self, argv: Sequence[str]) -> list[str]:
        """Return a command that runs ``argv`` in this network, for whoever starts programs without mutkit.

        What it starts is not contained: ``end_programs`` ends it. ``argv[0]`` without a slash is looked for along
        PATH of the environment that the command is given; where there is no such program it exits with 127.
        """
        if not self.namespaces or self._holder is None:
            return list(argv)
        user, net = (0, 0, *(os.fstat(descriptor).st_ino for descriptor in self.namespaces))[-2:]
        return [sys.executable, "-I", "-S", ENTER, str(self._holder.pid), str(user), str(net), *argv]

    def end_programs(self) -> None:
        """Kill all that runs in this network, if it is one of its own; what appears meanwhile too."""
        limit = time.monotonic() + SWEEP_LIMIT
        while (members := self._members()) and time.monotonic() < limit:
            for pid in members:
                tell(pid, signal.SIGKILL)

    def _members(self) -> list[int]:
        if not self.namespaces:
            return []
        number = os.fstat(self.namespaces[-1]).st_ino
        spared = (os.getpid(), self._holder.pid if self._holder is not None else 0)
        found = []
        for folder in Path("/proc").iterdir():
            # A dead one has no namespace any more; another user's is none of ours.
            with contextlib.suppress(OSError):
                if folder.name.isdigit() and (folder / "ns" / "net").stat().st_ino == number:
                    found.append(int(folder.name))
        return [pid for pid in found if pid not in spared]

    def close(self) -> None:
        """Give the network up: it is gone when nothing runs in it any more. A second call does nothing."""
        namespaces, self.namespaces = self.namespaces, ()
        for descriptor in namespaces:
            os.close(descriptor)
        if self._talk is not None:
            self._talk.close()
        if self._holder is not None:
            try:
                self._holder.wait(END_LIMIT)
            except subprocess.TimeoutExpired:
                self._holder.kill()
                self._holder.wait()

    def __enter__(self) -> Network:  # noqa: PYI034 -- typing.Self came with 3.11
        """Return the network itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the network up."""
        self.close()


def _family(host: str) -> int:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _forbidding() -> str:
    """Return which settings of the kernel forbid namespaces, in parentheses, or nothing."""
    found = []
    for name, (value, words) in _LIMITS.items():
        with contextlib.suppress(OSError):
            if Path("/proc/sys", name).read_text(encoding="ascii").strip() == value:
                found.append(words)
    return f" ({', '.join(found)})" if found else ""
