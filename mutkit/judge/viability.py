"""Owns the viability question: does the mutant run at all, and did its run come to an end that can be read?"""

from __future__ import annotations

from mutkit.judge.control import UNREADABLE
from mutkit.judge.detection import noticed
from mutkit.model.case import Outcome, SuiteRun
from mutkit.model.describe import counted, describe_effect
from mutkit.model.effect import Hung, NothingSeen
from mutkit.model.judgement import Blame, Depth, Judgement, Reason, Verdict
from mutkit.model.observation import VariantRun
from mutkit.model.spec import LoadedSpec

NOT_VIABLE = frozenset({"probe-import-failed", "probe-function-missing", "collection-failed"})
"""Slugs that say that the mutant cannot even be loaded."""


def viability_fault(loaded: LoadedSpec, mutant: VariantRun, depth: Depth) -> Judgement | None:
    """Return the judgement on a mutant that does not run, or that cannot be read; None when it can be judged."""
    hang_modelled = loaded.spec.defective.hangs is True
    if isinstance(mutant.effect, NothingSeen):
        if mutant.effect.slug in NOT_VIABLE:
            return _fault(Verdict.NOT_VIABLE, depth, Blame.SPEC, mutant.effect.slug, mutant.effect.reason)
        if mutant.effect.slug in UNREADABLE:
            return _fault(Verdict.INCONCLUSIVE, depth, Blame.HOST, mutant.effect.slug, mutant.effect.reason)
    if isinstance(mutant.effect, Hung) and not hang_modelled:
        message = f"no hang is modelled, but the mutant {describe_effect(mutant.effect)}"
        advice = (
            "Model the hang (`hangs = true`) if it is the defect; else change the rewrite, or give the "
            "probe a longer timeout."
        )
        return _fault(Verdict.TIMED_OUT, Depth.PROPAGATED, Blame.SPEC, "probe-timed-out", message, advice)
    if mutant.suite is None:
        return _fault(Verdict.INCONCLUSIVE, depth, Blame.HOST, "not-run", "the cases were not run under the mutant")
    return _suite_fault(loaded, mutant.suite, depth) or _repeats_fault(loaded, mutant, depth)


def _repeats_fault(loaded: LoadedSpec, mutant: VariantRun, depth: Depth) -> Judgement | None:
    """Return the judgement on repeats that were due and were not made, or that are no evidence."""
    if mutant.suite is None or not noticed(mutant.suite, loaded.killers):
        return None
    due = loaded.campaign.campaign.suite.confirm
    if len(mutant.confirmations) < due:
        made = counted(len(mutant.confirmations), "time")
        message = f"failing cases were to be run again {counted(due, 'time')}, and were {made}"
        return _fault(Verdict.INCONCLUSIVE, depth, Blame.HOST, "not-run", message)
    for run in mutant.confirmations:
        for trouble in run.troubles:
            return _fault(Verdict.INCONCLUSIVE, depth, Blame.TESTS, trouble.slug, f"run again: {trouble.message}")
        if not run.complete:
            message = f"run again, the cases came to no end: {run.result.ending}"
            return _fault(Verdict.INCONCLUSIVE, depth, Blame.TESTS, "report-cut-short", message)
    return None


def _suite_fault(loaded: LoadedSpec, suite: SuiteRun, depth: Depth) -> Judgement | None:
    for trouble in suite.troubles:
        if trouble.slug == "collection-failed":
            return _fault(Verdict.NOT_VIABLE, depth, Blame.SPEC, trouble.slug, trouble.message)
        if trouble.slug == "suite-timed-out":
            advice = "Give the cases deadlines of their own, so that a hang is a failure with a reason."
            return _fault(Verdict.TIMED_OUT, depth, Blame.TESTS, trouble.slug, trouble.message, advice)
    for trouble in suite.troubles:
        return _fault(Verdict.INCONCLUSIVE, depth, Blame.SPEC, trouble.slug, trouble.message)
    if not suite.complete:
        message = f"the report of the cases is incomplete; the run ended with {suite.result.ending}"
        return _fault(Verdict.INCONCLUSIVE, depth, Blame.SPEC, "report-cut-short", message)
    for case_id in loaded.killers:
        if suite.case(case_id).outcome in (Outcome.MISSING, Outcome.SKIPPED):
            outcome = suite.case(case_id).outcome.value
            message = f"{case_id} is {outcome} under the mutant, so it says nothing"
            return _fault(Verdict.INCONCLUSIVE, depth, Blame.TESTS, f"case-{outcome}", message)
    return None


def _fault(verdict: Verdict, depth: Depth, blame: Blame, slug: str, message: str, advice: str = "") -> Judgement:
    return Judgement(verdict, depth, blame, (Reason(slug, message, advice),))
