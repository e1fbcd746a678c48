"""Owns the choice of an answer: the first of which all conditions hold for this call.

Part of the child: it runs under ``python -I -S`` and imports as little as it can.
"""

from __future__ import annotations

import posix

from .words import word_matches, words_match

TYPE_CHECKING = False  # importing it from `typing` would import re and enum at each start
if TYPE_CHECKING:
    from typing import Any

    from .mock import Mock


def choose(mock: Mock, answers: list[dict[str, Any]]) -> int | None:
    """Return the index of the first answer that fits, or None. Standard input is read only where it decides."""
    for at, answer in enumerate(answers):
        if answer["nth"] in (0, mock.record.number) and not any(
            condition(mock, answer) for condition in (argv_exact, argv, subcommand, env, argv_regex)
        ):
            wanted = answer.get("stdin")
            if wanted is None or stdin_matches(mock, wanted):
                return at
    return None


def stdin_matches(mock: Mock, wanted: bytes) -> bool:
    """Return whether the whole of standard input, which steps can read again, fits."""
    return word_matches(wanted, mock.stdin.look_ahead())


def argv(mock: Mock, answer: dict[str, Any]) -> bool:
    """Return whether the words do not fit their pattern."""
    return answer["argv"] is not None and not words_match(answer["argv"], mock.argv)


def argv_exact(mock: Mock, answer: dict[str, Any]) -> bool:
    """Return whether the words are not the given ones."""
    wanted = answer.get("argv_exact")
    return wanted is not None and wanted != mock.argv


def subcommand(mock: Mock, answer: dict[str, Any]) -> bool:
    """Return whether the words that are no options do not begin with the given ones."""
    wanted = answer.get("subcommand")
    return wanted is not None and plain_words(mock.argv)[: len(wanted)] != wanted


def plain_words(words: list[bytes]) -> list[bytes]:
    """Return the words that are no options; behind ``--`` there are none."""
    stop = words.index(b"--") if b"--" in words else len(words)
    return [word for word in words[:stop] if not word.startswith(b"-")] + words[stop + 1 :]


def env(_mock: Mock, answer: dict[str, Any]) -> bool:
    """Return whether a variable is not as it must be; "" is also one that is not set."""
    return any(not word_matches(value, posix.environ.get(name, b"")) for name, value in answer.get("env", {}).items())


def argv_regex(mock: Mock, answer: dict[str, Any]) -> bool:
    """Return whether the words, joined by blanks, are not what the regular expression describes."""
    wanted = answer.get("argv_regex")
    if wanted is None:
        return False
    import re

    return re.fullmatch(wanted, b" ".join(mock.argv).decode("utf-8", "surrogateescape")) is None
