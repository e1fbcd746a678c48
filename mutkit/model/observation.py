"""Owns observations: everything that was seen of one variant and of the controls.

Facts, no opinion.
"""

from __future__ import annotations

from dataclasses import dataclass

from mutkit.model.case import SuiteRun
from mutkit.model.effect import Effect
from mutkit.model.isolation import Isolation


@dataclass(frozen=True)
class VariantRun:
    """What one variant was seen to do.

    ``effect`` what the probe (or the case's own record) showed, None where none was asked for; ``suite`` the run of the
    cases, None where they were not run; ``confirmations`` later runs of the failing killers alone; ``changed`` the
    files of the workspace that the run changed (they were put back); ``later`` what was shown when it was looked at
    again; ``probe_isolation`` what the probed program could reach (None: no probe).
    """

    effect: Effect | None = None
    suite: SuiteRun | None = None
    confirmations: tuple[SuiteRun, ...] = ()
    changed: tuple[str, ...] = ()
    later: tuple[Effect | None, ...] = ()
    probe_isolation: Isolation | None = None


@dataclass(frozen=True)
class Canary:
    """What the canary of a spec's anchor scope did.

    ``failed`` the cases that failed under it, or could not be loaded because of it; ``effect`` what the probe showed;
    ``executed`` whether the canary itself was seen to be executed while the cases ran (it leaves a file).
    """

    failed: frozenset[str]
    effect: Effect | None
    executed: bool = True
    trouble: str = ""


@dataclass(frozen=True)
class Controls:
    """The runs that tell whether a verdict can be trusted at all; None where a control could not be run."""

    baseline: VariantRun
    null: VariantRun | None = None
    canary: Canary | None = None


@dataclass(frozen=True)
class Hindrance:
    """Why a mutant could not be made or run: ``slug`` and sentence, as an anchor error gives them."""

    slug: str
    message: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """All that is known of one spec when it is judged: the controls, and the mutant or what hindered it."""

    controls: Controls | None = None
    mutant: VariantRun | None = None
    hindrance: Hindrance | None = None
