"""Owns what is known of one test case and of one run of a suite."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from mutkit.model.ending import ProcessResult
from mutkit.model.isolation import Isolation
from mutkit.model.matcher import Json


class Outcome(str, enum.Enum):
    """How a case ended.

    An expected failure that failed is *skipped*; one that passed under strict is *failed*.
    """

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    MISSING = "missing"


BROKEN = frozenset({Outcome.FAILED, Outcome.ERROR})
"""Outcomes of a case that noticed something."""


class Phase(str, enum.Enum):
    """In which part of a case it ended: a failure outside of ``call`` is an *error*."""

    SETUP = "setup"
    CALL = "call"
    TEARDOWN = "teardown"


@dataclass(frozen=True)
class CaseRecord:
    """How one case ended.

    ``id`` is ``path/of/file.py::Class::test[param]``, the path relative to the tree with ``/``;
    ``exception`` the qualified type name (``builtins`` left out), empty unless failed or error; ``message`` is
    ``str(exception)``; ``place`` is ``file:line`` of the innermost frame in the tree; ``duration`` in seconds over
    all phases;
    ``observed`` what the case recorded with ``observe(...)``, in order.
    """

    id: str
    outcome: Outcome
    phase: Phase = Phase.CALL
    exception: str = ""
    message: str = ""
    place: str = ""
    duration: float = 0.0
    observed: tuple[Json | bytes, ...] = ()


@dataclass(frozen=True)
class Trouble:
    """Why a run of a suite is no evidence; ``slug`` is an anchor in docs/messages.md.

    The slugs of harnesses: ``nothing-collected``, ``collection-failed`` (import or syntax error while
    collecting), ``case-missing``, ``report-missing``, ``report-cut-short`` (the process ended in mid-run,
    ``os._exit``, a signal),
    ``suite-timed-out``, ``suite-not-started``, ``wrong-tree`` (the cases were not loaded from the workspace).
    """

    slug: str
    message: str


@dataclass(frozen=True)
class SuiteRun:
    """One run of a suite, whole or of named cases: facts only.

    ``cases`` in the order of their run; ``complete`` whether the report says that the session came to its end;
    ``troubles`` everything that makes the run less than full evidence; ``isolation`` what the cases could reach.
    """

    result: ProcessResult
    cases: tuple[CaseRecord, ...] = ()
    complete: bool = False
    troubles: tuple[Trouble, ...] = field(default=())
    isolation: Isolation | None = None

    def case(self, case_id: str) -> CaseRecord:
        """Return the record of ``case_id``; a record with outcome *missing* if the run has none."""
        for record in self.cases:
            if record.id == case_id:
                return record
        return CaseRecord(case_id, Outcome.MISSING)
