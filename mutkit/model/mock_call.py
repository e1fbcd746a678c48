"""Owns the record of one call of a mock command."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ExactProof:
    """What one exact step proved.

    ``fd`` is 1 or 2, ``kind`` what it was ("pipe" or "unix socket"), ``mode`` the way ("one-page pipe", "drained pipe",
    "descriptor per chunk"), ``chunks`` how many were written. ``proofs``: on a pipe, how often it was seen to be empty,
    before each chunk and after the last; on a socket, how many chunks were sent whole, each with a descriptor.
    """

    fd: int
    kind: str
    mode: str
    chunks: int
    proofs: int

    @property
    def complete(self) -> bool:
        """Return whether every chunk that was written is proved to be a read of its own."""
        return self.proofs == self.chunks + (self.kind == "pipe")


@dataclass(frozen=True)
class Call:
    """One call of a mock command.

    ``number`` counts from 1; ``argv`` are the words after the command's name, ``argv_bytes`` the same as bytes;
    ``stdin`` what was read of standard input, ``stdin_ended`` whether its end was seen; ``env`` the named variables
    (None: not set); ``fds`` the kinds of descriptors 0, 1, 2 (pipe, socket, file, tty, null, device, closed);
    ``signals`` the numbers received; ``chunks`` the sizes of all writes to standard output in order,
    ``stderr_chunks`` those to standard error; ``files`` path and size of files written; ``ended`` is "exit",
    "signal", "unexpected" (97), "unable" (98), "reader-gone" (96), "forgotten" (95), or "" where it did not come to
    its end (hanging or killed); ``code`` the exit code or signal number with it.
    """

    name: str
    number: int
    argv_bytes: tuple[bytes, ...] = ()
    cwd: str = ""
    pid: int = 0
    ppid: int = 0
    env: dict[str, str | None] = field(default_factory=dict)
    fds: tuple[str, ...] = ()
    stdin: bytes = b""
    stdin_ended: bool = False
    signals: tuple[int, ...] = ()
    chunks: tuple[int, ...] = ()
    stderr_chunks: tuple[int, ...] = ()
    files: tuple[tuple[str, int], ...] = ()
    grandchildren: tuple[int, ...] = ()
    unexpected: str = ""
    exact: tuple[ExactProof, ...] = ()
    hangs: bool = False
    ended: str = ""
    code: int | None = None

    @property
    def argv(self) -> tuple[str, ...]:
        """Return the words after the command's name as text."""
        return tuple(word.decode("utf-8", "surrogateescape") for word in self.argv_bytes)
