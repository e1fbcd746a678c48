"""Owns calls over the network for tests: who listens outside of a program's own network, and a program that calls."""

from __future__ import annotations

import errno
import os
import socket

import pytest

OUTSIDE = os.strerror(errno.ENETUNREACH)
"""What a program says that calls out of a network of its own."""

_DIALS = """
import os, socket
if os.fork() == 0:
    # What holds for a child of the program holds for all below.
    try:
        socket.create_connection({address!r}, 10).close()
        print("reached", flush=True)
    except OSError as error:
        print(error.strerror, flush=True)
    os._exit(0)
os.wait()
"""


def outside() -> socket.socket:
    """Return a socket that listens on an interface of this machine other than its loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses an interface
        except OSError:
            pytest.skip("this machine has no address but its loopback's: nothing can be reached from outside of it")
        return socket.create_server((probe.getsockname()[0], 0))


def dials(listener: socket.socket) -> str:
    """Return a Python program whose child connects to ``listener`` and prints ``reached``, or why it is not."""
    return _DIALS.format(address=listener.getsockname()[:2])
