"""Owns the exceptions that mutkit raises on purpose, their slugs and the exit codes.

The tree::

    MutkitError
    ├── UsageError          the command line or a file given to it is wrong       exit 2
    │   └── SpecError       specs or campaigns are wrong, all problems at once    exit 2
    ├── AnchorError         a place in a source file was not found as described   (becomes a verdict)
    └── HostError           this machine cannot do what is asked                  exit 71

Anything else that escapes is a bug of mutkit: exit 70.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class ExitCode(enum.IntEnum):
    """What the process ends with; one meaning each, documented in docs/messages.md."""

    KILLED = 0
    FINDINGS = 1
    USAGE = 2
    STALE = 3
    BASELINE_FAILED = 4
    NOTHING_RAN = 5
    INCONCLUSIVE = 6
    BUG = 70
    HOST = 71
    INTERRUPTED = 130


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a file, and what to do about it.

    ``slug`` is an anchor in docs/messages.md; ``file`` a path with ``/``, relative where it can be; ``line`` counts
    from 1; ``key`` is the dotted TOML key.
    """

    slug: str
    message: str
    advice: str
    file: str = ""
    line: int | None = None
    key: str = ""

    def __str__(self) -> str:
        """Return ``file:line: key: message (slug). advice``, leaving out what is not known."""
        place = self.file + (f":{self.line}" if self.line is not None else "")
        parts = [part for part in (place, self.key) if part]
        return ": ".join([*parts, f"{self.message} [{self.slug}]"]) + (f" {self.advice}" if self.advice else "")


class MutkitError(Exception):
    """The run cannot go on; ``exit_code`` says how the process ends, ``slug`` where it is documented."""

    exit_code = ExitCode.BUG
    slug = "bug"

    def __init__(self, message: str, *, slug: str = "") -> None:
        """Take the sentence for people and, where it differs from the class's own, the slug."""
        super().__init__(message)
        if slug:
            self.slug = slug


class UsageError(MutkitError):
    """The command line, or a file that it names, is wrong."""

    exit_code = ExitCode.USAGE
    slug = "usage"


class SpecError(UsageError):
    """One or more specs or campaigns are wrong; ``problems`` holds every one that was found."""

    slug = "invalid-spec"

    def __init__(self, problems: list[Problem]) -> None:
        """Take all problems, in the order in which they are to be read."""
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class HostError(MutkitError):
    """This machine cannot do what is asked (no fork, no temporary folder, no interpreter)."""

    exit_code = ExitCode.HOST
    slug = "host"


class AnchorError(MutkitError):
    """A rewriter could not find exactly one place, or could not make the rewrite.

    ``slug`` is one of ``ANCHOR_SLUGS``; ``lines`` are the 1-based first lines of all matches (for ``anchor-
    ambiguous`` and ``scope-ambiguous``); ``near`` are the nearest misses, the nearest first.
    """

    def __init__(
        self, slug: str, message: str, *, lines: tuple[int, ...] = (), near: tuple[NearMiss, ...] = ()
    ) -> None:
        """Take what went wrong and where."""
        if slug not in ANCHOR_SLUGS:
            raise ValueError(slug)
        super().__init__(message, slug=slug)
        self.lines = lines
        self.near = near


@dataclass(frozen=True)
class NearMiss:
    """A place that nearly matched: its 1-based ``line``, the ``code`` as it stands, and ``why`` it did not match."""

    line: int
    code: str
    why: str


STALE_SLUGS = frozenset({"scope-missing", "scope-ambiguous", "anchor-missing", "anchor-ambiguous", "rewrite-no-effect"})
"""The source has moved away from under the spec: verdict *stale*."""

INVALID_SLUGS = frozenset(
    {"pattern-syntax", "replace-syntax", "metavariable-unknown", "source-encoding", "source-syntax", "rewrite-invalid"}
)
"""The spec (or the file that it names) cannot be used at all: an invalid spec."""

NOT_VIABLE_SLUGS = frozenset({"result-syntax"})
"""The rewrite gives a program that does not parse: verdict *not-viable*."""

ANCHOR_SLUGS = STALE_SLUGS | INVALID_SLUGS | NOT_VIABLE_SLUGS
