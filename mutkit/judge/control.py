"""Owns the control question: is the run itself sound - green baseline, healthy probe, honest machinery, loaded file?"""

from __future__ import annotations

from mutkit.model.case import BROKEN, Outcome, SuiteRun
from mutkit.model.describe import describe_effect, describe_expectation, quoted
from mutkit.model.effect import NothingSeen, same_effect, shows
from mutkit.model.isolation import Isolation
from mutkit.model.judgement import Blame, Depth, Judgement, Reason, Verdict
from mutkit.model.observation import Controls, VariantRun
from mutkit.model.spec import LoadedSpec

CANNOT_RUN = frozenset({"suite-not-started", "report-missing", "wrong-tree"})
"""Troubles that say that this environment cannot run the suite at all."""

UNREADABLE = frozenset({"probe-not-started", "output-over-cap", "probe-lost", "wrong-tree"})
"""Slugs of a probe that say nothing about the program."""


def control_fault(loaded: LoadedSpec, controls: Controls) -> Judgement | None:
    """Return the judgement that a failed control forces on the spec, or None when all controls hold."""
    return (
        _suite_fault(loaded, controls.baseline.suite)
        or _probe_fault(loaded, controls.baseline)
        or _null_fault(loaded, controls)
        or _canary_fault(loaded, controls)
    )


def holds(loaded: LoadedSpec, baseline: VariantRun) -> bool:
    """Return whether the baseline alone lets the spec be judged: green, and healthy."""
    return _suite_fault(loaded, baseline.suite) is None and _probe_fault(loaded, baseline) is None


def reached(loaded: LoadedSpec, controls: Controls) -> Depth:
    """Return *reached* when the canary in the anchor's scope was noticed by a killer or by the probe."""
    canary = controls.canary
    if canary is None:
        return Depth.UNKNOWN
    by_probe = (
        canary.effect is not None
        and controls.baseline.effect is not None
        and not same_effect(canary.effect, controls.baseline.effect)
    )
    return Depth.REACHED if by_probe or canary.failed & loaded.killers.keys() else Depth.UNKNOWN


def _fault(verdict: Verdict, blame: Blame, *reasons: Reason) -> Judgement:
    return Judgement(verdict, Depth.UNKNOWN, blame, reasons)


def _suite_fault(loaded: LoadedSpec, suite: SuiteRun | None) -> Judgement | None:
    if suite is None:
        return _fault(Verdict.INCONCLUSIVE, Blame.HOST, Reason("not-run", "the suite was not run on the baseline"))
    red = [record for record in suite.cases if record.outcome in BROKEN]
    if red:
        reasons = [
            Reason(
                "baseline-red",
                f"{record.id} {record.outcome.value} on the unmutated tree: {record.exception}: "
                f"{quoted(record.message, 160)}",
                "Make the suite green first: on a red baseline everything looks caught.",
            )
            for record in red[:5]
        ]
        if len(red) > len(reasons):
            reasons.append(Reason("baseline-red", f"{len(red) - len(reasons)} more cases are red"))
        reasons += _closed_network(suite.isolation, "the cases", "[suite]")
        return _fault(Verdict.BASELINE_FAILED, Blame.SUBJECT, *reasons)
    for trouble in suite.troubles:
        if trouble.slug in ("suite-timed-out", "collection-failed"):
            return _fault(Verdict.BASELINE_FAILED, Blame.SUBJECT, Reason(trouble.slug, trouble.message))
        blame = Blame.SPEC if trouble.slug == "case-missing" else Blame.SUBJECT
        blame = Blame.HOST if trouble.slug in CANNOT_RUN else blame
        return _fault(Verdict.INCONCLUSIVE, blame, Reason(trouble.slug, trouble.message))
    if not suite.complete or not suite.cases:
        slug = "report-cut-short" if suite.cases else "nothing-collected"
        return _fault(
            Verdict.INCONCLUSIVE, Blame.HOST, Reason(slug, f"the suite's run ended with {suite.result.ending}")
        )
    return _killers_fault(loaded, suite)


def _closed_network(isolation: Isolation | None, who: str, where: str) -> list[Reason]:
    """Return what may be behind a baseline that fails: what it needs may be out of its reach."""
    if isolation is None or not isolation.closed:
        return []
    message = f"{who} could reach no network but a loopback"
    return [Reason("network-closed", message, f'If that is why it fails, set network = "host" in {where}.')]


def _killers_fault(loaded: LoadedSpec, suite: SuiteRun) -> Judgement | None:
    for case_id in [*loaded.killers, *sorted(loaded.may_fail)]:
        outcome = suite.case(case_id).outcome
        if outcome is not Outcome.MISSING and case_id not in loaded.killers:
            continue
        if outcome is Outcome.MISSING:
            near = sorted(c.id for c in suite.cases if c.id.split("[")[0] == case_id.split("[")[0])[:5]
            hint = f"Did you mean {', '.join(near)}?" if near else "Name a case that the suite has."
            reason = Reason("case-missing", f"the suite has no case {case_id}", hint)
            return _fault(Verdict.INCONCLUSIVE, Blame.SPEC, reason)
        if outcome is not Outcome.PASSED:
            reason = Reason(
                "killer-not-run",
                f"{case_id} is {outcome.value} on the baseline",
                "A case that does not run cannot notice.",
            )
            return _fault(Verdict.INCONCLUSIVE, Blame.TESTS, reason)
    return None


def _probe_fault(loaded: LoadedSpec, baseline: VariantRun) -> Judgement | None:
    effect = baseline.effect
    if effect is None:
        return _fault(Verdict.INCONCLUSIVE, Blame.HOST, Reason("not-run", "the healthy behaviour was not looked at"))
    if isinstance(effect, NothingSeen) and effect.slug in UNREADABLE:
        return _fault(Verdict.INCONCLUSIVE, Blame.HOST, Reason(effect.slug, effect.reason))
    if not shows(loaded.spec.healthy, effect):
        reason = Reason(
            "healthy-not-shown",
            f"the unmutated program must be seen to be healthy: it {describe_expectation(loaded.spec.healthy)};"
            f" really: it {describe_effect(effect)}",
            "Correct [healthy] or the probe.",
        )
        closed = _closed_network(baseline.probe_isolation, "the probed program", "the probe")
        return _fault(Verdict.BASELINE_FAILED, Blame.SPEC, reason, *closed)
    if shows(loaded.spec.defective, effect):
        reason = Reason(
            "defective-already-shown",
            f"the unmutated program already shows what [defective] says: it {describe_effect(effect)}",
            "Make [defective] narrower: an expectation that healthy code meets proves nothing.",
        )
        return _fault(Verdict.BASELINE_FAILED, Blame.SPEC, reason)
    return None


def _null_fault(loaded: LoadedSpec, controls: Controls) -> Judgement | None:
    null, baseline = controls.null, controls.baseline
    if null is None or null.suite is None or baseline.suite is None:
        reason = Reason("null-not-run", "the null mutant (the file rewritten to itself) was not run")
        return _fault(Verdict.INCONCLUSIVE, Blame.HOST, reason)
    for trouble in null.suite.troubles:
        return _fault(Verdict.INCONCLUSIVE, Blame.SUBJECT, Reason(trouble.slug, f"null mutant: {trouble.message}"))
    if not null.suite.complete or (null.effect is None) != (baseline.effect is None):
        reason = Reason("null-not-run", "the null mutant (the file rewritten to itself) was not run to its end")
        return _fault(Verdict.INCONCLUSIVE, Blame.HOST, reason)
    before = {record.id: record.outcome for record in baseline.suite.cases}
    after = {record.id: record.outcome for record in null.suite.cases}
    changed = sorted(i for i in before.keys() | after.keys() if before.get(i) != after.get(i))
    for case_id in changed[:1]:
        was, now = (state[case_id].value if case_id in state else "missing" for state in (before, after))
        reason = Reason(
            "baseline-unstable",
            f"{case_id} was {was} on the baseline and {now} when the same program was run again",
            "Make the case deterministic, or repair what the runs share (ports, files, clocks).",
        )
        return _fault(Verdict.UNSTABLE, Blame.TESTS, reason)
    if null.effect is not None and (
        not shows(loaded.spec.healthy, null.effect) or shows(loaded.spec.defective, null.effect)
    ):
        reason = Reason(
            "baseline-unstable",
            f"the unmutated program showed it {describe_effect(baseline.effect)}; run again, it "
            f"{describe_effect(null.effect)}",
            "Make the probe deterministic.",
        )
        return _fault(Verdict.UNSTABLE, Blame.SPEC, reason)
    return _alone_fault(loaded, null)


def _alone_fault(loaded: LoadedSpec, null: VariantRun) -> Judgement | None:
    """Named cases are run alone for the canary and for repeats: on the unmutated program they must pass alone too."""
    for alone in null.confirmations:
        for case_id in loaded.killers:
            record = alone.case(case_id)
            if record.outcome is not Outcome.PASSED:
                reason = Reason(
                    "killer-needs-others",
                    f"{case_id} passes in the whole suite and is {record.outcome.value} when the named cases run alone:"
                    f" {record.exception}: {quoted(record.message, 160)}",
                    "Make the case independent of those that run before it.",
                )
                return _fault(Verdict.UNSTABLE, Blame.TESTS, reason)
    return None


def _canary_fault(loaded: LoadedSpec, controls: Controls) -> Judgement | None:
    canary = controls.canary
    if canary is None:
        return _fault(Verdict.INCONCLUSIVE, Blame.HOST, Reason("canary-not-run", "the canary was not run"))
    if canary.failed & loaded.killers.keys() and canary.executed:
        return None
    if canary.executed:
        message = (
            "the named cases run a mutant that raises in the anchor's scope, and none of them fails: they cannot tell"
            " a crash there from the healthy program"
        )
        advice = "Let a named case assert more of what the healthy program shows."
        return _fault(Verdict.INCONCLUSIVE, Blame.TESTS, Reason("canary-unnoticed", message, advice))
    done = "was never executed by the named cases" if canary.failed else "made none of the named cases fail"
    message = (
        f"a mutant that raises in the anchor's scope {done}"
        f"{': ' + canary.trouble if canary.trouble else ''}, so {loaded.spec.file} of the workspace is not what "
        f"they run"
    )
    advice = (
        "Let the cases run the workspace's file: no installed copy, no stale byte-code, paths computed from "
        "the test's own place."
    )
    return _fault(Verdict.INCONCLUSIVE, Blame.TESTS, Reason("mutant-not-loaded", message, advice))
