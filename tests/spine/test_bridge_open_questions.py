"""Owns what the bridge does where nobody decided what it should do: stated, so that a change is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from examples.bridge.tests.driver import Answer, Bridge, assert_answer, assert_refused
from examples.bridge.tests.payloads import SESSION, failed, message, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from examples.bridge.tests.mock_codex import Codex
    from mutkit.hermetic import Sandbox


@pytest.fixture
def bridge(sandbox: Sandbox) -> Iterator[Bridge]:
    """Return a running bridge of the final generation."""
    running = Bridge("final", sandbox)
    running.shake_hands()
    yield running
    running.close()


@pytest.mark.parametrize(
    ("invalid", "shown"),
    [
        (b"\xff", "\ufffd"),
        (b"\xc3(", "\ufffd("),
        (b"\xe2\x82", "\ufffd"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
    ],
    ids=["no-start-byte", "no-continuation", "cut-short", "surrogate"],
)
def test_invalid_utf_8_in_mid_stream_comes_back_as_replacement_characters(
    bridge: Bridge, codex: Codex, invalid: bytes, shown: str
) -> None:
    """Bytes that are no UTF-8 fail no run: both tools return the rest, and U+FFFD for the bytes."""
    codex.prints_in_turn([run(message("before X after")).replace(b"X", invalid), b"before " + invalid + b" after"])
    assert_answer(bridge.start(), f"before {shown} after", SESSION)
    assert_answer(bridge.follow_up(SESSION), f"before {shown} after", SESSION)


def test_an_unreadable_trailer_of_a_later_version_turns_a_good_run_into_an_error(bridge: Bridge, codex: Codex) -> None:
    """A line of plain text after the last event, as a later agent may print it, costs the answer."""
    codex.prints(run(message("the answer")) + b"Session saved. Bye!\n")
    assert_refused(
        bridge.start(),
        "the last agent message that was read may not be the final one"
        ' (1 unreadable line, the last one: "Session saved. Bye!")',
    )


def test_a_trailer_that_is_json_costs_nothing(bridge: Bridge, codex: Codex) -> None:
    """The same trailer as an event of a kind that the bridge does not know is ignored."""
    codex.prints(run(message("the answer")) + b'{"type":"session.saved","bye":true}\n')
    assert_answer(bridge.start(), "the answer", SESSION)


def test_a_failed_turn_with_exit_code_0_does_not_lose_the_answer(bridge: Bridge, codex: Codex) -> None:
    """The exit code decides whether a run failed; a turn that failed without one leaves the last message."""
    codex.prints(run(message("the answer"), failed("late")))
    assert_answer(bridge.start(), "the answer", SESSION)


def test_a_failed_turn_with_exit_code_0_and_no_message_gives_its_reason(bridge: Bridge, codex: Codex) -> None:
    """Where no message was read, the error says why the turn failed."""
    codex.prints(run(failed("stream disconnected")))
    assert_refused(
        bridge.start(), "codex exited with code 0, but no agent message was read; the turn failed: stream disconnected"
    )
    codex.prints(run(b"rubbish\n", failed("late")))
    assert_refused(
        bridge.start(),
        "codex exited with code 0, but no agent message was read"
        ' (1 unreadable line, the last one: "rubbish"); the turn failed: late',
    )


@pytest.mark.parametrize("reason", [None, 7, {"code": "late"}, " "])
def test_a_reason_that_is_no_text_leaves_standard_error(bridge: Bridge, codex: Codex, reason: Any) -> None:
    """A turn that failed without saying why in a text is explained by what standard error says, or by nothing."""
    codex.prints(run(failed(reason)), errors=b"Error: out of luck\n", exit_code=1)
    assert_refused(bridge.start(), "codex exited with code 1: Error: out of luck")
    codex.prints(run(failed(reason)))
    assert_refused(bridge.start(), "codex exited with code 0, but no agent message was read")


def test_a_usage_limit_as_the_reason_of_a_failed_turn_is_named(bridge: Bridge, codex: Codex) -> None:
    """In its events the agent gives the limit without the prefix that it has on standard error."""
    codex.prints(run(failed("You've hit your usage limit.")), exit_code=1)
    assert_refused(bridge.start(), "codex has reached its usage limit: You've hit your usage limit.")


def test_without_a_thread_event_the_banner_names_the_session(bridge: Bridge, codex: Codex) -> None:
    """The session id falls back to the banner on standard error, and to none where that has none either."""
    codex.prints(message("the answer"), errors=b"codex v9\nsession id: s-77\n--------\n")
    assert bridge.start() == Answer("the answer", "s-77")
    codex.prints(message("the answer"))
    assert bridge.start() == Answer("the answer", None)


def test_a_follow_up_that_was_answered_in_another_session_says_so(bridge: Bridge, codex: Codex) -> None:
    """An agent that does not know the session may start a new one in silence; its banner gives it away."""
    codex.prints(b"the reply", errors=b"session id: s-78\n")
    assert bridge.follow_up("s-77") == Answer("the reply", "s-78")
