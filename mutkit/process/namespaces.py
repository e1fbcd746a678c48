"""Owns the calls of the kernel that make and join namespaces, for processes that start fast.

Uses nothing but the standard library, and of it only C modules where it can: imported by the supervisor and by the
holder of a network, whose start is most of what they cost.
"""

from __future__ import annotations

import os

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1


def join(namespace: int) -> None:
    """Move this process into the namespace of a descriptor; OSError where the kernel refuses.

    A user namespace takes a process of one thread only.
    """
    # 0: whatever kind of namespace it is. Python has the call from 3.12 on.
    setns = getattr(os, "setns", None)
    if setns is not None:
        setns(namespace, 0)
    else:
        call("setns", namespace, 0)


def call(name: str, *words: int) -> None:
    """Call a function of the C library that returns 0 where all is well; OSError with its name where not."""
    try:
        import _ctypes

        function = _ctypes.dlsym(_ctypes.dlopen(None, 0), name)  # type: ignore[arg-type]
        if _ctypes.call_function(function, words) == 0:
            return
    except (ImportError, AttributeError, OSError):
        pass
    # `_ctypes` alone does not tell why. `ctypes` does, and takes as long to import as the rest of a start.
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    try:
        function = getattr(library, name)
    except AttributeError:
        raise OSError(38, f"{name}: this system does not have it") from None
    if function(*words) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def bring_up_loopback(any_socket: int) -> None:
    """Bring up ``lo`` in the network of a socket's descriptor; OSError where the kernel refuses."""
    import fcntl
    import sys

    # struct ifreq: a name of 16 bytes, then (of 24 bytes) the flags, a short.
    asked = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, b"lo".ljust(40, b"\0"))
    flags = int.from_bytes(asked[16:18], sys.byteorder) | _IFF_UP
    fcntl.ioctl(any_socket, _SIOCSIFFLAGS, asked[:16] + flags.to_bytes(2, sys.byteorder) + bytes(22))
