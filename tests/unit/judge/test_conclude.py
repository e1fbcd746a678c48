"""Owns the tests of the exit code: precedence, and that nothing defaults to success."""

from __future__ import annotations

import pytest

from mutkit.errors import ExitCode
from mutkit.judge import conclude
from mutkit.model.judgement import Verdict

V = Verdict


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([V.KILLED, V.KILLED], ExitCode.KILLED),
        ([V.KILLED, V.STALE], ExitCode.STALE),
        ([V.STALE, V.INCONCLUSIVE], ExitCode.INCONCLUSIVE),
        ([V.KILLED, V.UNSTABLE], ExitCode.INCONCLUSIVE),
        ([V.SURVIVED, V.INCONCLUSIVE, V.STALE], ExitCode.FINDINGS),
        ([V.SURVIVED, V.BASELINE_FAILED], ExitCode.BASELINE_FAILED),
        *(
            ([V.KILLED, verdict], ExitCode.FINDINGS)
            for verdict in (
                V.SURVIVED,
                V.WRONG_REASON,
                V.COLLATERAL,
                V.UNFAITHFUL,
                V.NO_EFFECT,
                V.NOT_VIABLE,
                V.TIMED_OUT,
            )
        ),
    ],
)
def test_the_worst_verdict_decides_the_exit_code(verdicts: list[Verdict], code: ExitCode) -> None:
    """The order of precedence is the documented one."""
    conclusion = conclude(verdicts, selected=len(verdicts))
    assert conclusion.code is code
    assert sum(conclusion.counts.values()) == len(verdicts)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_killed_alone_gives_zero(verdict: Verdict) -> None:
    """Every verdict but killed has a non-zero exit code."""
    assert (conclude([verdict], selected=1).code == 0) == (verdict is Verdict.KILLED)


def test_nothing_selected_is_not_success() -> None:
    """An empty selection proves nothing."""
    assert conclude([], selected=0).code is ExitCode.NOTHING_RAN


@pytest.mark.parametrize("judged", [[], [V.KILLED], [V.KILLED] * 3])
def test_fewer_or_more_judgements_than_specs_is_not_success(judged: list[Verdict]) -> None:
    """Declared must equal executed."""
    assert conclude(judged, selected=2).code is ExitCode.INCONCLUSIVE


def test_an_interrupted_run_is_130_even_if_all_that_were_judged_are_killed() -> None:
    """An early end is never a success."""
    assert conclude([V.KILLED], selected=1, interrupted=True).code is ExitCode.INTERRUPTED
