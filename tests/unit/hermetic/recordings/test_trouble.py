"""What of recorded calls must not pass silently."""

from __future__ import annotations

import pytest

from mutkit.hermetic.recordings import Calls, MockTrouble, check
from mutkit.model.mock_call import Call


@pytest.mark.parametrize(
    ("ended", "code", "said"),
    [
        ("unexpected", 97, "was called with words for which its script has no answer (exit 97)"),
        ("unable", 98, "could not do what its script says (exit 98)"),
        ("forgotten", 95, "hung, and nobody ended it (exit 95)"),
    ],
)
def test_endings_that_are_nobodys_intention_are_troubles(ended: str, code: int, said: str) -> None:
    """Each is named with command and number of the call."""
    calls = Calls([Call("codex", 1, ended="exit", code=0), Call("codex", 2, (b"x",), ended=ended, code=code)], "codex")
    with pytest.raises(MockTrouble) as caught:
        check(calls)
    assert str(caught.value).startswith(f"mock codex, call 2: it {said}")
    with pytest.raises(AssertionError, match="all calls"):
        calls.assert_no_unexpected()


@pytest.mark.parametrize("ended", ["exit", "signal", "reader-gone", ""])
def test_what_a_script_can_mean_is_no_trouble(ended: str) -> None:
    """A reader that leaves, a death and a mock that still runs are behaviours that tests script."""
    check([Call("codex", 1, ended=ended, code=1)])


def test_the_mocks_own_message_is_told() -> None:
    """What it said on standard error, where nobody may have read it."""
    message = "unexpected call 1\n  expected: [a]\n  called:   [b]"
    with pytest.raises(MockTrouble, match=r"\n  unexpected call 1\n    expected: \[a\]\n    called:   \[b\]"):
        check([Call("codex", 1, ended="unexpected", code=97, message=message)])
