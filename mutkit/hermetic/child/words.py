"""Owns how the words of a mock's command line are compared and shown. Part of the child: it imports nothing."""

from __future__ import annotations


def words_match(wanted: list[bytes], given: list[bytes]) -> bool:
    """Return whether the words fit: ``*`` in a word is any run of bytes, a word ``**`` any run of words."""
    if not wanted:
        return not given
    if wanted[0] == b"**":
        return any(words_match(wanted[1:], given[at:]) for at in range(len(given) + 1))
    return bool(given) and word_matches(wanted[0], given[0]) and words_match(wanted[1:], given[1:])


def word_matches(wanted: bytes, given: bytes) -> bool:
    """Return whether one word fits a pattern in which ``*`` is any run of bytes."""
    first, *rest = wanted.split(b"*")
    if not rest:
        return wanted == given
    *middle, last = rest
    if not given.startswith(first) or not given.endswith(last) or len(given) < len(first) + len(last):
        return False
    at, stop = len(first), len(given) - len(last)
    for part in middle:
        at = given.find(part, at, stop)
        if at < 0:
            return False
        at += len(part)
    return True


def shown(words: list[bytes]) -> str:
    """Return words as a list for people."""
    return "[" + ", ".join(ascii(word)[1:] for word in words) + "]"
