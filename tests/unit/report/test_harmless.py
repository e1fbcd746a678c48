"""Owns the tests that what mutants and cases say cannot act on a reader's terminal."""

from __future__ import annotations

import pytest

from mutkit.report.text import harmless


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x07", r"\x1b[2J\x07"),
        ("killed\rsurvived", r"killed\x0dsurvived"),
        ("\x9b31m \x7f", r"\x9b31m \x7f"),
        ("a \u202e b \u2066", r"a \u202e b \u2066"),
        ("one\n\ttwo ü ✓", "one\n\ttwo ü ✓"),
    ],
)
def test_what_a_terminal_would_act_on_is_shown_as_an_escape(text: str, shown: str) -> None:
    """Escape sequences, carriage returns, C1 controls and reordering are named; line ends and letters stay."""
    assert harmless(text) == shown
