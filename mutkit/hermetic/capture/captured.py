"""Owns what a real program was seen to do: its writes in order, what it took of its input, how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mutkit.model.ending import Exited, Signalled

Boundaries: TypeAlias = Literal["writes", "reads"]


@dataclass(frozen=True)
class Chunk:
    """One write: to which descriptor (1 or 2), what, and when, in seconds since the start."""

    fd: int
    data: bytes
    at: float


@dataclass(frozen=True)
class Capture:
    """What one run of a program gave.

    ``boundaries`` says whether chunks are the program's writes or only our reads; ``unsure`` how often the order of a
    chunk on standard output and one on standard error could not be told. ``ending`` is None where it was still running
    at the deadline; ``on_term`` is what it then did on SIGTERM. ``stdin_given`` and ``stdin_taken`` count bytes (None:
    it had no input), ``stdin_after`` the chunks that came before it took the last of them. ``closed`` has streams that
    were closed long before the end, and after how many chunks; ``held`` those that a process left behind kept open,
    and for how many seconds; ``late`` counts bytes that came after the end, or after SIGTERM.
    """

    chunks: tuple[Chunk, ...]
    ending: Exited | Signalled | None
    boundaries: Boundaries
    seconds: float
    unsure: int = 0
    on_term: Literal["die", "ignore"] | int = "die"
    stdin_given: int | None = None
    stdin_taken: int = 0
    stdin_taken_of: bytes = b""
    stdin_after: int = 0
    closed: Mapping[int, int] = field(default_factory=dict)
    held: Mapping[int, float] = field(default_factory=dict)
    late: int = 0
