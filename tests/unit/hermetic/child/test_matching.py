"""Which answer a mock gives, and what it says where none fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import Script
from tests.mock_driving import call, last

if TYPE_CHECKING:
    from mutkit.hermetic import MockCommands


def test_an_unexpected_call_fails_at_once_and_says_what_was_expected(mock: MockCommands) -> None:
    """Exit 97, nothing on standard output, expectation and call on standard error and in the record."""
    done = call(mock, Script().expecting("exec", "--json", "*").write("no"), "resume", "é")
    assert (done.returncode, done.stdout) == (97, b"")
    assert b"expected: ['exec', '--json', '*']" in done.stderr
    assert "called:   ['resume', 'é']".encode() in done.stderr
    [seen] = mock.calls("codex")
    assert seen.ended == "unexpected"
    assert "resume" in seen.unexpected


@pytest.mark.parametrize(
    ("wanted", "given", "fits"),
    [
        (("exec", "*"), ("exec", "hi"), True),
        (("exec", "*"), ("exec",), False),
        (("exec", "*"), ("exec", "a", "b"), False),
        (("exec", "**"), ("exec",), True),
        (("**", "-o", "*", "**"), ("exec", "-o", "f", "hi"), True),
        (("**", "-o", "*", "**"), ("exec", "hi"), False),
        (("--a=*z",), ("--a=z",), True),
        (("--a=*z",), ("--a=",), False),
        (("*b*b*",), ("abb",), True),
        (("*b*b*",), ("ab",), False),
        (("ab*ba",), ("aba",), False),
        ((), ("x",), False),
        ((), (), True),
    ],
)
def test_words_fit_their_pattern(
    mock: MockCommands,
    wanted: tuple[str, ...],
    given: tuple[str, ...],
    fits: bool,
) -> None:
    """``*`` is any run of characters in a word, ``**`` any run of words, all else is itself."""
    assert (call(mock, Script().expecting(*wanted), *given).returncode == 0) is fits


def test_the_first_answer_that_fits_is_given(mock: MockCommands) -> None:
    """By words and by the number of the call; where none fits, the call is unexpected."""
    script = (
        Script()
        .answering(Script().write("first"), nth=1)
        .answering(Script().expecting("resume", "**").write("again").exit(4))
        .answering(Script().write("third"), nth=3)
    )
    answers = [call(mock, script, *argv) for argv in (["resume"], ["resume", "x"], ["y"], ["z"])]
    assert [(one.stdout, one.returncode) for one in answers] == [
        (b"first", 0), (b"again", 4), (b"third", 0), (b"", 97),
    ]  # fmt: skip
    assert [one.number for one in mock.calls("codex")] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("script", "argv", "env", "fits"),
    [
        (Script().expecting_exactly("a*", "**"), ("a*", "**"), {}, True),
        (Script().expecting_exactly("a*"), ("ab",), {}, False),
        (Script().expecting_regex("exec( --\\w+)* .*é"), ("exec", "--json", "hi é"), {}, True),
        (Script().expecting_regex("exec"), ("exec", "x"), {}, False),
        (Script().on_subcommand("exec resume"), ("exec", "resume", "id"), {}, True),
        (Script().on_subcommand("exec resume"), ("--color", "exec", "--json", "resume"), {}, True),
        (Script().on_subcommand("exec resume"), ("exec", "--", "--resume"), {}, False),
        (Script().on_subcommand("exec"), ("resume", "exec"), {}, False),
        (Script().on_env("MODE", "fast*"), (), {"MODE": "faster"}, True),
        (Script().on_env("MODE", "fast*"), (), {"MODE": "slow"}, False),
        (Script().on_env("MODE", "fast*"), (), {}, False),
        (Script().on_env("MODE", ""), (), {}, True),
        (Script().on_env("MODE", "").expecting("x"), ("y",), {}, False),
    ],
)
def test_every_condition_of_an_answer_must_hold(
    mock: MockCommands, script: Script, argv: tuple[str, ...], env: dict[str, str], fits: bool
) -> None:
    """Exact words, regular expression, sub-command, environment."""
    assert call(mock, script.exit(5), *argv, env=env).returncode == (5 if fits else 97)


def test_the_closest_answer_is_shown_with_what_does_not_fit(mock: MockCommands) -> None:
    """The fewest differing words, each with its place; the others are counted."""
    script = (
        Script()
        .answering(Script().expecting("resume", "**"))
        .answering(Script().expecting("exec", "--json", "-o", "*", "**").on_env("MODE", "a"))
        .answering(Script().expecting("exec"), nth=7)
    )
    done = call(mock, script, "exec", "--jsonl", "-o", "f", env={"MODE": "b"})
    assert done.stderr.decode() == (
        "mock codex: unexpected call 1\n"
        "  called:   ['exec', '--jsonl', '-o', 'f']\n"
        "  expected: ['exec', '--json', '-o', '*', '**'], MODE='a' (call[1], the closest of 3 answers)\n"
        "    argv[1]: expected '--json', got '--jsonl'\n"
        "    env MODE: expected 'a', got 'b'\n"
        "  2 further answers do not fit either\n"
    )
    assert last(mock).unexpected == done.stderr.decode().removeprefix("mock codex: ").rstrip("\n")


@pytest.mark.parametrize(
    ("script", "argv", "lines"),
    [
        (Script().expecting("a", "b", "c"), ("a", "c"), ["argv[1]: expected 'b' before 'c'"]),
        (Script().expecting("a", "b"), ("a",), ["argv[1]: expected 'b', got no more words"]),
        (Script().expecting("a"), ("a", "x"), ["argv[1]: did not expect 'x'"]),
        (Script().expecting_exactly("*"), ("a",), ["argv[0]: expected '*', got 'a'"]),
        (Script().expecting_regex("b+"), ("a",), ["argv: expected words like 'b+'"]),
        (Script().on_subcommand("exec"), ("--x", "run"), ["subcommand: argv[0]: expected 'exec', got 'run'"]),
        (Script().on_env("MODE", "a"), (), ["env MODE: expected 'a', it is not set"]),
        (Script().answering(Script().on_call(2)), (), ["nth: expected call 2, this is call 1"]),
        (
            Script().expecting(*"abcdefgh"),
            tuple("ijklmnop"),
            [
                *(f"argv[{at}]: expected {'abcde'[at]!r}, got {'ijklm'[at]!r}" for at in range(5)),
                "and 3 more differences",
            ],
        ),
    ],
)
def test_each_condition_that_fails_is_told(
    mock: MockCommands, script: Script, argv: tuple[str, ...], lines: list[str]
) -> None:
    """Words missing, too many or different, and the other conditions."""
    told = call(mock, script, *argv).stderr.decode()
    assert [line.strip() for line in told.splitlines() if line.startswith("    ")] == lines
