"""Owns what must not pass silently: calls that a mock had no answer for, could not answer, or that nobody ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.hermetic.recordings.shown import call_shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mutkit.model.mock_call import Call

WORDS = {
    "unexpected": "was called with words for which its script has no answer",
    "unable": "could not do what its script says",
    "forgotten": "hung, and nobody ended it",
}
"""The endings that are a fault of the test, the script or the program, never part of a scripted behaviour."""


class MockTrouble(AssertionError):  # noqa: N818 - it reads as what happened
    """A mock was called in a way that its script does not foresee, and the program under test did not say so."""


def troubles(calls: Iterable[Call]) -> str:
    """Return what is wrong with calls, each with the mock's own message; empty where nothing is."""
    said = []
    for call in calls:
        if call.ended in WORDS:
            message = call.unexpected or call_shown(call)
            said.append(f"mock {call.name}, call {call.number}: it {WORDS[call.ended]} (exit {call.code})\n  ")
            said[-1] += message.replace("\n", "\n  ")
    return "\n".join(said)


def check(calls: Iterable[Call]) -> None:
    """Raise MockTrouble where a call was unexpected, unable or forgotten."""
    __tracebackhide__ = True
    said = troubles(calls)
    if said:
        raise MockTrouble(said)
