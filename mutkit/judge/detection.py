"""Owns detection: whether exactly the named cases noticed, each for its stated reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from mutkit.model.case import BROKEN, CaseRecord, Outcome, SuiteRun
from mutkit.model.describe import describe_matcher, quoted
from mutkit.model.judgement import Detected, Reason
from mutkit.model.observation import VariantRun
from mutkit.model.spec import Because, LoadedSpec, fits


@dataclass(frozen=True)
class Detection:
    """What the cases did under the mutant.

    ``column`` of the decision table; ``wrong_because`` killers that failed for another reason; ``unstable`` reasons
    where repeats disagree; ``any_difference`` whether any case ended or recorded otherwise than on the baseline;
    ``reasons`` for people.
    """

    column: Detected
    wrong_because: tuple[str, ...]
    unstable: tuple[Reason, ...]
    any_difference: bool
    reasons: tuple[Reason, ...]


def noticed(suite: SuiteRun, cases: Iterable[str]) -> frozenset[str]:
    """Return those of ``cases`` that failed or had an error, for whatever reason."""
    return frozenset(case_id for case_id in cases if suite.case(case_id).outcome in BROKEN)


def kept_out(suite: SuiteRun, cases: Iterable[str], sign: str) -> frozenset[str]:
    """Return those of ``cases`` that are missing because loading their file failed with an error that holds ``sign``.

    Loading is that of the case's own file, of a conftest.py or package above it, or of a plugin of the suite.
    """
    places = []
    for trouble in suite.troubles:
        if sign not in trouble.message:
            continue
        if trouble.slug == "report-missing":
            places.append(PurePosixPath())
        elif trouble.slug == "collection-failed":
            place = PurePosixPath(trouble.message.partition(": ")[0])
            # A conftest.py or an __init__.py stands for its whole folder.
            places.append(place.parent if place.name in ("conftest.py", "__init__.py") else place)
    return frozenset(
        case_id
        for case_id in cases
        if suite.case(case_id).outcome is Outcome.MISSING
        and any(PurePosixPath(case_id.partition("::")[0]).is_relative_to(place) for place in places)
    )


def detect(loaded: LoadedSpec, baseline: VariantRun, mutant: VariantRun) -> Detection:
    """Return what the named cases, and all others, did under the mutant."""
    run = mutant.suite
    before = baseline.suite
    if run is None or before is None:
        missing = Reason("cases-not-run", "the cases were not run under the mutant")
        return Detection(Detected.NONE, (), (), any_difference=False, reasons=(missing,))
    killers = {case_id: run.case(case_id) for case_id in loaded.killers}
    good = [case_id for case_id, record in killers.items() if fits(loaded.killers[case_id], record)]
    wrong = [i for i, record in killers.items() if record.outcome in BROKEN and i not in good]
    quiet = [case_id for case_id in killers if case_id not in good and case_id not in wrong]
    others = _others(loaded, before, run)
    column = _column(failed=bool(good or wrong), quiet=bool(quiet), others=bool(others))
    reasons = (
        *(_wrong(case_id, loaded.killers[case_id], killers[case_id]) for case_id in wrong),
        *(Reason("killer-passed", f"{case_id} {killers[case_id].outcome.value} under the mutant") for case_id in quiet),
        *(Reason("other-case-failed", text) for text in others),
        *([Reason("killers-failed", _all_failed(good))] if good and not (wrong or quiet or others) else []),
    )
    return Detection(column, tuple(wrong), _unstable(loaded, mutant), _differs(before, run), reasons)


def _column(*, failed: bool, quiet: bool, others: bool) -> Detected:
    if not failed:  # whatever others did: none of the named cases noticed
        return Detected.NONE
    if quiet:
        return Detected.PART
    return Detected.OTHERS_TOO if others else Detected.EXACT


def _all_failed(good: list[str]) -> str:
    if len(good) == 1:
        return f"{good[0]} failed for the stated reason, and no other case did"
    return f"{len(good)} named cases failed for their stated reasons, and no other case did"


def _others(loaded: LoadedSpec, before: SuiteRun, run: SuiteRun) -> list[str]:
    """Return a sentence for each case, neither named nor allowed, that ended otherwise than on the baseline."""
    sentences = []
    seen = {record.id for record in run.cases}
    spared = loaded.killers.keys() | loaded.may_fail
    for record in run.cases:
        earlier = before.case(record.id).outcome
        if record.id not in spared and record.outcome is not earlier:
            why = f" ({record.exception}: {quoted(record.message, 120)})" if record.exception else ""
            sentences.append(f"{record.id} was {earlier.value} and now is {record.outcome.value}{why}")
    sentences += [
        f"{record.id} was {record.outcome.value} and now is missing"
        for record in before.cases
        if record.id not in seen and record.id not in spared
    ]
    return sentences


def _wrong(case_id: str, because: Because, record: CaseRecord) -> Reason:
    wanted = because.raises + ("" if because.message is None else f": {describe_matcher(because.message)}")
    given = f"{record.exception or record.outcome.value}: {quoted(record.message)}"
    place = f" at {record.place}" if record.place else ""
    return Reason(
        "wrong-because",
        f"{case_id} failed, but not for its reason: stated {wanted}; really {given}{place}",
        "Correct the mutation or the case; change `because` only if the real reason is the defect itself.",
    )


def _unstable(loaded: LoadedSpec, mutant: VariantRun) -> tuple[Reason, ...]:
    if mutant.suite is None:
        return ()
    reasons = []
    for number, again in enumerate(mutant.confirmations, 2):
        for case_id, because in loaded.killers.items():
            first, later = mutant.suite.case(case_id), again.case(case_id)
            if fits(because, first) and not fits(because, later):
                reasons.append(
                    Reason(
                        "repeats-disagree",
                        f"{case_id} failed in run 1 and {later.outcome.value} in run {number} of the same mutant"
                        + (f" ({later.exception}: {quoted(later.message, 120)})" if later.exception else ""),
                        "Make the case deterministic: a case that fails now and then proves nothing.",
                    )
                )
    return tuple(reasons)


def _differs(before: SuiteRun, run: SuiteRun) -> bool:
    return {(c.id, c.outcome, repr(c.observed)) for c in before.cases} != {
        (c.id, c.outcome, repr(c.observed)) for c in run.cases
    }
