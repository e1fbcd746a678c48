"""Owns how an answer goes over a connection: its bytes, in which pieces and at which pace, and how it ends."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import select
import socket
import struct
import termios
import time
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mutkit.model.service import Fault

NO_BODY = frozenset({204, 304, *range(100, 200)})
"""Status codes whose answers have no body."""

_ACKED_LIMIT = 10.0
"""Seconds that `pace = "acked"` waits for one piece to be acknowledged."""

_SPINS = 100
"""How often that is asked before the thread gives way."""


@dataclass(frozen=True)
class Reply:
    """An answer before anything goes wrong: ``pieces`` of the body, each a send of its own where ``stream``."""

    status: int
    headers: tuple[tuple[str, str], ...]
    pieces: tuple[bytes, ...]
    stream: bool = False

    @property
    def body(self) -> bytes:
        """Return the whole body."""
        return b"".join(self.pieces)


@dataclass(frozen=True)
class Delivery:
    """What is sent: each of ``pieces`` in a send of its own, ``pause`` seconds apart or, where ``acked``, when the
    kernel has the one before acknowledged; then ``end``. ``shown`` says it in words, ``status`` the code (None: none).
    """

    pieces: tuple[bytes, ...]
    shown: str
    status: int | None
    pause: float = 0.0
    acked: bool = False
    end: Literal["close", "reset", "hang"] = "close"


def plain(reply: Reply, *, head_only: bool = False) -> Delivery:
    """Return the delivery of an answer with which nothing is wrong; ``head_only`` for a HEAD request."""
    bodiless = head_only or reply.status in NO_BODY
    if reply.stream and not bodiless:
        chunks = tuple(chunk(piece) for piece in reply.pieces if piece)
        return Delivery((head(reply, None), *chunks, b"0\r\n\r\n"), str(reply.status), reply.status)
    length = None if reply.status in NO_BODY else len(reply.body)
    start = head(reply, length, chunked=False)
    return Delivery((start if bodiless else start + reply.body,), str(reply.status), reply.status)


def faulty(reply: Reply, fault: Fault, *, head_only: bool = False) -> Delivery:
    """Return the delivery of an answer that goes wrong as ``fault`` says (``status`` is not known here)."""
    whole = plain(reply, head_only=head_only)
    match fault.kind:
        case "close":
            return Delivery((), "closed without a byte", None)
        case "malformed":
            rest = b"".join(whole.pieces).partition(b"\r\n")[2]
            line = fault.status_line.encode("utf-8", "surrogateescape")
            return Delivery((line + b"\r\n" + rest,), f"malformed status line {fault.status_line!r}", None)
        case "slow":
            data = b"".join(whole.pieces)
            pieces = tuple(data[at : at + fault.chunk] for at in range(0, len(data), fault.chunk))
            how = f"{reply.status} in {len(pieces):,} sends"
            return replace(whole, pieces=pieces, shown=how, pause=fault.pause_ms / 1000, acked=fault.pace == "acked")
        case "cut":
            at = len(reply.body) // 2 if fault.at is None else fault.at
            sent = _until(reply, at, chunked=fault.chunked or reply.stream)
            how = f"{reply.status} cut after {at:,} of {len(reply.body):,} bytes"
            return Delivery(sent, how, reply.status)
    word = "reset" if fault.kind == "reset" else "hang"
    end: Literal["reset", "hang"] = "reset" if fault.kind == "reset" else "hang"
    if fault.at is None:
        return Delivery((), word, None, end=end)
    sent = _until(reply, fault.at, chunked=fault.chunked or reply.stream)
    how = f"{reply.status} and {word} after {fault.at:,} of {len(reply.body):,} bytes"
    return Delivery(sent, how, reply.status, end=end)


def _until(reply: Reply, at: int, *, chunked: bool) -> tuple[bytes, ...]:
    """Return the head and the first ``at`` bytes of the body, without the end of it."""
    part = reply.body[:at]
    if chunked:
        return (head(reply, None), chunk(part)) if part else (head(reply, None),)
    return (head(reply, len(reply.body)) + part,)


def head(reply: Reply, length: int | None, *, chunked: bool = True) -> bytes:
    """Return status line and headers: of a body of ``length`` bytes, or (None) of a chunked one."""
    try:
        phrase = HTTPStatus(reply.status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {reply.status} {phrase}", *(f"{name}: {_one_line(value)}" for name, value in reply.headers)]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    elif chunked:
        lines.append("Transfer-Encoding: chunked")
    lines += ["Connection: close", "", ""]
    return "\r\n".join(lines).encode("utf-8", "surrogateescape")


def _one_line(value: str) -> str:
    """Return a header's value without line ends: a request may have put some there, by way of a template."""
    return value.replace("\r", " ").replace("\n", " ")


def chunk(piece: bytes) -> bytes:
    """Return a piece as one chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(piece), piece)


class Stopping(Protocol):
    """Tells that the service ends: a descriptor that becomes readable, and a wait with a limit."""

    def fileno(self) -> int:
        """Return a descriptor that is readable once the service ends."""

    def wait(self, seconds: float, /) -> bool:
        """Wait so long at most; return whether the service ends."""


def deliver(connection: socket.socket, delivery: Delivery, stopping: Stopping) -> Iterator[int]:
    """Send a delivery; give the size of each piece before it is sent. Where it hangs, it waits for the client or the
    service to end; closing and resetting are the caller's.

    OSError where the client has gone away; StopIteration as usual at the end.
    """
    for number, piece in enumerate(delivery.pieces):
        if number and delivery.acked:
            _wait_until_acked(connection, stopping)
        if number and delivery.pause and stopping.wait(delivery.pause):
            return
        yield len(piece)
        connection.sendall(piece)


def wait_for_the_end(connection: socket.socket, stopping: Stopping) -> bool:
    """Wait until the client goes away (False) or the service ends (True); what the client sends is thrown away."""
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    poll.register(stopping.fileno(), select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if stopping.fileno() in ready:
            return True
        try:
            if not connection.recv(65536):
                return False
        except OSError:
            return False


def drop_unread(connection: socket.socket) -> None:
    """Throw away what the client has sent beyond its request: unread, it would make the kernel reset the connection
    when it is closed, and the client would lose the answer.
    """
    with contextlib.suppress(OSError):
        while connection.recv(65536, socket.MSG_DONTWAIT):
            pass


def reset(connection: socket.socket) -> None:
    """Close a connection in such a way that the kernel sends RST, not FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    # Its own close() would wait for readers that share it, and the server would send FIN before that.
    descriptor = connection.detach()
    socket.close(descriptor)


def _wait_until_acked(connection: socket.socket, stopping: Stopping) -> None:
    """Wait until the peer's kernel has acknowledged all that was sent; not that the peer has read it."""
    until = time.monotonic() + _ACKED_LIMIT
    for tries in itertools.count():
        pending = struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, b"\0\0\0\0"))[0]
        # On loopback it is mostly there at once: asking again is cheaper than any wait, but not for ever.
        if not pending or (tries > _SPINS and (time.monotonic() > until or stopping.wait(0.0001))):
            return
