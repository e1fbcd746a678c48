"""What the assertions on recorded calls accept, and what they say when they fail."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mutkit.hermetic.recordings import Calls
from mutkit.model.mock_call import Call, ExactProof

if TYPE_CHECKING:
    from collections.abc import Callable


def call(number: int = 1, *argv: str | bytes, **facts: Any) -> Call:
    """Return a call of ``codex`` with these words that exited with 0 unless told otherwise."""
    return Call("codex", number, tuple(os.fsencode(word) for word in argv), **{"ended": "exit", "code": 0, **facts})


def calls(*each: Call) -> Calls:
    """Return the list of these calls of ``codex``."""
    return Calls(each, "codex")


def message(failing: Callable[[], object]) -> str:
    """Return what the AssertionError says that ``failing`` must raise."""
    with pytest.raises(AssertionError) as caught:
        failing()
    return str(caught.value)


TWO = calls(call(1, "exec", "--json", "hi"), call(2, "exec", "resume", "s-1", ended="signal", code=15, signals=(15,)))


def test_it_is_a_list_of_calls() -> None:
    """Unpacking, comparing and indexing are those of a list; a slice and a selection have the assertions too."""
    first, second = TWO
    assert [first, second] == TWO
    assert TWO[0] is first
    assert TWO.last is second
    assert TWO[1:].one() is second
    assert TWO.matching("exec", "--*", "**").one() is first
    assert TWO.matching("login") == []


def test_a_call_that_was_not_made_is_shown_word_by_word_against_the_nearest() -> None:
    """Expected and called words stand one below the other, all calls are listed with their ends."""
    said = message(lambda: TWO.assert_called_with("exec", "--jsno", "**"))
    assert said == (
        'codex was not called with ["exec", "--jsno", "**"]\n'
        "  nearest is call 1 (- expected, + called):\n"
        '      "exec"\n'
        '    - "--jsno"\n'
        '    + "--json"\n'
        '      "hi"\n'
        "  all calls:\n"
        '    codex 1. ["exec", "--json", "hi"]: exit 0\n'
        '    codex 2. ["exec", "resume", "s-1"]: died of SIGTERM; got SIGTERM'
    )


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("exec", "--json"), ['  "exec"', '  "--json"', '+ "hi"']),
        (("exec", "--json", "hi", "there"), ['  "exec"', '  "--json"', '  "hi"', '- "there"']),
        (("exec", "**", "--color", "hi"), ['  "exec"', '  "--json"', '- "--color"', '  "hi"']),
        (("e*", "-*", "**", "ho"), ['  "exec"', '  "--json"', '- "ho"', '+ "hi"']),
    ],
)
def test_missing_and_further_words_are_told_apart(words: tuple[str, ...], shown: list[str]) -> None:
    """What fits a pattern is shown as it was called; what is missing has no line beside it."""
    said = message(lambda: TWO[:1].assert_called_with(*words))
    assert said.split("\n")[2:-2] == [f"    {line}" for line in shown]


def test_how_often_words_were_called_can_be_asserted_without_listing_each() -> None:
    """A thousand calls are one line; the wrong number is said."""
    many = calls(*(call(number, "exec", str(number)) for number in range(1, 1001)))
    many.assert_called(times=1000)
    many.assert_called_with("exec", "*", times=1000)
    said = message(lambda: many.assert_called_with("exec", "1*", times=3))
    assert said.startswith('codex was not called with ["exec", "1*"] 3 times, but 112 times\n')
    assert "... 980 more calls ..." in said
    assert said.count("\n") < 30


def test_the_number_of_calls_is_asserted() -> None:
    """At least one, exactly so many, none, the only one."""
    TWO.assert_called()
    TWO.assert_called(times=2)
    calls().assert_not_called()
    assert message(calls().assert_called) == ("codex: a call expected, no call made\n  there was no call")
    said = message(lambda: TWO.assert_called(times=1))
    assert said.startswith("codex: one call expected, 2 calls made\n  all calls:\n")
    assert message(TWO.one).startswith("codex: one call expected, 2 calls made")
    assert message(TWO.assert_not_called).startswith("codex: no call expected, 2 calls made")
    assert message(lambda: calls().last).startswith("codex: a call expected")


def test_the_words_of_all_calls_are_compared_as_one_list() -> None:
    """A missing, a further and a differing call are told apart; nothing in a word is special."""
    TWO.assert_argv([["exec", "--json", "hi"], ["exec", "resume", "s-1"]])
    said = message(lambda: TWO.assert_argv([["exec", "--json", "*"], ["exec", "resume", "s-1"], ["login"]]))
    assert said.split("  all calls")[0] == (
        "codex: other calls than expected (- expected, + called)\n"
        "  ! call 1:\n"
        '      "exec"\n'
        '      "--json"\n'
        '    - "*"\n'
        '    + "hi"\n'
        '    ["exec", "resume", "s-1"]\n'
        '  - ["login"]\n'
    )
    assert '  + ["exec", "resume", "s-1"]' in message(lambda: TWO.assert_argv([["exec", "--json", "hi"]]))


def test_bytes_in_words_are_shown_as_they_are() -> None:
    """Control characters, bytes that are no UTF-8 and line separators do not reach the terminal raw."""
    odd = calls(call(1, b"\x1b[2J\xff", "\u2028", "é", "x" * 5000))
    odd.assert_called_with(b"\x1b[2J\xff", "**")
    said = message(lambda: odd.assert_called_with("a"))
    assert r'"\u001b[2J\xff"' in said
    assert r'"\u2028"' in said
    assert '"é"' in said
    assert "(5,000 bytes)" in said
    assert "x" * 100 not in said


def test_the_environment_is_compared_by_variable() -> None:
    """A wrong value, one that was not set, and one that was never recorded are three things."""
    one = calls(call(env={"HOME": "/home/a", "GONE": None}))
    one.assert_env({"HOME": "/home/a", "GONE": None})
    said = message(lambda: one.assert_env({"HOME": "/root", "GONE": "x", "TOKEN": "y"}))
    assert said.split("\n")[1] == (
        '  call 1 of codex: HOME was "/home/a" instead of "/root"; GONE was not set instead of "x"; '
        "TOKEN was not recorded; name it in `record_env`, or with Script.recording()"
    )


def test_a_secret_that_was_not_recorded_is_told_as_such() -> None:
    """The name stands for the value; the script can say that it is none."""
    said = message(lambda: calls(call(env={"API_KEY": "<API_KEY>"})).assert_env({"API_KEY": "sk-1"}))
    assert 'API_KEY was "<API_KEY>" (recorded as a secret unless named in `unredacted`) instead of "sk-1"' in said


def test_the_working_directory_is_compared_through_links(tmp_path: Path) -> None:
    """The kernel says where the child really was."""
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    one = calls(call(cwd=os.path.realpath(tmp_path)))
    one.assert_cwd(tmp_path / "link")
    assert f"{os.path.realpath(tmp_path)} instead of /nowhere" in message(lambda: one.assert_cwd("/nowhere"))


def test_standard_input_is_compared_byte_by_byte() -> None:
    """The first difference, both lengths, and whether the end was seen."""
    one = calls(call(stdin=b"hello\r\nworld\xff", stdin_ended=True))
    one.assert_stdin(b"hello\r\nworld\xff", ended=True)
    said = message(lambda: one.assert_stdin("hello\nworld"))
    assert said.split("\n")[1] == (
        "  call 1 of codex: 13 bytes instead of 11, the first difference at byte 5: "
        r'"hello\r\nworld\xff" instead of "hello\nworld" (from byte 0 on)'
    )
    assert "its end was seen" in message(lambda: one.assert_stdin(one.last.stdin, ended=False))
    said = message(lambda: calls(call(stdin=b"a")).assert_stdin("a", ended=True))
    assert "its end was not seen" in said
    assert "read_stdin" in message(lambda: calls(call()).assert_stdin("a"))


def test_a_long_value_is_shown_where_it_differs_only() -> None:
    """5 MiB on both sides give a short message."""
    one = calls(call(stdin=b"x" * 5_000_000 + b"a"))
    said = message(lambda: one.assert_stdin(b"x" * 5_000_000 + b"b"))
    assert "the first difference at byte 5,000,000" in said
    assert len(said) < 600


def test_signals_are_compared_in_their_order() -> None:
    """By name with or without SIG, or by number; without words: none came."""
    one = calls(call(signals=(signal.SIGINT, signal.SIGTERM)))
    one.assert_signals("INT", "SIGTERM")
    one.assert_signals(2, 15)
    calls(call()).assert_signals()
    assert "SIGINT, SIGTERM instead of SIGTERM, SIGINT" in message(lambda: one.assert_signals("TERM", "INT"))
    assert "SIGINT, SIGTERM instead of none" in message(one.assert_signals)


def test_the_sizes_of_writes_are_compared_as_runs() -> None:
    """A hundred thousand single bytes do not fill the screen."""
    one = calls(call(chunks=(1,) * 99_999 + (2,), stderr_chunks=(7,)))
    one.assert_chunks([1] * 99_999 + [2])
    one.assert_chunks([7], stream="stderr")
    said = message(lambda: one.assert_chunks([1] * 100_000))
    assert "100,000 [99,999 x 1, 2] instead of 100,000 [100,000 x 1]" in said
    assert "stdout 100,001 bytes in 100,000" in said
    assert "1 [7] instead of 0 []" in message(lambda: one.assert_chunks([], stream="stderr"))


def proof(chunks: int, proofs: int, fd: int = 1, kind: str = "pipe") -> ExactProof:
    """Return what an exact step on a pipe or socket proved."""
    return ExactProof(fd, kind, "one-page pipe", chunks, proofs)


def test_that_boundaries_were_proved_is_asserted_of_every_write() -> None:
    """On a pipe one proof more than chunks, on a socket as many; other streams do not matter."""
    calls(call(chunks=(1, 1, 5), exact=(proof(2, 3), proof(1, 2)))).assert_exact()
    calls(call(chunks=(1, 1), exact=(proof(2, 2, kind="unix socket"), proof(1, 0, fd=2)))).assert_exact()
    calls(call(stderr_chunks=(1,), exact=(proof(1, 2, fd=2),))).assert_exact(stream="stderr")
    half = calls(call(chunks=(9, 1), exact=(proof(1, 2),)))
    half.assert_exact(every_write=False)
    assert '1 of 2 writes to stdout had pace = "exact"' in message(half.assert_exact)


def test_boundaries_that_are_not_proved_are_told() -> None:
    """An incomplete proof, and none at all."""
    broken = calls(call(chunks=(1, 1, 1), exact=(proof(3, 2),)))
    assert "fd 1, a pipe, one-page pipe: 3 chunks, 2 proofs" in message(broken.assert_exact)
    assert "0 of 1 writes to stdout" in message(lambda: calls(call(chunks=(1,))).assert_exact(every_write=False))
    assert "0 of 0 writes to stdout" in message(calls(call()).assert_exact)


@pytest.mark.parametrize(
    ("facts", "fits", "wrong", "said"),
    [
        ({"code": 3}, {"exit": 3}, {"exit": 0}, "exit 3 instead of exit 0"),
        ({"code": 3}, {"how": "exit"}, {"signal": "KILL"}, "exit 3 instead of death of SIGKILL"),
        ({"ended": "signal", "code": 9}, {"signal": "KILL"}, {"exit": 9}, "died of SIGKILL instead of exit 9"),
        (
            {"ended": "reader-gone", "code": 96},
            {"how": "reader-gone", "exit": 96},
            {"how": "exit"},
            "exit 96, reader-gone instead of exit",
        ),
    ],
)
def test_the_end_is_compared(facts: Any, fits: Any, wrong: Any, said: str) -> None:
    """Exit code, signal, or the word for it."""
    one = calls(call(**facts))
    one.assert_ended()
    one.assert_ended(**fits)
    assert said in message(lambda: one.assert_ended(**wrong))


def test_a_call_without_an_end_has_not_ended() -> None:
    """Killed from outside or still at work: nothing is asserted about an exit code that is not there."""
    running = calls(call(ended="", code=None))
    assert "still runs, or was killed from outside instead of an end" in message(running.assert_ended)
    assert "hangs, or was killed" in message(calls(call(ended="", code=None, hangs=True)).assert_ended)


@pytest.mark.parametrize(
    "assertion",
    [
        lambda one: one.assert_env({}),
        lambda one: one.assert_cwd("/"),
        lambda one: one.assert_stdin(b""),
        lambda one: one.assert_signals(),
        lambda one: one.assert_chunks([]),
        lambda one: one.assert_exact(),
        lambda one: one.assert_ended(),
    ],
    ids=["env", "cwd", "stdin", "signals", "chunks", "exact", "ended"],
)
def test_nothing_holds_of_calls_that_were_not_made(assertion: Callable[[Calls], None]) -> None:
    """An empty list would meet any assertion about each of its calls."""
    assert "a call expected" in message(lambda: assertion(calls()))


def test_an_assertion_holds_for_each_call_of_the_list() -> None:
    """The ones that differ are named by their numbers."""
    said = message(lambda: TWO.assert_ended(exit=0))
    assert "call 2 of codex: died of SIGTERM instead of exit 0" in said
    assert "call 1 of codex" not in said
    TWO[:1].assert_ended(exit=0)
