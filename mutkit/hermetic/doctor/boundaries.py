"""Owns the checks of what exact read boundaries rest on, on pipes and on UNIX sockets."""

from __future__ import annotations

import array
import contextlib
import errno
import fcntl
import mmap
import os
import select
import socket
import sys
import termios
from pathlib import Path

from mutkit.hermetic.doctor.finding import Finding, Result

_TIMES = 200
_F_SETPIPE_SZ, _F_GETPIPE_SZ = 1031, 1032


def pipes(_folder: Path) -> Finding:
    """Shrink a pipe to one page and try that each byte can be seen to have been read before the next is written."""
    reader, writer = os.pipe()
    try:
        fault = _fault_of(reader, writer)
    except OSError as error:
        fault = str(error)
    finally:
        for descriptor in (reader, writer):
            with contextlib.suppress(OSError):
                os.close(descriptor)
    if fault:
        return Finding("exact-pipes", Result.NO, fault, "exact boundaries to readers of pipes cannot be proved")
    detail = f"one page ({mmap.PAGESIZE:,} bytes): {_TIMES} of {_TIMES} one-byte writes were {_TIMES} reads"
    return Finding("exact-pipes", Result.YES, detail, measured={"page": mmap.PAGESIZE})


def _fault_of(reader: int, writer: int) -> str:
    """Return what a pipe does not do, or nothing; closes the reader's end."""
    if sys.platform != "linux":
        return "pipes cannot be shrunk on this system"
    fcntl.fcntl(writer, _F_SETPIPE_SZ, mmap.PAGESIZE)
    size = fcntl.fcntl(writer, _F_GETPIPE_SZ)
    if size != mmap.PAGESIZE:
        return f"a pipe shrunk to one page has {size:,} bytes"
    poll = select.poll()
    poll.register(writer, select.POLLOUT)
    for _ in range(_TIMES):
        os.write(writer, b"x")
        if _waiting(reader) != 1:
            return f"FIONREAD is {_waiting(reader)} where 1 byte waits"
        if poll.poll(0):
            return "POLLOUT says that a pipe is empty which is not"
        if os.read(reader, 65536) != b"x":
            return "a read gave something else than what was written"
        if _waiting(reader) or not poll.poll(0):
            return "an empty pipe is not seen to be empty"
    os.write(writer, b"x")
    os.close(reader)
    if not any(event & select.POLLERR for _, event in poll.poll(0)):
        return "a reader that is gone is not noticed"
    return ""


def _waiting(descriptor: int) -> int:
    return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder)


def sockets(_folder: Path) -> Finding:
    """Send bytes, each with a descriptor, through a UNIX socket and look where reads stop."""
    sent = 0
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        theirs.setblocking(False)
        try:
            while sent < _TIMES:
                ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [ours.fileno()]))]
                ours.sendmsg([b"x"], ancillary)
                sent += 1
        except OSError as error:
            if not sent or error.errno not in (errno.EAGAIN, errno.ETOOMANYREFS):
                return _no_sockets(str(error))
        ours.shutdown(socket.SHUT_WR)
        reads = list(iter(lambda: theirs.recv(65536), b""))
    if reads != [b"x"] * sent:
        return _no_sockets(f"{sent} writes were read as {[len(read) for read in reads][:8]}")
    detail = f"{sent} of {sent} one-byte writes with a descriptor were {sent} reads"
    if sent < _TIMES:
        follows = f"exact chunks to sockets wait for their reader after {sent} at a time; raise it: ulimit -n 1024"
        return Finding("exact-sockets", Result.LIMITS, detail, follows, measured={"in_flight": sent})
    return Finding("exact-sockets", Result.YES, detail, measured={"in_flight": sent})


def _no_sockets(detail: str) -> Finding:
    return Finding("exact-sockets", Result.NO, detail, "exact boundaries to Node readers cannot be proved")


def loopback(_folder: Path) -> Finding:
    """Send bytes through a TCP connection to ourselves, on 127.0.0.1, and look whether there is ::1 too."""
    try:
        _try_loopback(socket.AF_INET, "127.0.0.1")
    except OSError as error:
        detail = f"127.0.0.1: {error}"
        return Finding("loopback", Result.NO, detail, "mock services cannot be used: tests that use them fail")
    try:
        _try_loopback(socket.AF_INET6, "::1")
        other = "::1 too"
    except OSError as error:
        other = f"not on ::1 ({error.strerror})"
    return Finding(
        "loopback", Result.YES, f"data went through 127.0.0.1, {other}", measured={"ipv6": other == "::1 too"}
    )


def _try_loopback(family: socket.AddressFamily, address: str) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as server, socket.socket(family, socket.SOCK_STREAM) as ours:
        server.settimeout(2)
        ours.settimeout(2)
        server.bind((address, 0))
        server.listen()
        ours.connect(server.getsockname())
        theirs, _ = server.accept()
        with theirs:
            theirs.settimeout(2)
            ours.sendall(b"ping")
            if theirs.recv(100) != b"ping":
                raise OSError("what was read is not what was sent")
