"""Owns a network of its own that has nothing but a loopback, as a process that is inside of it.

Uses nothing but the standard library. Started as ``python -I -S holder.py <descriptor>``; the descriptor is one end of
a socket that keeps messages apart. What goes out first::

    ready                       with the descriptors of the namespaces to be joined, in their order
    refused <the words>         no such network can be made here

What comes in then: ``<family> <kind>``, two numbers; what goes out: ``made`` with the descriptor of a new socket that
belongs to this network wherever it is used, or ``refused <the words>``.

The end of input means that the owner has closed the network or has vanished: the holder ends. It ends as well when the
owner dies while a fork of it still has the socket.
"""

from __future__ import annotations

# As in the supervisor: `socket`, with the enums and selectors that it brings along, takes longer than all of this.
import _socket
import os
import select
import sys

# Nothing of mutkit can be found by the interpreter that runs this: what stands beside it is asked for by place.
sys.path.insert(0, os.path.dirname(__file__))
from namespaces import (  # type: ignore[import-not-found]
    CLONE_NEWNET,
    CLONE_NEWUSER,
    bring_up_loopback,
    call,
)


def main(link: int) -> None:
    """Make the network, hand it out, and serve sockets until the owner is gone."""
    owner = _watch_parent()
    talk = _socket.socket(fileno=link)
    try:
        namespaces = enter()
        _loopback_up()
    except OSError as error:
        _send(talk, f"refused {error.strerror}", ())
        return
    _send(talk, "ready", namespaces)
    for descriptor in namespaces:
        os.close(descriptor)
    poll = select.poll()
    poll.register(talk.fileno(), select.POLLIN)
    if owner is not None:
        poll.register(owner, select.POLLIN)
    while all(descriptor != owner for descriptor, _ in poll.poll()):
        request = talk.recv(64)
        if not request:
            return
        _serve(talk, request)


def enter() -> tuple[int, ...]:
    """Go into a new network namespace; return the descriptors of what has to be joined to get there.

    Without the right to make one, it is made in a user namespace in which we are who we were.
    """
    try:
        call("unshare", CLONE_NEWNET)
    except PermissionError:
        user, group = os.geteuid(), os.getegid()
        call("unshare", CLONE_NEWUSER | CLONE_NEWNET)
        _write("setgroups", "deny")  # else a group could not be mapped by us
        _write("uid_map", f"{user} {user} 1")
        _write("gid_map", f"{group} {group} 1")
        return os.open("/proc/self/ns/user", os.O_RDONLY), os.open("/proc/self/ns/net", os.O_RDONLY)
    return (os.open("/proc/self/ns/net", os.O_RDONLY),)


def _write(name: str, text: str) -> None:
    descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    except OSError as error:
        raise OSError(error.errno, f"{name}: {error.strerror}") from error
    finally:
        os.close(descriptor)


def _loopback_up() -> None:
    made = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    try:
        bring_up_loopback(made.fileno())
    finally:
        made.close()


def _watch_parent() -> int | None:
    """Return a descriptor that is readable when our parent has ended; None where the kernel has none."""
    parent = os.getppid()
    try:
        descriptor = os.pidfd_open(parent)
    except (AttributeError, OSError):
        return None
    if os.getppid() != parent:
        raise SystemExit(0)  # it ended before we looked
    return descriptor


def _serve(talk: _socket.socket, request: bytes) -> None:
    family, kind = request.split()
    try:
        made = _socket.socket(int(family), int(kind))
    except OSError as error:
        _send(talk, f"refused {error.strerror}", ())
        return
    _send(talk, "made", (made.fileno(),))
    made.close()


def _send(talk: _socket.socket, words: str, descriptors: tuple[int, ...]) -> None:
    rights = b"".join(descriptor.to_bytes(4, sys.byteorder) for descriptor in descriptors)
    ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)] if descriptors else []
    try:  # noqa: SIM105 -- contextlib is slow to import
        talk.sendmsg([words.encode("utf-8", "surrogateescape")], ancillary)
    except BrokenPipeError:
        pass  # nobody is there any more: the next poll sees it


if __name__ == "__main__":
    main(int(sys.argv[1]))
