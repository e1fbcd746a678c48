"""Owns what must not pass silently: calls that a mock had no answer for, could not answer, or that nobody ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.hermetic.recordings.shown import call_shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mutkit.model.mock_call import Call

WORDS = {
    "unexpected": "was called with words for which its script has no answer",
    "unable": "could not do what its script says",
    "forgotten": "hung, and nobody ended it",
}
"""The endings that are a fault of the test, the script or the program, never part of a scripted behaviour."""


class MockTrouble(AssertionError):  # noqa: N818 - it reads as what happened
    """A mock was called in a way that its script does not foresee, and the program under test did not say so."""


def troubles(calls: Iterable[Call], running: Collection[Call] = ()) -> str:
    """Return what is wrong with calls, each with the mock's own message; empty where nothing is.

    ``running`` are those of the calls whose process still ran though all was over.
    """
    said = []
    for call in calls:
        if call.ended in WORDS:
            what, message = f"it {WORDS[call.ended]} (exit {call.code})", call.message or call_shown(call)
        elif call in running:
            what, message = "it still runs, and nobody had ended it when all was over", call_shown(call)
        else:
            continue
        said.append(f"mock {call.name}, call {call.number}: {what}\n  " + message.replace("\n", "\n  "))
    return "\n".join(said)


def check(calls: Iterable[Call], running: Collection[Call] = ()) -> None:
    """Raise MockTrouble where a call was unexpected, unable or forgotten; ``running`` as in ``troubles``."""
    __tracebackhide__ = True
    said = troubles(calls, running)
    if said:
        raise MockTrouble(said)
