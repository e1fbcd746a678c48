"""Owns small builders of values for tests of the pure parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mutkit.model.campaign import Campaign, LoadedCampaign, PythonProbe, Suite
from mutkit.model.case import CaseRecord, Outcome, SuiteRun, Trouble
from mutkit.model.effect import Effect, Expectation, Returned
from mutkit.model.ending import Capture, Ending, Exited, ProcessResult
from mutkit.model.observation import Canary, Controls, Evidence, VariantRun
from mutkit.model.spec import Because, LoadedSpec, MustFail, Spec

KILLER = "tests/test_it.py::test_named"
OTHER = "tests/test_it.py::test_other"
BECAUSE = Because("AssertionError", "*Completed*")
HEALTHY = Returned("answer")
DEFECTIVE = Returned("Completed")
CRASHED = Returned("something else")


def process_result(ending: Ending | None = None, duration: float = 1.0) -> ProcessResult:
    """Return a finished process."""
    return ProcessResult(("python",), ending or Exited(0), Capture(), Capture(), duration)


def case(case_id: str, outcome: Outcome = Outcome.PASSED, exception: str = "", message: str = "") -> CaseRecord:
    """Return the record of a case."""
    return CaseRecord(case_id, outcome, exception=exception, message=message)


def failed(case_id: str, exception: str = "AssertionError", message: str = "got Completed") -> CaseRecord:
    """Return the record of a case that failed, by default for ``BECAUSE``."""
    return case(case_id, Outcome.FAILED, exception, message)


def suite_run(*cases: CaseRecord, complete: bool = True, troubles: tuple[Trouble, ...] = ()) -> SuiteRun:
    """Return a run of a suite."""
    return SuiteRun(process_result(), cases, complete, troubles)


def loaded_spec(**changes: Any) -> LoadedSpec:
    """Return a spec with one killer, a healthy answer and a modelled ``Completed``."""
    campaign = Campaign("Title", ".", Suite(("tests",)))
    probe = PythonProbe("python", "m:f")
    fields: dict[str, Any] = {
        "defect": "A defect.",
        "file": "m.py",
        "healthy": Expectation(returns="answer"),
        "defective": Expectation(returns="Completed"),
        "must_fail": (MustFail(KILLER, BECAUSE),),
    }
    killers = changes.pop("killers", {KILLER: BECAUSE})
    may_fail = frozenset(changes.pop("may_fail", ()))
    spec = Spec(**(fields | changes))
    return LoadedSpec(
        "a-spec",
        Path("/specs/c/a-spec.toml"),
        "specs/c/a-spec.toml",
        LoadedCampaign("c", Path("/specs/c/campaign.toml"), Path("/tree"), campaign),
        spec,
        Path("/tree/m.py"),
        probe,
        "p",
        killers,
        "",
        may_fail,
    )


def green() -> SuiteRun:
    """Return a green baseline with the named and another case."""
    return suite_run(case(KILLER), case(OTHER))


def evidence(mutant: VariantRun | None, **controls: Any) -> Evidence:
    """Return evidence with sound controls, of which some may be replaced."""
    fields: dict[str, Any] = {
        "baseline": VariantRun(HEALTHY, green()),
        "null": VariantRun(HEALTHY, green()),
        "canary": Canary(frozenset({KILLER}), Returned("raised")),
    }
    return Evidence(Controls(**(fields | controls)), mutant)


def variant(effect: Effect, *cases: CaseRecord, confirmations: tuple[SuiteRun, ...] | None = None) -> VariantRun:
    """Return the run of a mutant, by default with one repeat that ended as the first."""
    run = suite_run(*cases)
    return VariantRun(effect, run, (run, run) if confirmations is None else confirmations)
