"""Owns the places at which chunk modes end a write: inside characters, line ends, escapes."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mutkit.model.mock import ChunkMode

LIMIT = 64 * 2**20
"""Bytes of one step's content in which places are looked for; the list of places may be as long as that."""

_FIRST, _INSIDE = b"\0", b"\1"
_FREE = bytes.maketrans(_FIRST + _INSIDE, b"\2\2")
"""Takes the two marks out of content that has them."""
_IS_INSIDE = bytes(byte == _INSIDE[0] for byte in range(256))

_CONTINUES = bytes(0x80 <= byte < 0xC0 for byte in range(256))

_CRLF = ((2, rb"\r\n"),)
_CHARACTERS = (
    (2, rb"[\xc2-\xdf][\x80-\xbf]"),
    (3, rb"\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"),
    (4, rb"\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"),
)
_ESCAPES = (  # in this order: a backslash that is escaped itself begins no other escape
    (2, rb"\\\\"),
    (12, rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"),
    (6, rb"\\u[0-9a-fA-F]{4}"),
    (2, rb'\\["/bfnrt]'),
)
"""What is cut within, and how many bytes it has."""


def cuts(mode: ChunkMode, parts: Sequence[tuple[bytes, int]]) -> list[int]:
    """Return the offsets, rising, at which the mode ends a write within the content: every place that it names.

    ``parts`` are bytes and how many times over. ValueError, in words for the author, where there is no such place or
    where the content is longer than ``LIMIT``.
    """
    size = sum(len(part) * times for part, times in parts)
    if size > LIMIT:
        raise ValueError(f"is looked for in at most {LIMIT} bytes, and this has {size}")
    content = b"".join(part * times for part, times in parts)
    found = list(range(1, size)) if mode == "each-byte" else _inside(_MODES[mode][0], content)
    if not found:
        raise ValueError(f"has nowhere to cut: {_MODES[mode][1]}")
    return found


def _inside(patterns: Iterable[tuple[int, bytes]], content: bytes) -> list[int]:
    """Return every offset within what the patterns find."""
    if patterns is _CHARACTERS and _is_text(content):
        return list(itertools.compress(range(len(content)), content.translate(_CONTINUES)))
    content = content.translate(_FREE)
    for length, pattern in patterns:  # marks are put in by the regular expression: megabytes of cuts in a second
        content = re.sub(pattern, _FIRST + _INSIDE * (length - 1), content)
    return list(itertools.compress(range(len(content)), content.translate(_IS_INSIDE)))


def _is_text(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


_MODES: dict[ChunkMode, tuple[tuple[tuple[int, bytes], ...], str]] = {
    "each-byte": ((), "there is no more than one byte"),
    "inside-character": (_CHARACTERS, "there is no character of more than one byte in it"),
    "inside-crlf": (_CRLF, "there is no CR LF in it"),
    "inside-escape": (_ESCAPES, "there is no escape (as \\n or \\u00e9) in it"),
}
