"""Owns what a run gives back: one result a spec, and how the run ends."""

from __future__ import annotations

from dataclasses import dataclass

from mutkit.errors import ExitCode, Problem
from mutkit.model.judgement import Judgement
from mutkit.model.mutant import Mutant
from mutkit.model.observation import Evidence
from mutkit.model.spec import LoadedSpec


@dataclass(frozen=True)
class Conclusion:
    """How the run ends: the exit ``code``, the ``reason`` in a sentence, and how many specs have each verdict."""

    code: ExitCode
    reason: str
    counts: dict[str, int]


@dataclass(frozen=True)
class SpecResult:
    """One spec with everything that is known of it at the end: the mutant (if it could be made), evidence,
    judgement.
    """

    loaded: LoadedSpec
    mutant: Mutant | None
    evidence: Evidence
    judgement: Judgement


@dataclass(frozen=True)
class RunResult:
    """A whole run.

    ``selected`` the number of specs; ``results`` in their order; ``left_out`` the campaigns that were not selected
    (``gate = false``); ``kept`` the workspaces that were kept on request; ``cleared`` the leftovers of dead runs that
    were removed; ``duration`` in seconds; ``problems`` what made the specs invalid: with one, nothing was run.
    """

    selected: int
    results: tuple[SpecResult, ...]
    conclusion: Conclusion
    left_out: tuple[str, ...]
    kept: tuple[str, ...]
    cleared: tuple[str, ...]
    duration: float
    problems: tuple[Problem, ...] = ()
