"""Owns the places at which chunk modes end a write: inside characters, line ends, escapes."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mutkit.model.mock import ChunkMode

LIMIT = 64 * 2**20
"""Bytes of one step's content in which places are looked for; the list of places may be as long as that."""

_CONTINUES = bytes(0x80 <= byte < 0xC0 for byte in range(256))
_CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^u])", re.DOTALL)


def cuts(mode: ChunkMode, parts: Sequence[tuple[bytes, int]]) -> list[int]:
    """Return the offsets, rising, at which the mode ends a write within the content: every place that it names.

    ``parts`` are bytes and how many times over. ValueError, in words for the author, where there is no such place or
    where the content is longer than ``LIMIT``.
    """
    size = sum(len(part) * times for part, times in parts)
    if size > LIMIT:
        raise ValueError(f"is looked for in at most {LIMIT} bytes, and this has {size}")
    content = b"".join(part * times for part, times in parts)
    find, nothing = _MODES[mode]
    found = find(content)
    if not found:
        raise ValueError(f"has nowhere to cut: {nothing}")
    return found


def _in_characters(content: bytes) -> list[int]:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:  # what is no character has no inside
        return _inside(_CHARACTER, content)
    return list(itertools.compress(range(len(content)), content.translate(_CONTINUES)))


def _inside(pattern: re.Pattern[bytes], content: bytes) -> list[int]:
    """Return every offset within what the pattern finds."""
    return [at for found in pattern.finditer(content) for at in range(found.start() + 1, found.end())]


_MODES: dict[ChunkMode, tuple[Callable[[bytes], list[int]], str]] = {
    "each-byte": (lambda content: list(range(1, len(content))), "there is no more than one byte"),
    "inside-character": (_in_characters, "there is no character of more than one byte in it"),
    "inside-crlf": (lambda content: _inside(re.compile(rb"\r\n"), content), "there is no CR LF in it"),
    "inside-escape": (lambda content: _inside(_ESCAPE, content), "there is no escape (as \\n or \\u00e9) in it"),
}
