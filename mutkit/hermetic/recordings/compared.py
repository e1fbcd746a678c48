"""Owns comparisons of what was expected with what was recorded: word by word, byte by byte, the nearest call."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from mutkit.hermetic.child.words import word_matches
from mutkit.hermetic.recordings.shown import WORD, words_shown
from mutkit.model.describe import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutkit.model.mock_call import Call

MANY = 250_000
"""Above this product of two numbers of words they are not compared one by one."""

LAST = 100
"""How many calls, counted from the last, the nearest is looked for in: comparing takes time."""

_RUN = b"**"
_ANOTHER = 1.5
"""What it costs to take one word for another, less what they have in common; a missing or further word costs 1."""

Pair = tuple[bytes | None, bytes | None]
"""An expected word beside a given one; None where one of them is missing, two of them equal where they fit."""


def aligned(wanted: Sequence[bytes], given: Sequence[bytes], *, patterns: bool) -> tuple[float, list[Pair]]:
    """Return how far apart two lists of words are (0: they fit), and their words side by side.

    ``patterns``: ``*`` in a wanted word is any run of bytes, the word ``**`` any run of words.
    """
    costs = [[0.0] * (len(given) + 1) for _ in range(len(wanted) + 1)]
    for row, word in enumerate(wanted, 1):
        costs[row][0] = costs[row - 1][0] + (0 if patterns and word == _RUN else 1)
    costs[0] = [float(at) for at in range(len(given) + 1)]
    for row, word in enumerate(wanted, 1):
        for at, other in enumerate(given, 1):
            above, left, both = costs[row - 1][at], costs[row][at - 1], costs[row - 1][at - 1]
            if patterns and word == _RUN:
                costs[row][at] = min(above, left)
            else:
                costs[row][at] = min(above + 1, left + 1, both + _distance(word, other, patterns=patterns))
    return costs[-1][-1], _pairs(costs, wanted, given, patterns=patterns)


def _pairs(costs: list[list[float]], wanted: Sequence[bytes], given: Sequence[bytes], *, patterns: bool) -> list[Pair]:
    """Walk back the cheapest way."""
    pairs: list[Pair] = []
    row, at = len(wanted), len(given)
    while row or at:
        word = wanted[row - 1] if row else None
        run = patterns and word == _RUN
        if run and row and costs[row][at] == costs[row - 1][at]:
            row -= 1
        elif run and at and costs[row][at] == costs[row][at - 1]:
            at -= 1
            pairs.append((given[at], given[at]))
        elif (
            row
            and at
            and costs[row][at] == costs[row - 1][at - 1] + _distance(wanted[row - 1], given[at - 1], patterns=patterns)
        ):
            row, at = row - 1, at - 1
            fits = _distance(wanted[row], given[at], patterns=patterns) == 0
            pairs.append((given[at] if fits else wanted[row], given[at]))
        elif row and (not at or costs[row][at] == costs[row - 1][at] + 1):
            row -= 1
            pairs.append((wanted[row], None))
        else:
            at -= 1
            pairs.append((None, given[at]))
    return pairs[::-1]


def _distance(wanted: bytes, given: bytes, *, patterns: bool) -> float:
    if wanted == given or (patterns and word_matches(wanted, given)):
        return 0.0
    return _ANOTHER - SequenceMatcher(None, wanted[:200], given[:200], autojunk=False).ratio()


def words_compared(wanted: Sequence[bytes], given: Sequence[bytes], *, patterns: bool, indent: str = "    ") -> str:
    """Return the words one below the other: ``-`` expected and not called, ``+`` called and not expected."""
    if len(wanted) * len(given) > MANY:
        return f"{indent}- {words_shown(wanted)}\n{indent}+ {words_shown(given)}"
    lines: list[str] = []
    for expected, called in aligned(wanted, given, patterns=patterns)[1]:
        if expected == called and called is not None:
            lines.append(f"  {quoted(called, WORD)}")
            continue
        if expected is not None and called is not None and max(len(expected), len(called)) > WORD:
            lines += [f"- {len(expected):,} bytes", f"+ {bytes_compared(expected, called)}"]
            continue
        lines += [f"- {quoted(expected, WORD)}"] if expected is not None else []
        lines += [f"+ {quoted(called, WORD)}"] if called is not None else []
    return "\n".join(indent + line for line in lines)


def bytes_compared(wanted: bytes, given: bytes) -> str:
    """Return where two values begin to differ, with what is there on both sides and how long they are."""
    shorter = min(len(wanted), len(given))
    at = next((at for at in range(shorter) if wanted[at] != given[at]), shorter)
    start = max(0, at - 10)
    here = [quoted(value[start : at + 30]) for value in (wanted, given)]
    return (
        f"{len(given):,} bytes instead of {len(wanted):,}, the first difference at byte {at:,}: "
        f"{here[1]} instead of {here[0]} (from byte {start:,} on)"
    )


def nearest(wanted: Sequence[bytes], calls: Sequence[Call], *, patterns: bool) -> Call | None:
    """Return which of the last hundred calls has the nearest words, the later of two; None where there is none."""
    few = [call for call in calls[-LAST:] if len(wanted) * len(call.argv_bytes) <= MANY]
    return min(reversed(few), key=lambda call: aligned(wanted, call.argv_bytes, patterns=patterns)[0], default=None)
