"""Owns the tests of text and JSON: every verdict that is not killed is explained, and the JSON fits its schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from mutkit.judge import conclude, judge
from mutkit.model.effect import Effect, Returned
from mutkit.model.judgement import Verdict
from mutkit.model.observation import Evidence, Hindrance
from mutkit.model.result import RunResult, SpecResult
from mutkit.report import as_json, final_lines, judged_lines, report_schema
from tests.builders import CRASHED, DEFECTIVE, HEALTHY, KILLER, OTHER, case, evidence, failed, loaded_spec, variant

EVIDENCE: dict[str, Evidence] = {
    "killed": evidence(variant(DEFECTIVE, failed(KILLER), case(OTHER))),
    "survived": evidence(variant(DEFECTIVE, case(KILLER), case(OTHER))),
    "collateral": evidence(variant(DEFECTIVE, failed(KILLER), failed(OTHER))),
    "wrong-reason": evidence(variant(CRASHED, failed(KILLER), case(OTHER))),
    "unfaithful": evidence(variant(CRASHED, case(KILLER), case(OTHER))),
    "no-effect": evidence(variant(HEALTHY, case(KILLER), case(OTHER))),
    "stale": Evidence(hindrance=Hindrance("anchor-missing", "no place\n  near miss: m.py:3: x")),
    "not-viable": Evidence(hindrance=Hindrance("result-syntax", "line 3")),
    "inconclusive": evidence(None),
}


def _result(seen: Evidence) -> RunResult:
    loaded = loaded_spec()
    judgement = judge(loaded, seen)
    conclusion = conclude([judgement.verdict], selected=1)
    return RunResult(1, (SpecResult(loaded, None, seen, judgement),), conclusion, ("specs/drafts",), (), (), 1.5)


def _text(seen: Evidence) -> str:
    return "\n".join(text for _, text in final_lines(_result(seen)))


@pytest.mark.parametrize("verdict", list(EVIDENCE))
def test_the_json_of_every_verdict_fits_its_schema(verdict: str) -> None:
    """The report is documented, and every verdict can be in it."""
    report: dict[str, Any] = json.loads(json.dumps(as_json(_result(EVIDENCE[verdict]))))
    jsonschema.validate(report, report_schema())
    assert report["judgements"][0]["verdict"] == verdict
    assert report["counts"][verdict] == 1
    assert report["counts"]["selected"] == 1


@pytest.mark.parametrize("verdict", [verdict for verdict in EVIDENCE if verdict != "killed"])
def test_every_verdict_that_is_not_killed_is_explained(verdict: str) -> None:
    """A red without an explanation is the second worst thing: model, reality, blame and next step are told."""
    text = _text(EVIDENCE[verdict])
    assert f"{verdict}: specs/c/a-spec.toml" in text
    assert 'modelled  it returns "Completed"' in text
    assert "to act: " in text
    if EVIDENCE[verdict].mutant is not None:
        assert "really    it returned" in text
        assert f"case      {KILLER}" in text
    assert "do next" in text


@pytest.mark.parametrize(
    ("verdict", "telling"),
    [
        ("survived", f"{KILLER} passed under the mutant"),
        ("collateral", f"{OTHER} was passed and now is failed"),
        ("wrong-reason", 'modelled: it returns "Completed"; really: it returned "something else"'),
    ],
)
def test_the_one_line_of_a_spec_tells_what_speaks_for_its_verdict(verdict: str, telling: str) -> None:
    """That the mutant did what is modelled is no reason for *survived*."""
    ((_, line),) = judged_lines(_result(EVIDENCE[verdict]).results[0])
    assert line.startswith(f"{verdict:<15} c/a-spec: {telling}")


def test_a_case_that_is_skipped_or_gone_under_the_mutant_is_named_in_both_reports() -> None:
    """The author is told to name the further cases, so they are named."""
    seen = evidence(variant(DEFECTIVE, failed(KILLER)))
    assert f"{OTHER} was passed and now is missing" in _text(seen)
    rows = as_json(_result(seen))["judgements"][0]["cases"]
    assert [(row["id"], row["was"], row["outcome"]) for row in rows if not row["named"]] == [
        (OTHER, "passed", "missing")
    ]


def test_a_killed_spec_is_one_line_and_no_account() -> None:
    """What is well needs no page."""
    text = _text(EVIDENCE["killed"])
    assert "defect" not in text
    ((_, line),) = judged_lines(_result(EVIDENCE["killed"]).results[0])
    assert line.startswith("killed          c/a-spec: it returned")


def test_counts_of_all_verdicts_and_the_reason_of_the_exit_code_are_always_told() -> None:
    """A zero is told too, and what was left out."""
    for seen in EVIDENCE.values():
        text = _text(seen)
        for verdict in Verdict:
            assert f" {verdict.value}" in text
        assert "exit " in text.splitlines()[-1]
        assert "specs/drafts" in text


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        (Returned(b"\xff"), {"base64": "/w=="}),
        (Returned("x" * 10000), {"length": 10000, "head": "x" * 4096, "tail": "x" * 4096}),
    ],
    ids=["no text", "long"],
)
def test_values_that_json_cannot_hold_or_that_are_long_say_what_they_are(
    effect: Effect, expected: dict[str, Any]
) -> None:
    """A report stays small and honest."""
    seen = evidence(variant(effect, failed(KILLER), case(OTHER)))
    value = as_json(_result(seen))["judgements"][0]["observed"]["mutant"]["value"]
    assert {key: value[key] for key in expected} == expected


LONG = evidence(variant(DEFECTIVE, failed(KILLER, "ValueError", 'said {"a": "b"} ' * 20 + "x" * 150), case(OTHER)))


def test_what_was_stated_and_what_really_came_stand_below_one_another() -> None:
    """The two that have to be compared begin in the same column."""
    lines = _text(LONG).splitlines()
    (really,) = (line for line in lines if line.lstrip().startswith("really") and "ValueError" in line)
    (stated,) = (line for line in lines if line.lstrip().startswith("stated"))
    assert really.index("ValueError: ") == stated.index("AssertionError: ")


@pytest.mark.parametrize("width", [60, 80, 100])
def test_on_a_terminal_the_account_is_wrapped_to_its_width_and_zeros_are_left_out(width: int) -> None:
    """Nothing is lost, every line fits, what belongs to a line is indented below it."""
    lines = final_lines(_result(LONG), width)
    assert max(len(text) for _, text in lines) <= width
    told = "".join("".join(text for _, text in lines).split())
    for _, text in final_lines(_result(LONG)):
        if "survived" not in text:
            assert "".join(text.split()) in told
    first = next(at for at, (_, text) in enumerate(lines) if "ValueError" in text)
    assert lines[first + 1][1].startswith(" " * 14)
    assert lines[first + 1][0] == lines[first][0]
    (counts,) = (text for _, text in lines if text.endswith("(1.5 s)"))
    assert counts == "1 wrong-reason (1.5 s)"


def test_without_a_terminal_nothing_is_wrapped() -> None:
    """A log is searched by line."""
    assert max(len(line) for line in _text(LONG).splitlines()) > 250


def test_the_id_of_a_case_is_never_broken() -> None:
    """It is copied from the terminal into a command."""
    long_id = "tests/test_it.py::test_" + "named_" * 20
    seen = evidence(variant(DEFECTIVE, failed(KILLER), failed(long_id)))
    loaded = loaded_spec(may_fail=[long_id], defect="word " * 30)
    result = SpecResult(loaded, None, seen, judge(loaded, seen))
    run = RunResult(1, (result,), conclude([result.judgement.verdict], selected=1), (), (), (), 1.5)
    assert f"  case      {long_id}" in [text for _, text in final_lines(run, 60)]
