"""Owns what a child process tries on behalf of the doctor, because it changes the process for good.

Started as ``python -I -S inside.py <word>`` in an empty folder; prints one line of JSON, ``[can, words]``.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import sys
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MNT_DETACH = 2
SECONDS = 2.0
OUTSIDE = ("192.0.2.1", 9)
"""An address that belongs to nobody (RFC 5737)."""


def main() -> None:
    """Try what the word on the command line names, and say how it went."""
    try:
        answer = {"subreaper": subreaper, "loopback": loopback, "overlay": overlay}[sys.argv[1]]()
    except OSError as error:
        answer = (False, str(error))
    print(json.dumps(answer))


def _call(name: str, *words: object) -> None:
    """Call a function of the C library; OSError, with its name, where it refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        function = getattr(libc, name)
    except AttributeError:
        raise OSError(f"this system has no {name}()") from None
    if function(*words):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def subreaper() -> tuple[bool, str]:
    """Leave an orphan behind a child, and look whose child it is then."""
    _call("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    told, teller = os.pipe()
    go, starter = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(starter)
        if os.fork() == 0:
            os.read(go, 1)  # its end of input: our parent has ended, and we have been handed on
            os.write(teller, f"{os.getpid()} {os.getppid()}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(starter)
    if not select.select([told], [], [], SECONDS)[0]:
        return False, f"an orphan said nothing within {SECONDS:.0f} s"
    orphan, parent = os.read(told, 100).split()
    if int(parent) != os.getpid():
        return False, f"an orphan became the child of process {parent.decode()}"
    return os.waitpid(int(orphan), 0)[0] == int(orphan), "an orphan became ours and was waited for"


def loopback() -> tuple[bool, str]:
    """Try that the loopback carries data here, and that nothing else is reached."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(SECONDS)
        with socket.create_connection(server.getsockname(), SECONDS) as ours:
            theirs = server.accept()[0]
            with theirs:
                ours.sendall(b"ping")
                theirs.settimeout(SECONDS)
                if theirs.recv(100) != b"ping":
                    return False, "the loopback inside does not carry data"
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as out:
        out.settimeout(SECONDS)
        try:
            out.connect(OUTSIDE)
        except TimeoutError:
            return False, f"a connection to {OUTSIDE[0]} was not refused at once"
        except OSError as error:
            return True, f"the loopback inside carries data; outside: {error.strerror}"
    return False, f"{OUTSIDE[0]} was reached from inside"


def overlay() -> tuple[bool, str]:
    """Mount an overlay in the working directory, write to it, and look whether what is below is as it was."""
    uid, gid = os.getuid(), os.getgid()
    _call("unshare", CLONE_NEWUSER | CLONE_NEWNS)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1", encoding="ascii")
    lower, upper, work, merged = (Path(name) for name in ("lower", "upper", "work", "merged"))
    for folder in (lower, upper, work, merged):
        folder.mkdir()
    (lower / "file").write_text("old", encoding="ascii")
    try:
        _call("mount", b"overlay", b"merged", b"overlay", 0, b"lowerdir=lower,upperdir=upper,workdir=work")
        (merged / "file").write_text("new", encoding="ascii")
        seen = (lower / "file").read_text(encoding="ascii"), (merged / "file").read_text(encoding="ascii")
        _call("umount2", b"merged", MNT_DETACH)
    finally:
        if (work / "work").is_dir():
            (work / "work").chmod(0o700)  # the kernel makes it without any rights: it could not be removed
    return seen == ("old", "new"), "a file was changed above, and was as before below"


if __name__ == "__main__":
    signal.alarm(int(2 * SECONDS))
    main()
