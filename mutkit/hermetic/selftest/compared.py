"""Owns the comparison of what was written, chunk by chunk, with what a reader got, read by read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Difference:
    """What a reader got otherwise than it was written.

    ``merged``: writes that came glued to the one after them; ``split``: places within a write at which a read ended;
    ``lost``, ``extra`` and ``altered``: bytes that are missing, too many, or others. All 0: each read was one write.
    """

    merged: int = 0
    split: int = 0
    lost: int = 0
    extra: int = 0
    altered: int = 0

    @property
    def content_is_whole(self) -> bool:
        """Return whether the bytes are those that were written, however they were cut."""
        return not (self.lost or self.extra or self.altered)


def compare(written: bytes, chunks: Sequence[int], got: bytes, reads: Sequence[int]) -> Difference:
    """Return how ``got``, which came in reads of the sizes ``reads``, differs from ``written`` in ``chunks``.

    Where bytes are missing or wrong, boundaries before and after that place are still compared.
    """
    same_start = _common(written, got)
    room = min(len(written), len(got)) - same_start
    same_end = _common(written[::-1], got[::-1], room)
    shift = len(written) - len(got)
    write_ends = _inner_ends(chunks)
    # What ends right at a missing piece is the end of what was before it and of what should have been there.
    read_ends = [
        {end for end, fits in ((at, at <= same_start), (at + shift, at >= len(got) - same_end)) if fits}
        for at in _inner_ends(reads)
    ]
    comparable = {end for end in write_ends if end <= same_start or end >= len(written) - same_end}
    if got != written:  # where the stream ends too early, its end is a boundary for nobody
        comparable.discard(same_start)
    known = write_ends | {len(written)}
    middle_written, middle_got = (len(data) - same_start - same_end for data in (written, got))
    return Difference(
        merged=len(comparable.difference(*read_ends)),
        split=sum(bool(ends) and known.isdisjoint(ends) for ends in read_ends),
        lost=max(shift, 0),
        extra=max(-shift, 0),
        altered=min(middle_written, middle_got),
    )


def _inner_ends(sizes: Sequence[int]) -> set[int]:
    """Return the offsets at which pieces end, but for the last."""
    return set(accumulate(sizes[:-1]))


def _common(one: bytes, other: bytes, limit: int | None = None) -> int:
    """Return how many bytes both begin with, ``limit`` at most."""
    low, high = 0, min(len(one), len(other)) if limit is None else limit
    while low < high:  # what is equal up to a place is equal before it
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
