"""Owns the proof of the table in examples/bridge/README.md: what the suite's steps say of the generations."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.plugin_words import plugin_words

TREE = Path(__file__).resolve().parents[2]
FINDINGS_OF_THE_FIRST_REVIEW = {
    "a, the quote alone": "test_a_reply_that_quotes_a_whole_event_line",
    "b, the stale draft": "test_an_empty_final_message_is_not_replaced_by_a_draft",
    "c, the dead bridge": "test_a_text_that_is_no_string_is_an_error",
    "d, the lost tail": "test_a_reply_that_ends_within_a_character_shows_it",
}


def pytest_on_the_suite(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the documented command with these words."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        *plugin_words(),
        "-p",
        "no:cacheprovider",
        "examples/bridge/tests",
        *words,
    ]
    return subprocess.run(command, cwd=TREE, capture_output=True, text=True, check=False, timeout=100)


def run_suite(report: Path, *words: str) -> dict[str, str]:
    """Return of each case why it failed, empty where it passed."""
    done = pytest_on_the_suite(*words, f"--junitxml={report}")
    assert done.returncode in (0, 1), done.stdout + done.stderr
    cases: dict[str, str] = {}
    for case in ET.parse(report).getroot().iter("testcase"):
        assert case.find("error") is None, done.stdout
        failure = case.find("failure")
        cases[str(case.get("name"))] = "" if failure is None else str(failure.get("message"))
    return cases


def counts(cases: dict[str, str]) -> tuple[int, int]:
    """Return how many cases passed and how many failed."""
    failed = sum(1 for reason in cases.values() if reason)
    return len(cases) - failed, failed


def test_step_v1_passes_10_of_22_cases_on_the_pre_fix_bridge(tmp_path: Path) -> None:
    """The 22 cases of round one: 10 pass on the code before it, 12 fail, and a reply is 69 bytes too long."""
    cases = run_suite(tmp_path / "report.xml", "--step", "v1", "--generation", "pre-fix")
    assert counts(cases) == (10, 12)
    assert (
        f"{5 * 2**20 + 69} bytes instead of {5 * 2**20},"
        in (cases["test_a_reply_of_5_mib_of_multi_byte_text_comes_back_whole"])
    )
    assert "'Completed'" in cases["test_an_answer_of_70_kib_comes_back_whole"]


def test_step_v1_passes_all_22_cases_on_round_one(tmp_path: Path) -> None:
    """All 22 pass on round one, and one of them wrongly: it expected the truncated follow-up."""
    cases = run_suite(tmp_path / "report.xml", "--step", "v1", "--generation", "round-one")
    assert counts(cases) == (22, 0)
    assert "test_a_reply_that_quotes_a_long_event_line" in cases


def test_step_v2_shows_each_of_the_four_defects_of_round_one(tmp_path: Path) -> None:
    """Of the 30 cases, each finding of the first review fails one; the wrong expectation is corrected."""
    cases = run_suite(tmp_path / "report.xml", "--step", "v2", "--generation", "round-one")
    assert counts(cases) == (24, 6)
    assert "71712 bytes instead of 75955," in cases["test_a_reply_that_quotes_a_long_event_line"]
    reasons = {finding: cases[case] for finding, case in FINDINGS_OF_THE_FIRST_REVIEW.items()}
    assert "6 bytes instead of 119" in reasons["a, the quote alone"]
    assert "an answer instead of an error: 'draft'" in reasons["b, the stale draft"]
    assert "the bridge died with exit code 1" in reasons["c, the dead bridge"]
    assert "'' instead of '\ufffd'" in reasons["d, the lost tail"]


@pytest.mark.parametrize(("step", "size"), [("v2", 30), ("v3", 34)])
def test_the_final_bridge_passes_every_case(tmp_path: Path, step: str, size: int) -> None:
    """The final generation passes the 30 cases of step v2 and the 34 of step v3."""
    assert counts(run_suite(tmp_path / "report.xml", "--step", step)) == (size, 0)


@pytest.mark.parametrize(("mark", "size"), [("v1", 22), ("v2", 8), ("v3", 4), ("v1 or v2 or v3", 34)])
def test_each_case_bears_the_mark_of_its_step(mark: str, size: int) -> None:
    """22 cases came in step v1, 8 in v2 and 4 in v3, each selected by its mark."""
    done = pytest_on_the_suite("-m", mark, "--collect-only", "-q")
    assert sum("::" in line for line in done.stdout.splitlines()) == size
