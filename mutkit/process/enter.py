"""Owns the way into a network of its own for programs that mutkit does not start, as a prefix of their command.

Uses nothing but the standard library. Started as ``python -I -S enter.py <pid> <user> <net> <argv>...``: joins the
namespaces of the process ``pid``, a holder, whose numbers must be ``user`` (0: none) and ``net``, and becomes the
program. Environment, working directory, descriptors, masked and ignored signals, process id and group are the program's
as they were given; but SIGPIPE and SIGXFSZ act as usual, for Python takes no note of what they did before.

Exits as shells do where there is no program: 127 not found, 126 not to be started; 71 where there is no such network.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import os
import sys

# Nothing of mutkit can be found by the interpreter that runs this: what stands beside it is asked for by place.
sys.path.insert(0, os.path.dirname(__file__))
from namespaces import join  # type: ignore[import-not-found]
from supervisor import candidates  # type: ignore[import-not-found]

NO_NETWORK, NOT_STARTED, NOT_FOUND = 71, 126, 127


def main(pid: int, user: int, net: int, argv: list[str]) -> None:
    """Go in and become the program."""
    try:
        for descriptor in _namespaces(pid, user, net):
            join(descriptor)
    except OSError as error:
        _fail(NO_NETWORK, f"the network that {argv[0]} is to run in cannot be entered: {error.strerror}")
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    _become([os.fsencode(word) for word in argv], _environment())


def _namespaces(pid: int, user: int, net: int) -> list[int]:
    found = []
    for name, number in (("user", user), ("net", net)):
        if number:
            found.append(os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC))
            # The process may have ended, and its number may be another's by now.
            if os.fstat(found[-1]).st_ino != number:
                raise FileNotFoundError(2, "it has been given up")
    return found


def _environment() -> dict[bytes, bytes]:
    """Return the environment that we were given: Python's own may have LC_CTYPE added (PEP 538)."""
    with open("/proc/self/environ", "rb") as file:
        entries = file.read().split(b"\0")
    pairs = (entry.partition(b"=") for entry in entries if b"=" in entry)
    return {name: value for name, _, value in pairs}


def _become(argv: list[bytes], env: dict[bytes, bytes]) -> None:
    code, reason = NOT_FOUND, os.strerror(2)
    for path in candidates(argv[0], env):
        try:
            os.execve(path, argv, env)  # noqa: S606 -- it is what we are for
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            code, reason = NOT_STARTED, error.strerror or ""
    _fail(code, f"{os.fsdecode(argv[0])} cannot be started: {reason}")


def _fail(code: int, message: str) -> None:
    os.write(2, f"mutkit: {message}\n".encode("utf-8", "surrogateescape"))
    raise SystemExit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
