"""Owns the check that each answer of a script can be had by some call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.hermetic.scripts.languages import (
    Glob,
    exact_words,
    is_covered,
    is_disjoint,
    leading_words,
    text_glob,
    words_glob,
)
from mutkit.hermetic.scripts.system_text import system_bytes
from mutkit.toml import dotted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutkit.hermetic.scripts.faults import Faults
    from mutkit.model.mock import Answer
    from mutkit.toml import Key

_ANY_WORDS = [words_glob([b"**"])]


def check_reachable(placed: Sequence[tuple[Key, Answer]], faults: Faults) -> None:
    """Add a fault for each answer that no call can get: its own conditions exclude one another, or answers before it
    take every call that it fits.

    What is refused is certain; not all that is unreachable is found (two regular expressions are not compared).
    """
    answers = [answer for _, answer in placed]
    for number, (key, answer) in enumerate(placed):
        pair = contradiction(answer)
        if pair:
            faults.add((*key, pair[1]), f"can never be: no words fit `{pair[0]}` too", "Take one of them out.")
            continue
        taken = [dotted(placed[at][0]) for at in takers(answers[:number], answer)]
        if taken:
            who = f"{' and '.join(taken)} answer{'s' if len(taken) == 1 else ''} every such call"
            faults.add(key, f"can never be reached: {who}", "The first that fits answers: move it up, or take it out.")


def contradiction(answer: Answer) -> tuple[str, str] | None:
    """Return two keys of the answer that no words can fit at a time; None where there are none."""
    sets = list(_word_sets(answer).items())
    for at, (name, globs) in enumerate(sets):
        for other, others in sets[at + 1 :]:
            if all(is_disjoint(glob, wanted) for glob in globs for wanted in others):
                return name, other
    return None


def takers(earlier: Sequence[Answer], answer: Answer) -> list[int]:
    """Return the positions of those answers that together take every call that fits ``answer``; none where a call is
    left over for it.
    """
    able = [at for at, other in enumerate(earlier) if _takes_all_but_words(other, answer)]
    for at in able:
        if _takes_words(earlier[at], answer):
            return [at]
    able = [at for at in able if earlier[at].argv_regex is None and len(_word_sets(earlier[at])) == 1]
    if not _take_together([earlier[at] for at in able], answer):
        return []
    for at in list(able):  # tell only those that it takes
        fewer = [one for one in able if one != at]
        able = fewer if _take_together([earlier[one] for one in fewer], answer) else able
    return able


def _take_together(takers: Sequence[Answer], answer: Answer) -> bool:
    together = [glob for taker in takers for globs in _word_sets(taker).values() for glob in globs]
    return bool(together) and _is_within(answer, together)


def _is_within(answer: Answer, globs: list[Glob]) -> bool:
    """Return whether the words of every call of the answer are in one of the sets."""
    wanted = list(_word_sets(answer).values()) or [_ANY_WORDS]  # they are in all of these at a time
    return any(all(is_covered(glob, globs) for glob in one) for one in wanted)


def _word_sets(answer: Answer) -> dict[str, list[Glob]]:
    """Return what each key says of the words, as sets of which they must be in one; not the regular expression."""
    found: dict[str, list[Glob]] = {}
    if answer.argv is not None:
        found["argv"] = [words_glob(map(system_bytes, answer.argv))]
    if answer.argv_exact is not None:
        found["argv_exact"] = [exact_words(map(system_bytes, answer.argv_exact))]
    if answer.subcommand is not None:
        found["subcommand"] = leading_words([system_bytes(word) for word in answer.subcommand.split()])
    return found


def _takes_words(taker: Answer, answer: Answer) -> bool:
    if taker.argv_regex not in (None, answer.argv_regex):
        return False
    return all(_is_within(answer, globs) for globs in _word_sets(taker).values())


def _takes_all_but_words(taker: Answer, answer: Answer) -> bool:
    """Return whether whatever ``taker`` asks of number, environment and input is so for each call of ``answer``."""
    if taker.nth not in (0, answer.nth):
        return False
    if taker.stdin is not None and not _covers(taker.stdin, "*" if answer.stdin is None else answer.stdin):
        return False
    # a variable that is not set is compared as an empty one
    return all(_covers(wanted, answer.env.get(name, "*")) for name, wanted in taker.env.items())


def _covers(wanted: str, given: str) -> bool:
    return is_covered(text_glob(system_bytes(given)), [text_glob(system_bytes(wanted))])
