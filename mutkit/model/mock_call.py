"""Owns the record of one call of a mock command."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ExactProof:
    """What one exact step proved.

    ``fd`` is 1 or 2, ``kind`` what it was ("pipe" or "unix socket"), ``mode`` the way ("one-page pipe", "drained pipe",
    "descriptor per chunk"), ``chunks`` how many were written. ``proofs``: on a pipe, how often it was seen to be empty,
    before each chunk and after the last; on a socket, how many chunks were sent whole, each with a descriptor.
    ``planned`` is how many chunks the step has: a mock that was killed in it wrote fewer.
    """

    fd: int
    kind: str
    mode: str
    chunks: int
    proofs: int
    planned: int | None = None

    @property
    def complete(self) -> bool:
        """Return whether the whole step was written, and every chunk is proved to be a read of its own."""
        return self.proofs == self.chunks + (self.kind == "pipe") and self.planned in (None, self.chunks)


@dataclass(frozen=True)
class Call:
    """One call of a mock command. What looks like a secret stands in it as the name of its variable or option, in <>.

    What it was called with: ``number`` counts from 1; ``argv`` are the words after the command's name, ``argv_bytes``
    the same as bytes; ``env`` the named variables (None: not set); ``cwd``; ``pid``, ``ppid`` and ``parent``, the name
    of that process; ``uid``; ``fds`` the kinds of descriptors 0, 1, 2 (pipe, unix socket, tcp socket, socket, file,
    tty, null, device, closed), ``inherited`` number and kind of those beyond; ``seed`` of the script's generators;
    ``began`` in seconds since 1970.

    What it did: ``answer`` is the index of the script's answer, ``step`` the key of the last step that was begun
    ("step[2]"); ``stdin`` what was read of standard input, ``stdin_ended`` whether its end was seen; ``signals`` the
    numbers received, ``signal_times`` when, in seconds since the call began; ``chunks`` the sizes of all writes to
    standard output in order, ``stderr_chunks`` those to standard error; ``unfinished`` descriptor and size of a chunk
    that was begun, of which a killed mock may have written any part; ``exact`` what each exact step proved;
    ``reader_gone`` the descriptors whose reader had closed them; ``not_taken`` descriptors with a reason why what was
    written may not have been read; ``files`` path and size of files written; ``grandchildren`` their process ids.

    How it ended: ``ended`` is "exit", "signal", "unexpected" (97), "unable" (98), "reader-gone" (96), "forgotten" (95),
    or "" where it did not come to its end (running, hanging or killed); ``code`` the exit code or signal number with
    it, ``message`` what it said on standard error then, ``unexpected`` the same where the call was; ``hangs`` whether
    it came to where the script lets it hang; ``seconds`` how long it lived, None as long as it has not ended.
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
    message: str = ""
    parent: str = ""
    uid: int = 0
    inherited: tuple[tuple[int, str], ...] = ()
    seed: int | None = None
    began: float = 0.0
    seconds: float | None = None
    answer: int | None = None
    step: str = ""
    signal_times: tuple[float, ...] = ()
    unfinished: tuple[int, int] | None = None
    reader_gone: tuple[int, ...] = ()
    not_taken: tuple[tuple[int, str], ...] = ()

    @property
    def argv(self) -> tuple[str, ...]:
        """Return the words after the command's name as text."""
        return tuple(word.decode("utf-8", "surrogateescape") for word in self.argv_bytes)
