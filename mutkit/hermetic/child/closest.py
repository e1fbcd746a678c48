"""Owns the message of a call that no answer fits: the closest answer, and what of it does not fit.

Part of the child, imported only where it is needed.
"""

from __future__ import annotations

import posix

from . import matching
from .words import shown, word_matches, word_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .mock import Mock

_MANY = 5  # differences that are told of one answer


def unexpected(mock: Mock, answers: list[dict[str, Any]]) -> str:
    """Return what is said of the call: it, the closest answer, where they differ.

    Closest is the one with the fewest differences; words that fit count against them, for ``**`` differs from nothing.
    """
    called = mock.secrets.argv(mock.argv)
    lines = [f"unexpected call {mock.record.number}", f"  called:   {shown(called)}"]
    judged = [_differences(mock, answer) for answer in answers]
    fitting = [_fitting(mock, answer) for answer in answers]
    if not judged:
        return "\n".join([*lines, "  the script has no answer at all"])
    best = min(range(len(judged)), key=lambda at: len(judged[at]) - fitting[at])
    which = f" (call[{best}], the closest of {len(judged)} answers)" if len(judged) > 1 else ""
    lines.append(f"  expected: {_wanted(answers[best])}{which}")
    lines += [f"    {difference}" for difference in judged[best][:_MANY]]
    if len(judged[best]) > _MANY:
        lines.append(f"    and {len(judged[best]) - _MANY} more differences")
    if len(judged) > 1:
        further = len(judged) - 1
        lines.append(f"  {further} further answer{'s do' if further > 1 else ' does'} not fit either")
    return "\n".join(lines)


def _wanted(answer: dict[str, Any]) -> str:
    """Return what an answer is for, in words."""
    said = []
    if answer["argv"] is not None:
        said.append(shown(answer["argv"]))
    if answer.get("argv_exact") is not None:
        said.append(f"exactly {shown(answer['argv_exact'])}")
    if answer.get("argv_regex") is not None:
        said.append(f"words like {answer['argv_regex']!r}")
    if answer.get("subcommand") is not None:
        said.append(f"sub-command {b' '.join(answer['subcommand']).decode('utf-8', 'replace')}")
    said += [f"{name.decode('utf-8', 'replace')}={word_shown(value)}" for name, value in answer.get("env", {}).items()]
    if answer.get("stdin") is not None:
        said.append(f"standard input {_cut(answer['stdin'])}")
    if answer["nth"]:
        said.append(f"call {answer['nth']} only")
    return ", ".join(said) or "any words"


def _differences(mock: Mock, answer: dict[str, Any]) -> list[str]:
    """Return each thing in which the call is not what the answer is for."""
    found = []
    if answer["argv"] is not None:
        found += differing_words(answer["argv"], mock.argv, mock.secrets.argv(mock.argv))
    if matching.argv_exact(mock, answer):
        exact = [word.replace(b"*", b"\0") for word in answer["argv_exact"]]  # no word holds NUL: nothing special in it
        found += differing_words(exact, [word.replace(b"*", b"\0") for word in mock.argv], mock.secrets.argv(mock.argv))
    if matching.argv_regex(mock, answer):
        found.append(f"argv: expected words like {answer['argv_regex']!r}")
    if matching.subcommand(mock, answer):
        wanted = answer["subcommand"]
        got = matching.plain_words(mock.argv)
        found += [f"subcommand: {text}" for text in differing_words(wanted, got[: len(wanted)], got[: len(wanted)])]
    for name, value in answer.get("env", {}).items():
        given = posix.environ.get(name)
        if not word_matches(value, given or b""):
            got_value = "it is not set" if given is None else f"got {word_shown(mock.secrets.clean(given))}"
            found.append(f"env {name.decode('utf-8', 'replace')}: expected {word_shown(value)}, {got_value}")
    if answer["nth"] not in (0, mock.record.number):
        found.append(f"nth: expected call {answer['nth']}, this is call {mock.record.number}")
    if not found and answer.get("stdin") is not None:
        whole = mock.stdin.look_ahead()
        if not word_matches(answer["stdin"], whole):
            found.append(f"stdin: expected {_cut(answer['stdin'])}, got {_cut(mock.secrets.clean(whole))}")
    return found


def _fitting(mock: Mock, answer: dict[str, Any]) -> int:
    """Return how many words, one by one, are as the answer has them."""
    wanted: list[bytes] = answer["argv"] or answer.get("argv_exact") or []
    return sum(any(word_matches(one, word) for word in mock.argv) for one in wanted if one != b"**")


def _cut(data: bytes) -> str:
    return word_shown(data) if len(data) <= 200 else f"{data[:200]!r} and {len(data) - 200:,} bytes more"


def differing_words(wanted: list[bytes], given: list[bytes], told: list[bytes]) -> list[str]:
    """Return the fewest changes that make the words fit: words that differ, are missing or too many.

    ``told`` are the given words as they may be shown.
    """
    rows, columns = len(wanted), len(given)
    cost = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows, -1, -1):
        for column in range(columns, -1, -1):
            if row < rows or column < columns:
                cost[row][column] = min(way[0] for way in _ways(cost, wanted, given, row, column))
    found = []
    row = column = 0
    while row < rows or column < columns:
        _, down, right, difference = min(_ways(cost, wanted, given, row, column), key=lambda way: way[0])
        if difference:
            expected = word_shown(wanted[row].replace(b"\0", b"*")) if down else ""
            got = word_shown(told[column]) if column < columns else "no more words"
            found.append(f"argv[{column}]: " + difference.format(expected=expected, got=got))
        row, column = row + down, column + right
    return found


def _ways(
    cost: list[list[int]], wanted: list[bytes], given: list[bytes], row: int, column: int
) -> list[tuple[int, int, int, str]]:
    """Return the ways on from two words: price to the end, words to go on by in both, how the difference is told."""
    any_left, more_given = row < len(wanted), column < len(given)
    if any_left and wanted[row] == b"**":
        further = [(cost[row][column + 1], 0, 1, "")] if more_given else []
        return [(cost[row + 1][column], 1, 0, ""), *further]
    ways = []
    if any_left and more_given:
        if word_matches(wanted[row], given[column]):
            return [(cost[row + 1][column + 1], 1, 1, "")]
        ways.append((1 + cost[row + 1][column + 1], 1, 1, "expected {expected}, got {got}"))
    if any_left:
        ways.append(
            (
                1 + cost[row + 1][column],
                1,
                0,
                "expected {expected} before {got}" if more_given else "expected {expected}, got {got}",
            )
        )
    if more_given:
        ways.append((1 + cost[row][column + 1], 0, 1, "did not expect {got}"))
    return ways
