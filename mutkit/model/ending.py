"""Owns how a process ended and what it printed: exit, signal and time-out are different values."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Exited:
    """The process ended by itself with ``code`` (0 to 255)."""

    code: int

    def __str__(self) -> str:
        """Return ``exit 3``."""
        return f"exit {self.code}"


@dataclass(frozen=True)
class Signalled:
    """The process was ended by signal ``number`` that mutkit did not send."""

    number: int

    @property
    def name(self) -> str:
        """Return the signal's name, ``SIGSEGV``, or ``signal 64`` where it has none."""
        try:
            return signal.Signals(self.number).name
        except ValueError:
            return f"signal {self.number}"

    def __str__(self) -> str:
        """Return ``killed by SIGSEGV``."""
        return f"killed by {self.name}"


@dataclass(frozen=True)
class TimedOut:
    """The deadline of ``after`` seconds passed and mutkit ended the process and all its descendants."""

    after: float

    def __str__(self) -> str:
        """Return ``timed out after 2.0 s``."""
        return f"timed out after {self.after:.1f} s"


@dataclass(frozen=True)
class NotStarted:
    """The operating system refused to start the program; ``reason`` is its message."""

    reason: str

    def __str__(self) -> str:
        """Return ``not started: ...``."""
        return f"not started: {self.reason}"


@dataclass(frozen=True)
class Lost:
    """The supervisor of the process vanished, so nothing is known of its end; ``reason`` says what was seen."""

    reason: str

    def __str__(self) -> str:
        """Return ``lost: ...``."""
        return f"lost: {self.reason}"


Ending: TypeAlias = Exited | Signalled | TimedOut | NotStarted | Lost


@dataclass(frozen=True)
class Capture:
    """What was read from one pipe: the first bytes, up to the cap, and how many there were in all.

    ``last`` holds the last bytes where more was written than ``head`` has, and is empty where not.
    """

    head: bytes = b""
    total: int = 0
    last: bytes = b""

    @property
    def truncated(self) -> bool:
        """Return whether more was written than is kept."""
        return self.total > len(self.head)

    @property
    def tail(self) -> bytes:
        """Return the end of what was written: its last bytes (64 KiB) where it is truncated, else all of it."""
        return self.last if self.truncated else self.head

    @property
    def text(self) -> str:
        """Return the kept bytes as text for people; bytes that are not UTF-8 show as ``\\xNN``."""
        return self.head.decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class ProcessResult:
    """One finished process: what was started, how it ended, what it printed.

    ``duration`` is in seconds; ``leftovers`` counts the descendants that were still alive when the process ended and
    that mutkit then killed.
    """

    argv: tuple[str, ...]
    ending: Ending
    stdout: Capture
    stderr: Capture
    duration: float
    leftovers: int = 0
