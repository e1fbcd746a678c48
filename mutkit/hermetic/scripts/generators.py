"""Owns awkward output made from a seed: the same bytes for the same kind, size and seed on every Python."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mutkit.model.mock import GeneratorName

T = TypeVar("T")

_ALPHABET = b"abcdefghijklmnopqrstuvwxyz    ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_TO_TEXT = bytes(_ALPHABET[byte % len(_ALPHABET)] for byte in range(256))
_BLOCK = 16384
"""Characters that are drawn one by one; what is longer has them over and over."""

_CHARACTERS = {2: "éßñøЖλאب", 3: "€日本語한ก\u200b\ufffd", 4: "😀𝄞𐍈👩🏽𠀀"}
_BROKEN = (
    b"\xe2\x82",  # the first two bytes of three
    b"\xf0\x9f\x98",  # the first three bytes of four
    b"\xc3",  # the first byte of two
    b"\xc0\xaf",  # overlong: "/" in two bytes
    b"\xe0\x80\xaf",  # overlong: "/" in three bytes
    b"\xed\xa0\x80",  # a high surrogate by itself
    b"\xed\xb2\xa9",  # a low surrogate by itself
    b"\x80",  # a continuation byte by itself
    b"\xbf\x80",
    b"\xf4\x90\x80\x80",  # beyond U+10FFFF
    b"\xff",  # never in UTF-8
)
_SEPARATORS = ("\u2028", "\u2029", "\x85")


class _Source:
    """Draws from a seed."""

    def __init__(self, kind: str, seed: int) -> None:
        self._seed = f"{kind} {seed} ".encode()
        self._count = 0

    def _bytes(self, size: int) -> bytes:
        self._count += 1
        return hashlib.shake_128(self._seed + str(self._count).encode()).digest(size)

    def pick(self, choices: Sequence[T]) -> T:
        return choices[int.from_bytes(self._bytes(8), "big") % len(choices)]

    def text(self, size: int) -> bytes:
        """Return so many letters, digits and blanks."""
        return self._bytes(size).translate(_TO_TEXT) if size else b""

    def shuffled(self, values: Sequence[T]) -> list[T]:
        rest = list(values)
        return [rest.pop(int.from_bytes(self._bytes(8), "big") % len(rest)) for _ in values]

    def record(self, number: int, text: str = "") -> str:
        """Return a JSON object with a text in it, as it is."""
        return json.dumps({"id": number, "type": "generated", "text": text}, ensure_ascii=False, separators=(",", ":"))


def generate(kind: GeneratorName, bytes: int = 0, seed: int = 0) -> bytes:  # noqa: A002 - the key of the script
    """Return output with what the kind is named for in it, exactly ``bytes`` long (0: as long as the kind's default).

    Equal arguments give equal bytes, on every machine and Python. ValueError where ``bytes`` is negative or less than
    the kind takes.
    """
    make, default = KINDS[kind]
    size = bytes or default
    source = _Source(kind, seed)
    if bytes < 0:
        raise ValueError(f"cannot be {bytes} bytes long")
    return make(source, size)


def _need(size: int, least: int) -> int:
    """Return how many bytes are left to be filled."""
    if size < least:
        raise ValueError(f"takes at least {least} bytes, not {size}")
    return size - least


def _spread(source: _Source, size: int, pieces: Sequence[bytes]) -> bytes:
    """Return text of ``size`` bytes with each of the pieces in it, text before and behind each."""
    rest = _need(size, sum(len(piece) + 1 for piece in pieces) + 1)
    share, more = divmod(rest, len(pieces) + 1)
    out = [source.text(1 + share + more)]
    for piece in pieces:
        out += [piece, source.text(1 + share)]
    return b"".join(out)


def _long_line(source: _Source, size: int) -> bytes:
    return source.text(size)


def _multi_byte(source: _Source, size: int) -> bytes:
    rest = _need(size, 9)
    pool = [character for characters in _CHARACTERS.values() for character in characters]
    out = [source.pick(_CHARACTERS[width]).encode() for width in source.shuffled((2, 3, 4))]
    block = "".join(source.pick(pool) for _ in range(min(rest // 2, _BLOCK))).encode()
    body = (block * (rest // len(block) + 1))[:rest] if block else b""
    body = body.decode("utf-8", "ignore").encode()  # the last character may be cut
    return b"".join([*out, body, source.text(rest - len(body))])


def _invalid(source: _Source, size: int) -> bytes:
    return _spread(source, size, source.shuffled(_BROKEN))


def _nul(source: _Source, size: int) -> bytes:
    return _spread(source, size, source.shuffled((b"\0", b"\0\0", b"\0")))


def _lone_cr(source: _Source, size: int) -> bytes:
    return _spread(source, size, [b"\r"] * max(1, min(size // 40, _BLOCK)))


def _lines(source: _Source, size: int, end: bytes) -> bytes:
    """Return lines of 1 to 79 characters that fill ``size`` bytes."""
    _need(size, len(end))
    out: list[bytes] = []
    rest, text = size, source.text(size)
    lengths = [source.pick(range(1, 80)) for _ in range(min(size // 40 + 1, 1024))]
    while rest > 0:
        length = min(lengths[len(out) % len(lengths)], rest - len(end))
        if rest - length - len(end) < len(end):  # what would be left is too short for a line
            length = rest - len(end)
        out += [text[rest - length : rest] + end]
        rest -= length + len(end)
    return b"".join(out)


def _crlf(source: _Source, size: int) -> bytes:
    return _lines(source, size, b"\r\n")


def _flood(source: _Source, size: int) -> bytes:
    return _lines(source, size, b"\n")


def _filled(source: _Source, size: int, frame: str) -> bytes:
    """Return the frame with text where it has a ``%``, so that it is ``size`` bytes long."""
    before, _, behind = frame.partition("%")
    rest = _need(size, len(before.encode()) + len(behind.encode()))
    return before.encode() + source.text(rest) + behind.encode()


def _bom(source: _Source, size: int) -> bytes:
    return _filled(source, size, f"\ufeff{source.record(1, '%')}\n")


def _separators(source: _Source, size: int) -> bytes:
    order = source.shuffled(_SEPARATORS)
    lines = [source.record(number, f"before {one} behind") for number, one in enumerate(order, 1)]
    return _filled(source, size, "\n".join([*lines, source.record(4, f"%{''.join(order)}")]) + "\n")


def _duplicates(source: _Source, size: int) -> bytes:
    first, last = source.shuffled(("first", "last"))
    return _filled(source, size, f'{{"id":1,"type":"{first}","text":"%","type":"{last}","id":2}}\n')


def _nested(source: _Source, size: int) -> bytes:
    _need(size, 4)
    opening = source.pick(("[", '{"a":'))
    if (size - 2) % (len(opening) + 1):  # tables in tables do not come out even
        opening = "["
    depth = (size - 2) // (len(opening) + 1)
    inner = "1" * (size - 1 - depth * (len(opening) + 1))
    return (opening * depth + inner + {"[": "]", '{"a":': "}"}[opening] * depth + "\n").encode()


def _banner(source: _Source, size: int) -> bytes:
    words = source.shuffled(("Update available!", "Loading configuration...", "warning: deprecated option"))
    return _filled(source, size, "\n".join([*words, "build %", source.record(1), source.record(2)]) + "\n")


def _two_objects(source: _Source, size: int) -> bytes:
    glue = source.shuffled(("", " "))
    lines = [source.record(1) + glue[0] + source.record(2), source.record(3) + glue[1] + source.record(4, "%")]
    return _filled(source, size, "\n".join(lines) + "\n")


KINDS = cast(
    "dict[GeneratorName, tuple[Callable[[_Source, int], bytes], int]]",
    {
        "long-line": (_long_line, 5 * 2**20),
        "multi-byte": (_multi_byte, 4096),
        "invalid-utf-8": (_invalid, 256),
        "crlf": (_crlf, 4096),
        "lone-cr": (_lone_cr, 1024),
        "bom": (_bom, 256),
        "nul": (_nul, 256),
        "line-separators": (_separators, 512),
        "duplicate-keys": (_duplicates, 256),
        "deep-nesting": (_nested, 200_000),
        "banner-before-json": (_banner, 512),
        "two-objects-on-a-line": (_two_objects, 512),
        "flood": (_flood, 2**20),
    },
)
"""Each kind: how it is made, and its default size in bytes."""
