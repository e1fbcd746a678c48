"""Owns the cases on new runs: which message is the answer, and when there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from examples.bridge.tests.driver import assert_answer, assert_refused
from examples.bridge.tests.payloads import BANNER, COMPLETED, SESSION, STARTED, line, message, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from examples.bridge.tests.conftest import StartBridge
    from examples.bridge.tests.mock_codex import Codex

NO_MESSAGE = "codex exited with code 0, but no agent message was read"
NOT_FINAL = "the last agent message that was read may not be the final one"
EMPTY = "codex exited with code 0, but its last agent message was empty"


def no_text(**text: Any) -> bytes:
    """Return the line of an agent message with any text, or with none."""
    return line({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", **text}})


@pytest.mark.v1
def test_a_short_answer_comes_back_with_its_session(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """The only agent message is the answer; the thread's id is the session, else the banner's, else none."""
    one = bridge()
    codex.prints(run(message("Answer number 1")), errors=BANNER % b"s-77")
    answers = [one.start()]
    codex.prints(message("Answer number 2"), errors=BANNER % b"s-78")
    answers.append(one.start())
    codex.prints(message("Answer number 3"))
    answers.append(one.start())
    observe([answer.record() for answer in answers])
    for number, (answer, session) in enumerate(zip(answers, (SESSION, "s-78", None), strict=True), start=1):
        assert_answer(answer, f"Answer number {number}", session)


@pytest.mark.v1
def test_windows_line_endings_are_no_part_of_the_answer(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """Lines that end in a carriage return and a newline are read like any other."""
    codex.prints(run(message("from Windows")).replace(b"\n", b"\r\n"))
    answer = bridge().start()
    observe(answer.record())
    assert_answer(answer, "from Windows", SESSION)


@pytest.mark.v1
def test_a_last_line_without_a_newline_counts(bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]) -> None:
    """The answer is read from a last line that no newline ends."""
    codex.prints(line(STARTED) + message("no newline").removesuffix(b"\n"))
    answer = bridge().start()
    observe(answer.record())
    assert_answer(answer, "no newline", SESSION)


@pytest.mark.v1
def test_rubbish_between_two_messages_is_tolerated(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """Unreadable lines before the last message do not matter: that message is the answer."""
    codex.prints(run(message("draft"), b"{rubbish\n", b"more rubbish\n", message("final")))
    answer = bridge().start()
    observe(answer.record())
    assert_answer(answer, "final", SESSION)


@pytest.mark.v1
def test_a_clean_exit_without_a_message_is_an_error(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """A child that prints nothing and exits with code 0 has given no answer."""
    codex.prints(b"")
    answer = bridge().start()
    observe(answer.record())
    assert_refused(answer, NO_MESSAGE)


@pytest.mark.v1
def test_only_unreadable_lines_are_an_error_that_quotes_the_last(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """The error counts the lines that could not be read, and quotes the last of them."""
    codex.prints(b'first\nsecond\nthe "last"\n')
    answer = bridge().start()
    observe(answer.record())
    assert_refused(answer, rf'{NO_MESSAGE} (3 unreadable lines, the last one: "the \"last\"")')


@pytest.mark.v1
def test_an_unreadable_line_after_the_last_message_is_an_error(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """What could not be read may have been the answer, so the message before it is not passed off as one."""
    codex.prints(run(message("draft"), b'{"type":"item.comp\n'))
    answer = bridge().start()
    observe(answer.record())
    assert_refused(answer, rf'{NOT_FINAL} (1 unreadable line, the last one: "{{\"type\":\"item.comp")')


@pytest.mark.v2
def test_an_empty_final_message_is_not_replaced_by_a_draft(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """An empty message counts: it is the last one, and the draft before it is not the answer."""
    codex.prints(run(message("draft"), message("")))
    answer = bridge().start()
    observe(answer.record())
    assert_refused(answer, EMPTY)


@pytest.mark.v2
def test_a_final_message_of_white_space_is_an_error(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """A message of nothing but white space is no answer."""
    codex.prints(run(message(" \n\t ")))
    answer = bridge().start()
    observe(answer.record())
    assert_refused(answer, EMPTY)


@pytest.mark.v2
def test_a_text_that_is_no_string_is_an_error(bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]) -> None:
    """Null, false, 0, a list, an object or nothing in place of the text: no message, and the bridge lives."""
    texts: tuple[Any, ...] = (None, False, 0, [], {})
    lines = [*(no_text(text=text) for text in texts), no_text()]
    codex.prints_in_turn([run(malformed) for malformed in lines])
    one = bridge()
    answers = [one.start() for _ in lines]
    observe([answer.record() for answer in answers])
    for answer, malformed in zip(answers, lines, strict=True):
        quoted = malformed.decode().strip().replace('"', r"\"")
        assert_refused(answer, f'{NO_MESSAGE} (1 unreadable line, the last one: "{quoted}")')


@pytest.mark.v2
def test_a_malformed_text_after_a_draft_is_an_error(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """A last message whose text is no string leaves open what the final message was."""
    codex.prints(run(message("draft"), no_text(text=["no", "string"])))
    answer = bridge().start()
    observe(answer.record())
    quoted = no_text(text=["no", "string"]).decode().strip().replace('"', r"\"")
    assert_refused(answer, f'{NOT_FINAL} (1 unreadable line, the last one: "{quoted}")')


@pytest.mark.v3
def test_a_valid_message_after_a_malformed_text_is_the_answer(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """A malformed text between a draft and a valid final message does not matter."""
    codex.prints(run(message("draft"), no_text(text=0), message("final")))
    answer = bridge().start()
    observe(answer.record())
    assert_answer(answer, "final", SESSION)


@pytest.mark.v3
def test_lines_that_are_no_known_events_are_ignored(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """JSON that is no object, unknown events and items that are no message say nothing; no turn has to complete."""
    items: list[Any] = [
        {"id": "item_0", "type": "error", "message": "deprecated"},
        {"id": "item_1", "type": "reasoning", "text": "thinking"},
        {"id": "item_2", "type": "todo_list", "text": None},
        {"id": "item_3", "text": "of no type"},
        "no object",
    ]
    ignored = [
        *(b"[]\n", b"null\n", b'"text"\n', b"\n", line({"type": "news", "text": "none"})),
        *(line({"type": "item.completed", "item": item}) for item in items),
        line({"type": "item.updated", "item": {"id": "item_4", "type": "agent_message", "text": "half"}}),
    ]
    codex.prints(line(STARTED) + b"".join([*ignored, message("the answer"), *ignored]))
    answer = bridge().start()
    observe(answer.record())
    assert_answer(answer, "the answer", SESSION)


@pytest.mark.v3
def test_an_error_quotes_200_code_units_of_a_line(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """The quote is cut after 200 UTF-16 code units and escaped: 200 NUL characters give 1,202 characters."""
    codex.prints_in_turn([b"\0" * 300 + b"\n", ("x" * 199 + "😀" * 9).encode() + b"\n" + line(COMPLETED)])
    one = bridge()
    answers = [one.start(), one.start()]
    observe([answer.record() for answer in answers])
    quotes = ['"' + r"\u0000" * 200 + '"', '"' + "x" * 199 + r"\ud83d" + '"']
    assert [len(quote) for quote in quotes] == [1_202, 207]
    for answer, quote in zip(answers, quotes, strict=True):
        assert_refused(answer, f"{NO_MESSAGE} (1 unreadable line, the last one: {quote})")
