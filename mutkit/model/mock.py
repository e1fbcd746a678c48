"""Owns mock scripts as their authors write them: what a scripted stand-in for a command does when it is called; and
what it recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from mutkit.model.matcher import CLOSED, UNSET, Json


@dataclass(frozen=True)
class Repeat:
    """``text``, ``times`` times over: how a script says 5 MiB in a line."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    text: str
    times: int


@dataclass(frozen=True)
class Grandchild:
    """A process that is left behind for ``seconds`` in a session of its own and keeps the streams in ``holds``
    open.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    seconds: float
    holds: tuple[Literal["stdin", "stdout", "stderr"], ...] = ("stdout",)


@dataclass(frozen=True)
class WaitFor:
    """Wait until ``path`` (absolute, or relative to the mock's working directory) exists, ``seconds`` at most."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    path: str
    seconds: float = 30.0


@dataclass(frozen=True)
class Step:
    """One thing that the mock does.

    Exactly one of these says what: content (``text``, ``base64``, ``file`` beside the script, ``json``,
    ``repeat``), ``read_stdin``, ``close``, ``grandchild``, ``wait_for``, or ``pause_ms`` alone. The rest says
    how content is written: ``fill`` puts repeated text at JSON Pointers of ``json``; ``to`` a stream, or
    ``path`` / ``path_after`` a file; ``newline`` whether and how a newline is added; ``chunk`` bytes a write,
    or ``cut_at`` offsets; ``pace`` and ``pause_ms`` when the next chunk follows.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    text: str | None = None
    base64: str | None = None
    file: str | None = None
    json: Json = UNSET
    repeat: Repeat | None = None
    read_stdin: Literal["end", "line"] | None = None
    close: Literal["stdin", "stdout", "stderr"] | None = None
    grandchild: Grandchild | None = None
    wait_for: WaitFor | None = None
    fill: dict[str, Repeat] = field(default_factory=dict)
    to: Literal["stdout", "stderr"] = "stdout"
    path: str | None = None
    path_after: str | None = None
    append: bool = False
    newline: Literal["none", "with", "separate", "codex"] | None = None
    chunk: int = 0
    cut_at: tuple[int, ...] = ()
    pace: Literal["none", "drained"] = "none"
    pause_ms: float = 0.0


@dataclass(frozen=True)
class End:
    """How the mock ends after its last step: ``exit`` code, ``signal`` ("KILL") to itself, or ``hang``."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    exit: int | None = None
    signal: str | None = None
    hang: bool = False


SignalName = Literal["HUP", "INT", "TERM"]


@dataclass(frozen=True)
class Answer:
    """What the mock does when it is called with words that fit ``argv``.

    A word may hold ``*`` (any run of characters); the word ``**`` is any run of words; None is any call.
    ``nth`` = 2 answers only the second call of the command (0: each). ``signals`` says what a signal does:
    ``"die"`` (the default), ``"ignore"`` or an exit code.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    argv: tuple[str, ...] | None = None
    nth: int = 0
    step: tuple[Step, ...] = ()
    end: End = End()
    signals: dict[SignalName, Literal["die", "ignore"] | int] = field(default_factory=dict)


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
    hangs: bool = False
    ended: str = ""
    code: int | None = None

    @property
    def argv(self) -> tuple[str, ...]:
        """Return the words after the command's name as text."""
        return tuple(word.decode("utf-8", "surrogateescape") for word in self.argv_bytes)
