"""Owns the tests of the whole decision table: every row and column, and what comes before the table."""

from __future__ import annotations

import pytest

from mutkit.judge import TABLE, judge
from mutkit.model.case import CaseRecord, Outcome, Trouble
from mutkit.model.effect import Effect, Expectation, Hung, NothingSeen, Returned
from mutkit.model.judgement import Blame, Depth, Detected, Shown, Verdict
from mutkit.model.observation import Canary, Evidence, Hindrance, VariantRun
from tests.builders import (
    BECAUSE,
    CRASHED,
    DEFECTIVE,
    HEALTHY,
    KILLER,
    OTHER,
    case,
    evidence,
    failed,
    green,
    loaded_spec,
    suite_run,
    variant,
)

EFFECTS: dict[Shown, Effect] = {Shown.MODELLED: DEFECTIVE, Shown.OTHER: CRASHED, Shown.SAME: HEALTHY}
SECOND = "tests/test_it.py::test_second"
CASES: dict[Detected, tuple[CaseRecord, ...]] = {
    Detected.EXACT: (failed(KILLER), failed(SECOND), case(OTHER)),
    Detected.PART: (failed(KILLER), case(SECOND), case(OTHER)),
    Detected.OTHERS_TOO: (failed(KILLER), failed(SECOND), failed(OTHER)),
    Detected.NONE: (case(KILLER), case(SECOND), case(OTHER)),
}
EXPECTED = {
    "modelled": {"exact": "killed", "part": "survived", "others-too": "collateral", "none": "survived"},
    "other": {
        "exact": "wrong-reason",
        "part": "wrong-reason",
        "others-too": "wrong-reason",
        "none": "unfaithful",
    },
    "same": {"exact": "no-effect", "part": "no-effect", "others-too": "no-effect", "none": "no-effect"},
}


def _verdict(shown: Shown, detected: Detected) -> Verdict:
    loaded = loaded_spec(killers={KILLER: BECAUSE, SECOND: BECAUSE})
    before = suite_run(case(KILLER), case(SECOND), case(OTHER))
    seen = evidence(
        variant(EFFECTS[shown], *CASES[detected]),
        baseline=VariantRun(HEALTHY, before),
        null=VariantRun(HEALTHY, before),
    )
    return judge(loaded, seen).verdict


def test_every_cell_of_the_decision_table_is_as_the_design_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Each of the twelve cells is judged from full evidence; the table is printed as the run found it."""
    found = {shown.value: {detected.value: _verdict(shown, detected).value for detected in Detected} for shown in Shown}
    with capsys.disabled():
        print("\nprogram shows | " + " | ".join(f"{d.value:<13}" for d in Detected))
        for shown, row in found.items():
            print(f"{shown:<13} | " + " | ".join(f"{row[d.value]:<13}" for d in Detected))
    assert found == EXPECTED


def test_the_table_has_a_cell_for_every_row_and_column() -> None:
    """No combination can fall through to a default."""
    assert set(TABLE) == {(shown, detected) for shown in Shown for detected in Detected}


def test_a_modelled_defect_with_a_killer_that_failed_for_another_reason_is_wrong_reason() -> None:
    """The because is part of the verdict: the wording of an error is not the defect."""
    judgement = judge(loaded_spec(), evidence(variant(DEFECTIVE, failed(KILLER, message="other words"), case(OTHER))))
    assert judgement.verdict is Verdict.WRONG_REASON
    assert any("other words" in reason.message for reason in judgement.reasons)


def test_a_killed_spec_is_revealed_and_nobody_is_to_blame() -> None:
    """The one good verdict has the greatest depth."""
    judgement = judge(loaded_spec(), evidence(variant(DEFECTIVE, failed(KILLER), case(OTHER))))
    assert (judgement.verdict, judgement.depth, judgement.blame) == (Verdict.KILLED, Depth.REVEALED, Blame.NOBODY)


def test_a_case_that_may_fail_is_not_collateral() -> None:
    """``may_fail`` excuses exactly the cases that it lists."""
    run = variant(DEFECTIVE, failed(KILLER), failed(OTHER))
    assert judge(loaded_spec(), evidence(run)).verdict is Verdict.COLLATERAL
    assert judge(loaded_spec(may_fail=[OTHER]), evidence(run)).verdict is Verdict.KILLED


@pytest.mark.parametrize("outcome", [Outcome.SKIPPED, Outcome.MISSING])
def test_another_case_that_is_skipped_or_gone_under_the_mutant_is_collateral(outcome: Outcome) -> None:
    """A case need not fail to have noticed: it must end as on the baseline."""
    others = [] if outcome is Outcome.MISSING else [case(OTHER, outcome)]
    assert judge(loaded_spec(), evidence(variant(DEFECTIVE, failed(KILLER), *others))).verdict is Verdict.COLLATERAL


DISAGREEING = (suite_run(failed(KILLER)), suite_run(case(KILLER)))
CUT_SHORT = (suite_run(failed(KILLER), complete=False),) * 2
ONCE = suite_run(failed(KILLER), case(OTHER))

BEFORE_THE_TABLE: list[tuple[str, Evidence, Verdict, str]] = [
    ("stale", Evidence(hindrance=Hindrance("anchor-missing", "no match")), Verdict.STALE, "anchor-missing"),
    ("no-effect rewrite", Evidence(hindrance=Hindrance("rewrite-no-effect", "x")), Verdict.STALE, "rewrite-no-effect"),
    ("does not parse", Evidence(hindrance=Hindrance("result-syntax", "x")), Verdict.NOT_VIABLE, "result-syntax"),
    ("no controls", Evidence(), Verdict.INCONCLUSIVE, "not-run"),
    ("mutant not run", evidence(None), Verdict.INCONCLUSIVE, "not-run"),
    (
        "red baseline",
        evidence(None, baseline=VariantRun(HEALTHY, suite_run(case(KILLER), failed(OTHER)))),
        Verdict.BASELINE_FAILED,
        "baseline-red",
    ),
    (
        "healthy not shown",
        evidence(None, baseline=VariantRun(CRASHED, green())),
        Verdict.BASELINE_FAILED,
        "healthy-not-shown",
    ),
    (
        "nothing collected",
        evidence(None, baseline=VariantRun(HEALTHY, suite_run(troubles=(Trouble("nothing-collected", "none"),)))),
        Verdict.INCONCLUSIVE,
        "nothing-collected",
    ),
    (
        "zero cases without a word",
        evidence(None, baseline=VariantRun(HEALTHY, suite_run())),
        Verdict.INCONCLUSIVE,
        "nothing-collected",
    ),
    (
        "named case does not exist",
        evidence(None, baseline=VariantRun(HEALTHY, suite_run(case(OTHER)))),
        Verdict.INCONCLUSIVE,
        "case-missing",
    ),
    (
        "named case is skipped",
        evidence(None, baseline=VariantRun(HEALTHY, suite_run(case(KILLER, Outcome.SKIPPED)))),
        Verdict.INCONCLUSIVE,
        "killer-not-run",
    ),
    (
        "probe cannot start",
        evidence(None, baseline=VariantRun(NothingSeen("probe-not-started", "no such file"), green())),
        Verdict.INCONCLUSIVE,
        "probe-not-started",
    ),
    ("null not run", evidence(None, null=None), Verdict.INCONCLUSIVE, "null-not-run"),
    (
        "null differs",
        evidence(None, null=VariantRun(HEALTHY, suite_run(case(KILLER), failed(OTHER)))),
        Verdict.UNSTABLE,
        "baseline-unstable",
    ),
    (
        "null shows another effect",
        evidence(None, null=VariantRun(CRASHED, green())),
        Verdict.UNSTABLE,
        "baseline-unstable",
    ),
    ("canary not run", evidence(None, canary=None), Verdict.INCONCLUSIVE, "canary-not-run"),
    (
        "canary not noticed",
        evidence(None, canary=Canary(frozenset({OTHER}), HEALTHY)),
        Verdict.INCONCLUSIVE,
        "canary-unnoticed",
    ),
    (
        "canary neither run nor noticed",
        evidence(None, canary=Canary(frozenset(), HEALTHY, executed=False)),
        Verdict.INCONCLUSIVE,
        "mutant-not-loaded",
    ),
    (
        "canary noticed by a case that never ran it",
        evidence(None, canary=Canary(frozenset({KILLER}), HEALTHY, executed=False)),
        Verdict.INCONCLUSIVE,
        "mutant-not-loaded",
    ),
    (
        "null in trouble",
        evidence(
            None, null=VariantRun(HEALTHY, suite_run(case(KILLER), case(OTHER), troubles=(Trouble("wrong-tree", "x"),)))
        ),
        Verdict.INCONCLUSIVE,
        "wrong-tree",
    ),
    (
        "null cut short",
        evidence(None, null=VariantRun(HEALTHY, suite_run(case(KILLER), case(OTHER), complete=False))),
        Verdict.INCONCLUSIVE,
        "null-not-run",
    ),
    (
        "null shows the defect that a loose healthy allows",
        evidence(None, null=VariantRun(DEFECTIVE, green())),
        Verdict.UNSTABLE,
        "baseline-unstable",
    ),
    (
        "a killer that does not pass alone",
        evidence(None, null=VariantRun(HEALTHY, green(), (suite_run(failed(KILLER)),))),
        Verdict.UNSTABLE,
        "killer-needs-others",
    ),
    ("null not looked at", evidence(None, null=VariantRun(None, green())), Verdict.INCONCLUSIVE, "null-not-run"),
    (
        "fewer repeats than were due",
        evidence(variant(DEFECTIVE, failed(KILLER), case(OTHER), confirmations=())),
        Verdict.INCONCLUSIVE,
        "not-run",
    ),
    (
        "a repeat in trouble",
        evidence(
            variant(
                DEFECTIVE,
                failed(KILLER),
                case(OTHER),
                confirmations=(suite_run(failed(KILLER), troubles=(Trouble("wrong-tree", "x"),)),) * 2,
            )
        ),
        Verdict.INCONCLUSIVE,
        "wrong-tree",
    ),
    (
        "a repeat cut short",
        evidence(variant(DEFECTIVE, failed(KILLER), case(OTHER), confirmations=CUT_SHORT)),
        Verdict.INCONCLUSIVE,
        "report-cut-short",
    ),
    (
        "looked at twice, another effect",
        evidence(VariantRun(DEFECTIVE, ONCE, (ONCE, ONCE), later=(HEALTHY, CRASHED))),
        Verdict.UNSTABLE,
        "repeats-disagree",
    ),
    ("hang", evidence(variant(Hung(5.0), failed(KILLER))), Verdict.TIMED_OUT, "probe-timed-out"),
    (
        "import fails in the probe",
        evidence(variant(NothingSeen("probe-import-failed", "ImportError"), failed(KILLER))),
        Verdict.NOT_VIABLE,
        "probe-import-failed",
    ),
    (
        "collection fails",
        evidence(VariantRun(DEFECTIVE, suite_run(troubles=(Trouble("collection-failed", "NameError"),)))),
        Verdict.NOT_VIABLE,
        "collection-failed",
    ),
    (
        "suite times out",
        evidence(
            VariantRun(
                DEFECTIVE, suite_run(failed(KILLER), troubles=(Trouble("suite-timed-out", "t"),), complete=False)
            )
        ),
        Verdict.TIMED_OUT,
        "suite-timed-out",
    ),
    (
        "report cut short",
        evidence(
            VariantRun(
                DEFECTIVE, suite_run(failed(KILLER), troubles=(Trouble("report-cut-short", "_exit"),), complete=False)
            )
        ),
        Verdict.INCONCLUSIVE,
        "report-cut-short",
    ),
    (
        "report incomplete without a word",
        evidence(VariantRun(DEFECTIVE, suite_run(failed(KILLER), complete=False))),
        Verdict.INCONCLUSIVE,
        "report-cut-short",
    ),
    (
        "cases not run",
        evidence(VariantRun(DEFECTIVE, None)),
        Verdict.INCONCLUSIVE,
        "not-run",
    ),
    (
        "named case vanishes",
        evidence(variant(DEFECTIVE, case(OTHER))),
        Verdict.INCONCLUSIVE,
        "case-missing",
    ),
    (
        "repeats disagree",
        evidence(
            variant(
                DEFECTIVE,
                failed(KILLER),
                case(OTHER),
                confirmations=DISAGREEING,
            )
        ),
        Verdict.UNSTABLE,
        "repeats-disagree",
    ),
]


@pytest.mark.parametrize(
    ("seen", "verdict", "slug"), [row[1:] for row in BEFORE_THE_TABLE], ids=[row[0] for row in BEFORE_THE_TABLE]
)
def test_what_comes_before_the_table_has_a_verdict_and_a_reason_of_its_own(
    seen: Evidence, verdict: Verdict, slug: str
) -> None:
    """Each unsound, unviable or unreadable run is told apart by verdict and slug."""
    judgement = judge(loaded_spec(), seen)
    assert (judgement.verdict, judgement.reasons[0].slug) == (verdict, slug)


def test_a_baseline_that_already_shows_the_defect_cannot_prove_anything() -> None:
    """The healthy observation may not satisfy [defective]."""
    loose = loaded_spec(defective=Expectation(returns="*"))
    judgement = judge(loose, evidence(variant(DEFECTIVE, failed(KILLER))))
    assert (judgement.verdict, judgement.reasons[0].slug) == (Verdict.BASELINE_FAILED, "defective-already-shown")


def test_a_modelled_hang_is_killed_when_the_cases_notice() -> None:
    """A hang counts only where it is modelled."""
    hang = loaded_spec(defective=Expectation(hangs=True))
    assert judge(hang, evidence(variant(Hung(5.0), failed(KILLER), case(OTHER)))).verdict is Verdict.KILLED


def test_a_killer_that_was_red_in_the_baseline_is_never_a_kill() -> None:
    """Whatever the mutant does, a red baseline decides."""
    red = VariantRun(HEALTHY, suite_run(failed(KILLER), case(OTHER)))
    seen = evidence(variant(DEFECTIVE, failed(KILLER), case(OTHER)), baseline=red, null=red)
    assert judge(loaded_spec(), seen).verdict is Verdict.BASELINE_FAILED


def test_depth_is_infected_when_only_the_cases_own_records_differ() -> None:
    """State that differs without reaching what the probe reads is infection, not propagation."""
    changed = CaseRecord(KILLER, Outcome.PASSED, observed=("draft",))
    judgement = judge(loaded_spec(), evidence(variant(HEALTHY, changed, case(OTHER))))
    assert (judgement.verdict, judgement.depth) == (Verdict.NO_EFFECT, Depth.INFECTED)


def test_depth_is_reached_when_only_the_canary_was_noticed() -> None:
    """The canary proves that the place is run, nothing more."""
    judgement = judge(loaded_spec(), evidence(variant(HEALTHY, case(KILLER), case(OTHER))))
    assert (judgement.verdict, judgement.depth) == (Verdict.NO_EFFECT, Depth.REACHED)


def test_an_answer_of_another_kind_is_not_the_modelled_one() -> None:
    """The text of an error can never pass for a returned text."""
    from mutkit.model.effect import Refused

    judgement = judge(loaded_spec(), evidence(variant(Refused(-32603, "Completed"), failed(KILLER), case(OTHER))))
    assert judgement.verdict is Verdict.WRONG_REASON


def test_an_observation_that_meets_healthy_counts_as_the_baselines_even_if_its_bytes_differ() -> None:
    """A session id that changes from run to run is no effect of the mutation."""
    loose = loaded_spec(healthy=Expectation(returns="answer*"))
    judgement = judge(loose, evidence(variant(Returned("answer 2"), case(KILLER), case(OTHER))))
    assert judgement.verdict is Verdict.NO_EFFECT


def test_a_case_that_may_fail_but_does_not_exist_is_told() -> None:
    """An excuse for a case that nobody has excuses nothing: the id is wrong."""
    judgement = judge(loaded_spec(may_fail=["tests/test_it.py::test_gone"]), evidence(None))
    assert (judgement.verdict, judgement.reasons[0].slug) == (Verdict.INCONCLUSIVE, "case-missing")


def test_a_mutant_that_meets_healthy_as_well_as_defective_is_never_killed() -> None:
    """A loose [healthy] cannot hide that the mutant does what healthy programs may do."""
    loose = loaded_spec(healthy=Expectation(returns="*"), defective=Expectation(returns="Completed"))
    judgement = judge(loose, evidence(variant(DEFECTIVE, failed(KILLER), case(OTHER))))
    assert (judgement.verdict, judgement.reasons[0].slug) == (Verdict.INCONCLUSIVE, "healthy-too-loose")


@pytest.mark.parametrize(("effect", "verdict"), [(DEFECTIVE, Verdict.SURVIVED), (CRASHED, Verdict.UNFAITHFUL)])
def test_cases_that_are_not_named_do_not_stand_in_for_those_that_are(effect: Effect, verdict: Verdict) -> None:
    """None of the named cases noticed, whatever others did."""
    assert judge(loaded_spec(), evidence(variant(effect, case(KILLER), failed(OTHER)))).verdict is verdict


def test_a_mutant_that_showed_nothing_was_not_seen_to_propagate() -> None:
    """Depth is what was seen."""
    nothing = NothingSeen("nothing-recorded", "it recorded nothing")
    judgement = judge(loaded_spec(), evidence(variant(nothing, failed(KILLER), case(OTHER))))
    assert (judgement.verdict, judgement.depth) == (Verdict.WRONG_REASON, Depth.INFECTED)
