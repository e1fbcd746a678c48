"""Owns how the words of a mock's command line are compared and shown. Part of the child: it imports nothing."""

from __future__ import annotations


def words_match(wanted: list[bytes], given: list[bytes]) -> bool:
    """Return whether the words fit: ``*`` in a word is any run of bytes, a word ``**`` any run of words."""
    at = there = 0
    star, resume = -1, 0  # the last ** seen, and up to which given word it reaches
    while there < len(given):
        if at < len(wanted) and wanted[at] == b"**":
            star, resume = at, there
            at += 1
        elif at < len(wanted) and word_matches(wanted[at], given[there]):
            at, there = at + 1, there + 1
        elif star >= 0:
            resume += 1
            at, there = star + 1, resume
        else:
            return False
    return all(word == b"**" for word in wanted[at:])


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
    return "[" + ", ".join(word_shown(word) for word in words) + "]"


def word_shown(word: bytes) -> str:
    """Return one word as text in quotes, or as bytes where it is no text."""
    try:
        return repr(word.decode())
    except UnicodeDecodeError:
        return repr(word)
