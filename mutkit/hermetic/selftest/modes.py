"""Owns what a mock writes in the self-test: content of each kind, cut in each way that a script knows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mutkit.hermetic.scripts import Script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Pace: TypeAlias = Literal["exact", "none"]
_SLOW_WRITES, _SLOW_SECONDS = 200, 0.001
_LARGE = 4
"""Chunks of several pages are written at least so often, whatever the size that was asked for."""
_MORE_THAN_A_PAGE = 5000
_FEW = 20000
"""Bytes of text are enough to have each place to cut many times."""


@dataclass(frozen=True)
class Mode:
    """One way to cut output into chunks.

    ``script`` makes the mock's script from the number of bytes asked for and the pace; ``largest`` is its largest
    chunk; ``pause`` what the reader sleeps, in seconds, before each read.
    """

    name: str
    script: Callable[[int, Pace], Script]
    largest: int = 1
    pause: float = 0.0


def noise(size: int) -> bytes:
    """Return ``size`` bytes of every value, always the same, in which no byte can be missing unnoticed."""
    return hashlib.shake_256(b"mutkit").digest(size)


def _each_byte(size: int, pace: Pace) -> Script:
    return Script().write(noise(size), chunk=1, pace=pace)


def _after_a_long_chunk(size: int, pace: Pace) -> Script:
    """Write each byte alone, but into a pipe that must also hold the longer chunk in front."""
    data = noise(_MORE_THAN_A_PAGE + size)
    return Script().write(data, cut_at=tuple(range(_MORE_THAN_A_PAGE, len(data))), pace=pace)


def _slow(size: int, pace: Pace) -> Script:
    return Script().write(noise(min(size, _SLOW_WRITES)), chunk=1, pace=pace)


def _by_size(chunk: int) -> Callable[[int, Pace], Script]:
    def script(size: int, pace: Pace) -> Script:
        odd = 11  # so that the last chunk is a short one
        return Script().write(noise(max(size, _LARGE * chunk) + odd), chunk=chunk, pace=pace)

    return script


def _offsets(size: int, pace: Pace) -> Script:
    data = noise(min(size, _FEW))
    return Script().write(data, cut_at=tuple(_rising(data)), pace=pace)


def _rising(data: bytes) -> Iterator[int]:
    """Yield offsets that rise by 1 to 256, as the bytes themselves say."""
    at = 0
    for step in data:
        at += 1 + step
        if at >= len(data):
            return
        yield at


def _text(unit: str, chunk: Literal["inside-character", "inside-crlf", "inside-escape"]) -> Callable[..., Script]:
    def script(size: int, pace: Pace) -> Script:
        times = max(3, min(size, _FEW) // len(unit.encode()))
        return Script().write("".join(unit.replace("%", str(at)) for at in range(times)), chunk=chunk, pace=pace)

    return script


def _newline(size: int, pace: Pace) -> Script:
    script = Script()
    for at in range(max(3, min(size, 2000) // 20)):
        script = script.json({"type": "line", "at": at}, newline="separate", pace=pace)
    return script


MODES = (
    Mode("each byte", _each_byte),
    Mode("each byte after 5,000", _after_a_long_chunk, _MORE_THAN_A_PAGE),
    Mode("each byte, slow reader", _slow, pause=_SLOW_SECONDS),
    Mode("37 bytes", _by_size(37), 37),
    Mode("4,096 bytes", _by_size(4096), 4096),
    Mode("32,768 bytes", _by_size(32768), 32768),
    Mode("65,536 bytes", _by_size(65536), 65536),
    Mode("at offsets", _offsets, 256),
    Mode("inside a character", _text("a%é€😀", "inside-character"), 32),
    Mode("inside CRLF", _text("line %\r\n", "inside-crlf"), 32),
    Mode("inside an escape", _text(r'{"text":"%\n\"\u00e9\ud83d\ude00"}', "inside-escape"), 32),
    Mode("newline by itself", _newline, 64),
)

LARGEST_MESSAGE = 32768
"""What one message on a UNIX socket holds on every kernel; more than that cannot be one read there."""
