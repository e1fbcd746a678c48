"""Owns the tests of which named cases a canary kept from being loaded at all."""

from __future__ import annotations

import pytest

from mutkit.judge import kept_out
from mutkit.model.case import Trouble
from tests.builders import KILLER, OTHER, case, suite_run

SIGN = "mutkit canary canary"


@pytest.mark.parametrize(
    ("slug", "message", "expected"),
    [
        ("collection-failed", f"tests/test_it.py: RuntimeError: {SIGN} (m.py:1)", {KILLER}),
        ("collection-failed", f"tests/conftest.py: RuntimeError: {SIGN} (m.py:1)", {KILLER}),
        ("collection-failed", f"conftest.py: RuntimeError: {SIGN} (m.py:1)", {KILLER}),
        ("collection-failed", f"tests: RuntimeError: {SIGN} (m.py:1)", {KILLER}),
        ("collection-failed", f"tests/test_more.py: RuntimeError: {SIGN} (m.py:1)", set()),
        ("collection-failed", f"tests/sub/conftest.py: RuntimeError: {SIGN} (m.py:1)", set()),
        ("collection-failed", "tests/test_it.py: SyntaxError: invalid syntax", set()),
        ("report-missing", f"pytest did not start a session (exit 3): RuntimeError: {SIGN}", {KILLER}),
        ("report-missing", "pytest did not start a session (exit 3): ImportError: price", set()),
        ("case-missing", f"tests/test_it.py: RuntimeError: {SIGN}", set()),
    ],
)
def test_a_missing_case_counts_only_if_the_canary_kept_its_own_file_out(
    slug: str, message: str, expected: set[str]
) -> None:
    """The file, a conftest above it or a plugin must have raised the canary; another error proves nothing."""
    suite = suite_run(troubles=(Trouble(slug, message),))
    assert kept_out(suite, [KILLER], SIGN) == expected


def test_a_case_that_ran_was_not_kept_out() -> None:
    """What ran did load, whatever a trouble says."""
    suite = suite_run(case(OTHER), troubles=(Trouble("collection-failed", f"tests/test_it.py: RuntimeError: {SIGN}"),))
    assert kept_out(suite, [OTHER], SIGN) == set()
