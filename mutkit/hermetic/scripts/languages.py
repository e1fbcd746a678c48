"""Owns globs as sets of texts: whether all that one fits others fit too, whether two have anything in common.

A glob is a list of tokens over bytes; words of a command line are bytes that end with NUL, which no word can hold. The
sets are compared as automata, so the answers hold for all texts, of any length.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

END = 0
"""The byte behind each word."""

_ANY, _IN_WORD, _WORDS, _OPTIONS = -1, -2, -3, -4
"""Tokens beside the bytes: a run of bytes, a run of bytes of one word, a run of words, a run of words that are options:
they begin with ``-`` and are not ``--``.
"""

_DASH = ord("-")
_BETWEEN, _WITHIN, _DASHED, _TWICE = range(4)
"""Where in a run of words: between two, within one, behind its ``-``, behind its ``--``."""

Glob = tuple[int, ...]
State = tuple[int, int]
"""How many tokens are behind, and where in a run of words."""

States = frozenset[tuple[int, State]]
"""States of several globs at a time, each with the position of its glob."""

LIMIT = 100_000
"""Steps that are made before an answer is given up: well below a second."""


def words_glob(words: Iterable[bytes]) -> Glob:
    """Return the set of word lists that fit: ``*`` in a word is any run of bytes, the word ``**`` any run of words."""
    tokens: list[int] = []
    for word in words:
        tokens += [_WORDS] if word == b"**" else [*_tokens(word, _IN_WORD), END]
    return tuple(tokens)


def exact_words(words: Iterable[bytes]) -> Glob:
    """Return the set that has only these words, nothing in them special."""
    return tuple(byte for word in words for byte in (*word, END))


def leading_words(words: Sequence[bytes]) -> list[Glob]:
    """Return the sets that together hold all lists whose first words, options left out, are these; behind a word
    ``--`` nothing is an option.
    """
    found: list[Glob] = []
    for at in range(len(words) + 1):  # how many stand before the `--`; where all do, it means nothing
        before = tuple(token for word in words[:at] for token in (_OPTIONS, *word, END))
        behind = () if at == len(words) else (_OPTIONS, *exact_words([b"--", *words[at:]]))
        found.append((*before, *behind, _WORDS))
    return found


def text_glob(pattern: bytes) -> Glob:
    """Return the set of texts that fit: ``*`` is any run of bytes."""
    return tuple(_tokens(pattern, _ANY))


def _tokens(pattern: bytes, star: int) -> list[int]:
    return [star if byte == ord("*") else byte for byte in pattern]


def is_covered(glob: Glob, by: Sequence[Glob]) -> bool:
    """Return whether everything that ``glob`` fits is fitted by one or another of ``by``.

    True is certain. False also stands for globs with so many runs that it takes too long to be sure.
    """
    alphabet = _alphabet(glob, *by)
    start = frozenset((at, (0, _BETWEEN)) for at in range(len(by)))
    if not all(_fits_one(by, start, sample) for sample in _samples(glob, alphabet[1])):
        return False
    seen, todo, work = {((0, _BETWEEN), start)}, [((0, _BETWEEN), start)], 0
    while todo:
        state, others = todo.pop()
        closed, reached = _closed(glob, state), _reached(by, others)
        if not reached or (_is_end(glob, closed) and not _is_one_at_end(by, reached)):
            return False
        for byte in alphabet:
            behind = _behind(by, reached, byte)
            for pair in ((after, behind) for one in closed for after in _after(glob, one, byte)):
                if pair not in seen:
                    seen.add(pair)
                    todo.append(pair)
            work += len(reached)
        if work > LIMIT:
            return False
    return True


def _samples(glob: Glob, other: int) -> Iterator[list[int]]:
    """Return some texts that the glob fits: what is not covered mostly shows in these, in no time."""
    for times in range(3):
        run = [other] * times
        fillings = {_ANY: run, _IN_WORD: run, _WORDS: [other, END] * times, _OPTIONS: [_DASH, other, END] * times}
        yield [byte for token in glob for byte in fillings.get(token, [token])]


def _fits_one(by: Sequence[Glob], start: States, text: Iterable[int]) -> bool:
    states = start
    for byte in text:
        states = _behind(by, _reached(by, states), byte)
    return _is_one_at_end(by, _reached(by, states))


def _reached(by: Sequence[Glob], states: States) -> States:
    return frozenset((at, one) for at, state in states for one in _closed(by[at], state))


def _behind(by: Sequence[Glob], states: States, byte: int) -> States:
    return frozenset((at, one) for at, state in states for one in _after(by[at], state, byte))


def _is_one_at_end(by: Sequence[Glob], states: States) -> bool:
    return any(_is_end(by[at], {state}) for at, state in states)


def is_disjoint(one: Glob, other: Glob) -> bool:
    """Return whether nothing fits both globs; True is certain."""
    alphabet = _alphabet(one, other)
    start: tuple[State, State] = ((0, _BETWEEN), (0, _BETWEEN))
    seen, todo = {start}, [start]
    while todo:
        first, second = todo.pop()
        here, there = _closed(one, first), _closed(other, second)
        if _is_end(one, here) and _is_end(other, there):
            return False
        for byte in alphabet:
            after = {state for left in here for state in _after(one, left, byte)}
            behind = {state for right in there for state in _after(other, right, byte)}
            for pair in ((left, right) for left in after for right in behind):
                if pair not in seen:
                    seen.add(pair)
                    todo.append(pair)
        if len(seen) * len(alphabet) > LIMIT:
            return False
    return True


def _alphabet(*globs: Glob) -> list[int]:
    """Return the end of words, one byte that stands for all that no glob names (or any), and those that they name."""
    named = {token for glob in globs for token in glob if token > 0} | {_DASH}
    return [END, next((byte for byte in range(1, 256) if byte not in named), 1), *sorted(named)]


@lru_cache(4096)
def _closed(glob: Glob, state: State) -> frozenset[State]:
    """Return the state and those that it becomes without any byte: a run may be over, or empty."""
    at, where = state
    found = {state}
    while at < len(glob) and glob[at] < 0 and where == _BETWEEN:
        at += 1
        found.add((at, _BETWEEN))
    return frozenset(found)


def _is_end(glob: Glob, states: Iterable[State]) -> bool:
    return (len(glob), _BETWEEN) in states


def _after(glob: Glob, state: State, byte: int) -> Iterator[State]:
    """Return the state after one more byte; none where the byte does not fit."""
    at, where = state
    token = glob[at] if at < len(glob) else None
    if token is None:
        return
    if token == _WORDS:
        yield (at, _BETWEEN if byte == END else _WITHIN)
    elif token == _OPTIONS:
        yield from ((at, after) for after in _in_option(where, byte))
    elif token == _ANY or (token == _IN_WORD and byte != END):
        yield state
    elif token == byte:
        yield (at + 1, where)


def _in_option(where: int, byte: int) -> list[int]:
    """Return where in an option one is after the byte; nothing where it is none."""
    if where == _BETWEEN:
        return [_DASHED] if byte == _DASH else []
    if byte == END:
        return [] if where == _TWICE else [_BETWEEN]
    return [_TWICE if where == _DASHED and byte == _DASH else _WITHIN]
