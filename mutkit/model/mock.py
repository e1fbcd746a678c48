"""Owns mock scripts as their authors write them: what a scripted stand-in for a command does when it is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from mutkit.model.matcher import CLOSED, UNSET, Json

StreamName: TypeAlias = Literal["stdin", "stdout", "stderr"]
SignalName: TypeAlias = Literal["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"]
Newline: TypeAlias = Literal["none", "with", "separate", "codex"]
ChunkMode: TypeAlias = Literal["each-byte", "inside-character", "inside-crlf", "inside-escape"]
GeneratorName: TypeAlias = Literal[
    "long-line",
    "multi-byte",
    "invalid-utf-8",
    "crlf",
    "lone-cr",
    "bom",
    "nul",
    "line-separators",
    "duplicate-keys",
    "deep-nesting",
    "banner-before-json",
    "two-objects-on-a-line",
    "flood",
]


@dataclass(frozen=True)
class Repeat:
    """``text``, ``times`` times over: how a script says 5 MiB in a line."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    text: str
    times: int


@dataclass(frozen=True)
class Generate:
    """Awkward output made from a seed: ``kind`` is what is awkward about it, ``bytes`` how long it is about (0: as long
    as that kind takes), ``seed`` overrides the script's.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    kind: GeneratorName
    bytes: int = 0
    seed: int | None = None


@dataclass(frozen=True)
class Grandchild:
    """A process that is left behind for ``seconds`` in a session of its own and keeps the streams in ``holds``
    open.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    seconds: float
    holds: tuple[StreamName, ...] = ("stdout",)


@dataclass(frozen=True)
class WaitFor:
    """Wait until ``path`` (absolute, or relative to the mock's working directory) exists, ``seconds`` at most."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    path: str
    seconds: float = 30.0


@dataclass(frozen=True)
class Expect:
    """What standard input must give next, or the mock fails as for an unexpected call (exit 97).

    Exactly one of ``line`` (the next line without its end), ``all`` (everything up to the end of input), ``json`` (the
    next line is JSON that holds at least this) and ``end`` (nothing more comes). In ``line`` and ``all``, ``*`` is any
    run of characters; ``regex`` = true makes them regular expressions that must match the whole.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    line: str | None = None
    all: str | None = None
    json: Json = UNSET
    end: bool = False
    regex: bool = False


@dataclass(frozen=True)
class Step:
    """One thing that the mock does.

    Exactly one of these says what: content (``text``, ``base64``, ``file`` beside the script, ``json``, ``repeat``,
    ``generate``), ``expect``, ``read_stdin``, ``close``, ``grandchild``, ``wait_for``, or ``pause_ms`` alone. The rest
    says how content is written: ``fill`` puts repeated text at JSON Pointers of ``json``; ``to`` a stream, or ``path``
    / ``path_after`` a file; ``newline`` whether and how a newline is added; ``chunk`` bytes a write, or a mode, or
    ``cut_at`` offsets; ``pace`` and ``pause_ms`` when the next chunk follows; ``deadline`` in seconds, how long an
    exact pace waits for the reader to take one chunk.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    text: str | None = None
    base64: str | None = None
    file: str | None = None
    json: Json = UNSET
    repeat: Repeat | None = None
    generate: Generate | None = None
    expect: Expect | None = None
    read_stdin: Literal["end", "line"] | None = None
    close: StreamName | None = None
    grandchild: Grandchild | None = None
    wait_for: WaitFor | None = None
    fill: dict[str, Repeat] = field(default_factory=dict)
    to: Literal["stdout", "stderr"] = "stdout"
    path: str | None = None
    path_after: str | None = None
    append: bool = False
    newline: Newline | None = None
    chunk: int | ChunkMode = 0
    cut_at: tuple[int, ...] = ()
    pace: Literal["none", "exact"] = "none"
    pause_ms: float = 0.0
    deadline: float = 30.0


@dataclass(frozen=True)
class End:
    """How the mock ends after its last step: ``exit`` code, ``signal`` ("KILL") to itself, or ``hang``.

    A hanging mock ends by a signal (see ``Answer.signals``), or, where ``at_stdin_end`` is given, with that exit code
    when its standard input ends; otherwise it ignores the end of input.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    exit: int | None = None
    signal: str | None = None
    hang: bool = False
    at_stdin_end: int | None = None


@dataclass(frozen=True)
class Answer:
    """What the mock does for the calls that it fits: all that is given of the following must hold.

    ``argv``: the words after the command's name; a word may hold ``*`` (any run of characters), the word ``**`` is any
    run of words. ``argv_exact``: the words themselves, nothing in them special. ``argv_regex``: a regular expression
    for the whole of the words joined by single blanks. ``subcommand``: the leading words that are no options, as
    ``exec resume``. ``nth`` = 2: the second call of the command (0: each). ``env``: variables and their values, ``*``
    as in ``argv``; null cannot be written in TOML, so ``""`` also stands for a variable that is not set. ``stdin``: the
    whole of standard input, ``*`` as in ``argv``; it is read to its end before the choice.

    ``signals`` says what a signal does: ``"die"`` (the default), ``"ignore"`` or an exit code. ``reader_gone`` says
    what happens when the reader has closed the stream that is written to: an exit code (default 96), ``"die"`` (by
    SIGPIPE, as most programs do) or ``"ignore"`` (go on with the next step).
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    argv: tuple[str, ...] | None = None
    argv_exact: tuple[str, ...] | None = None
    argv_regex: str | None = None
    subcommand: str | None = None
    nth: int = 0
    env: dict[str, str] = field(default_factory=dict)
    stdin: str | None = None
    step: tuple[Step, ...] = ()
    end: End = End()
    signals: dict[SignalName, Literal["die", "ignore"] | int] = field(default_factory=dict)
    reader_gone: int | Literal["die", "ignore"] | None = None


@dataclass(frozen=True)
class MockScript(Answer):
    """All that one mock command does: either one answer, written at the top, or several (``call``), of which the first
    that fits is given, or a ``program``.

    ``note`` is a remark. ``record_env`` names the environment variables that are recorded; what looks like a secret in
    them and in the words is not, unless ``unredacted`` has its name. ``seed`` is what generators draw from where they
    have none of their own; where none is given, one is chosen and recorded. ``program`` is ``"file.py:function"``
    beside the script, called with the call and ``options``. ``profile`` is the name of a ready-made mock
    (``"codex/0.171"``), which takes ``options`` too.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    note: str = ""
    call: tuple[Answer, ...] = ()
    record_env: tuple[str, ...] = ()
    unredacted: tuple[str, ...] = ()
    seed: int | None = None
    program: str | None = None
    profile: str | None = None
    options: dict[str, Json] = field(default_factory=dict)
