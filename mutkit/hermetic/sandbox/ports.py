"""Owns ports that are given to one sandbox alone, in a network of its own or in the one that all share."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.errors import HostError

if TYPE_CHECKING:
    from mutkit.process import Network

FIRST, BEYOND, SIZE = 20000, 32768, 50
"""Where the blocks of ports begin and end where all share one network, and how many ports a block has."""


class Ports:
    """The ports of one sandbox, by name."""

    def __init__(self, worker: int) -> None:
        """Take the worker's number: workers begin with different blocks."""
        self._worker = worker
        self._given: dict[str, int] = {}

    def port(self, name: str, network: Network) -> int:
        """Return the port of a name, free when it is first asked for; HostError where there is none."""
        if name not in self._given:
            self._given[name] = self._free(network) if network.isolation.closed else _shared.take(self._worker)
        return self._given[name]

    def _free(self, network: Network) -> int:
        """Return a port that is free in a network of its own: the kernel knows one."""
        while True:
            with network.listen() as listener:
                number = int(listener.getsockname()[1])
            if number not in self._given.values():
                return number

    def close(self) -> None:
        """Give back what was given of the network that all share."""
        _shared.give_back(self._given.values())
        self._given.clear()


class _SharedPorts:
    """The block of ports that this process has of the network that all share.

    A block is claimed by binding a UNIX socket of its name: that holds in the same network as the ports do, for all
    users and temporary folders, and ends with the process, however it ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._claim: socket.socket | None = None
        self._block = range(0)
        self._owner = 0
        self._next = 0
        self._taken: set[int] = set()

    def take(self, worker: int) -> int:
        """Return a port that nobody has taken and that can be bound."""
        with self._lock:
            if self._owner != os.getpid():  # a fork must not use its parent's
                self._claim_block(worker)
            for _ in self._block:
                number = self._block[self._next % SIZE]
                self._next += 1  # one that was given back is not given again at once
                if number not in self._taken and _can_be_bound(number):
                    self._taken.add(number)
                    return number
        span = f"{self._block[0]} to {self._block[-1]}"
        raise HostError(f"none of the ports {span} of this worker is free", slug="no-port")

    def give_back(self, numbers: object) -> None:
        """Let ports be given again."""
        with self._lock:
            self._taken.difference_update(numbers)  # type: ignore[arg-type]

    def _claim_block(self, worker: int) -> None:
        count = (_beyond() - FIRST) // SIZE
        for step in range(count):
            number = (worker + step) % count
            claim = _claim(number)
            if claim is not None or sys.platform != "linux":
                self._claim, self._owner, self._next, self._taken = claim, os.getpid(), 0, set()
                self._block = range(FIRST + number * SIZE, FIRST + (number + 1) * SIZE)
                return
        raise HostError(f"all {count} blocks of ports are in use", slug="no-port")


def _claim(number: int) -> socket.socket | None:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(f"\0mutkit-ports-{number}")
    except OSError:
        made.close()
        return None
    return made


def _beyond() -> int:
    """Return the number before which the kernel gives no ports by itself; where it gives all, none is certain."""
    with contextlib.suppress(OSError, ValueError):
        lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
        if lowest >= FIRST + SIZE:
            return min(lowest, BEYOND)
    return BEYOND


def _can_be_bound(number: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
        try:
            tried.bind(("", number))
        except OSError:
            return False
    return True


_shared = _SharedPorts()
