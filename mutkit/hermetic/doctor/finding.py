"""Owns the values of an examination: what was tried, how it went, what follows."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mutkit.model.matcher import Json


class Result(enum.Enum):
    """How a check went."""

    YES = "yes"
    LIMITS = "with limits"
    NO = "no"


@dataclass(frozen=True)
class Finding:
    """What one check found.

    ``name`` is stable (lower-case words with dashes); ``detail`` what was seen, ``follows`` what that means for runs
    (empty: nothing to be said); ``required`` whether no run can be made where the result is ``NO``; ``measured`` holds
    the figures and words in ``detail`` for programs; ``seconds`` is what the check took.
    """

    name: str
    result: Result
    detail: str
    follows: str = ""
    required: bool = False
    measured: Mapping[str, Json] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def hinders(self) -> bool:
        """Return whether no run can be made because of it."""
        return self.required and self.result is Result.NO


@dataclass(frozen=True)
class Examination:
    """All findings, in the order in which they were made."""

    findings: tuple[Finding, ...]

    @property
    def hindrances(self) -> tuple[Finding, ...]:
        """Return the findings because of which no run can be made."""
        return tuple(one for one in self.findings if one.hinders)
