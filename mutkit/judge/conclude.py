"""Owns the exit code: one terminal reason from all judgements, in a documented order of precedence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mutkit.errors import ExitCode
from mutkit.model.describe import counted
from mutkit.model.judgement import Verdict
from mutkit.model.result import Conclusion

FINDINGS = frozenset(
    {
        Verdict.SURVIVED,
        Verdict.WRONG_REASON,
        Verdict.COLLATERAL,
        Verdict.UNFAITHFUL,
        Verdict.NO_EFFECT,
        Verdict.NOT_VIABLE,
        Verdict.TIMED_OUT,
    }
)
"""Verdicts that say something definite against a spec or its tests."""


def conclude(verdicts: Iterable[Verdict], *, selected: int, interrupted: bool = False) -> Conclusion:
    """Return how a run over ``selected`` specs ends.

    Precedence: interrupted (130), nothing ran (5), fewer or more verdicts than specs (6), baseline failed (4),
    findings (1),
    inconclusive or unstable (6), stale only (3); 0 needs every spec to be killed.
    """
    found = list(verdicts)
    counter = Counter(found)
    counts = {verdict.value: counter[verdict] for verdict in Verdict}
    code, reason = _decide(counter, len(found), selected, interrupted=interrupted)
    return Conclusion(code, reason, counts)


def _decide(counter: Counter[Verdict], judged: int, selected: int, *, interrupted: bool) -> tuple[ExitCode, str]:
    if interrupted:
        return ExitCode.INTERRUPTED, f"interrupted: {judged} of {counted(selected, 'spec')} judged"
    if selected == 0:
        return ExitCode.NOTHING_RAN, "no spec was selected, so nothing was shown"
    if judged != selected:
        return ExitCode.INCONCLUSIVE, f"{counted(selected, 'spec')} selected, but {judged} judged"
    if counter[Verdict.BASELINE_FAILED]:
        number = counter[Verdict.BASELINE_FAILED]
        return ExitCode.BASELINE_FAILED, f"the baseline failed for {number} of {counted(selected, 'spec')}"
    findings = _listed(counter, FINDINGS)
    if findings:
        return ExitCode.FINDINGS, f"not all killed as modelled: {findings}"
    unsure = _listed(counter, {Verdict.INCONCLUSIVE, Verdict.UNSTABLE})
    if unsure:
        return ExitCode.INCONCLUSIVE, f"no verdict could be reached for some: {unsure}"
    if counter[Verdict.STALE]:
        return (
            ExitCode.STALE,
            f"{counter[Verdict.STALE]} of {counted(selected, 'spec')} stale: anchors that no longer fit",
        )
    if counter[Verdict.KILLED] == selected:
        return ExitCode.KILLED, f"{selected} of {selected} killed as modelled"
    return ExitCode.INCONCLUSIVE, "some specs ended with a verdict that has no exit code"


def _listed(counter: Counter[Verdict], among: Iterable[Verdict]) -> str:
    wanted = set(among)
    return ", ".join(
        f"{counter[verdict]} {verdict.value}" for verdict in Verdict if verdict in wanted and counter[verdict]
    )
